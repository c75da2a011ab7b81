import { join } from 'node:path'
import { startBrowser } from '../../../test/support/browser.ts'
import { measureKeys } from '../browser/keys.ts'
import {
  createLongNote,
  KNOWN_NOTES,
  longText,
  measureColdStarts,
  measureLoads,
  measureSignIns,
} from '../browser/notes.ts'
import { newPage, nextPage, setUp, setupToken } from '../browser/page.ts'
import {
  fillRows,
  gridAddress,
  measureEdits,
  measureJumps,
  measureMemory,
  openGrid,
} from '../browser/records.ts'
import {
  BOARD_ROWS,
  fillTasks,
  MONTH_ROWS,
  makeView,
  measureMoves,
  measureOpenings,
} from '../browser/row-views.ts'
import { fillNotes, openDataset, temporaryFolder } from '../dataset.ts'
import { median } from '../measure.ts'
import { milliseconds, p95Row, type Row, rowOf, type Section } from '../results.ts'
import { startServer } from '../servers.ts'

const MAX_LIST_MS = 300
const MAX_COLD_MS = 1_000
const MAX_KEY_MS = 24
const MAX_JUMP_MS = 150
const MAX_EDIT_MS = 500
const MAX_GROWTH = 1.1
const MAX_BOARD_MS = 200
const MAX_MONTH_MS = 100
const MAX_MOVE_MS = 300
const OPENINGS = 20
const JUMPS = 60
/** The number of sorted jumps that read all rows; after these there is an index. */
const FIRST_JUMPS = 3
/** Leaves room for typed text below the limit of 1,000,000 for a note. */
const LONG_NOTE = 999_000

/** The amounts of data and time of the measurement. */
export interface Sizes {
  readonly notes: number
  readonly rows: number
  /** Minutes of scrolling the grid while its memory is measured; 0 skips this. */
  readonly minutes: number
}

const timeRow = (what: string, daybook: number, max: number | undefined, floor?: number): Row =>
  rowOf({ what, show: milliseconds, daybook, floor, goal: { max } })

/** Minutes of scrolling after which the rows cached for scrolling are complete. */
const FULL_AFTER = 2

function memoryRow(held: readonly number[]): Row {
  const [full = Number.NaN, last = Number.NaN] = [held[FULL_AFTER], held.at(-1)]
  return rowOf({
    what: `memory after ${held.length - 1} minutes of scrolling (floor: after ${FULL_AFTER})`,
    show: (value) => `${value.toFixed(1)} MiB`,
    daybook: last,
    floor: full,
    goal: { maxRatio: MAX_GROWTH },
  })
}

/** The speed of the application as a user perceives it, in Chromium, with a server that holds much data. */
export async function benchApplication({ notes, rows, minutes }: Sizes): Promise<Section[]> {
  const file = join(temporaryFolder(), 'application.db')
  const data = await openDataset(file)
  await fillNotes(data, notes)
  const text = longText(LONG_NOTE)
  const note = await createLongNote(data, text)
  const structure = await fillRows(data, rows)
  const board = await fillTasks(data, 'tasks', BOARD_ROWS)
  const month = await fillTasks(data, 'events', MONTH_ROWS)
  data.close()
  const token = await setupToken(file)
  const server = await startServer(file)
  const browser = await startBrowser()
  try {
    const page = await newPage(browser)
    await setUp(page, server, token)
    const { list, still } = await measureLoads(page, server)
    const signIns = await measureSignIns(page)
    const known = Math.min(notes, KNOWN_NOTES)
    const colds = await measureColdStarts(browser, server, known)
    const keys = await measureKeys(page, server, { note, text })
    await openGrid(page, gridAddress(server, structure.id))
    const jumps = await measureJumps(page, JUMPS)
    await openGrid(page, gridAddress(server, structure.id))
    const edits = await measureEdits(page, server, data.key, structure.row)
    const held = minutes === 0 ? [] : await measureMemory(page, minutes)
    await openGrid(page, gridAddress(server, structure.id, '?sort=amount&direction=asc'))
    const unindexed = await measureJumps(page, FIRST_JUMPS)
    const indexed = await measureJumps(page, JUMPS)
    await makeView(server, data.key, { structure: board, name: 'Board', kind: 'board', group_by: 'state' })
    await makeView(server, data.key, {
      structure: month,
      name: 'Calendar',
      kind: 'calendar',
      date_field: 'day',
    })
    const boardUrl = gridAddress(server, board)
    const boards = await measureOpenings(page, { url: boardUrl, name: 'Board', shows: 'a.card' }, OPENINGS)
    const monthUrl = gridAddress(server, month)
    const months = await measureOpenings(page, { url: monthUrl, name: 'Calendar', shows: '.event' }, OPENINGS)
    const other = await nextPage(page.browserContext())
    const moves = await measureMoves(page, other, boardUrl, OPENINGS)
    return [
      {
        title: 'Application in Chromium',
        rows: [
          timeRow(
            `list of ${notes.toLocaleString('en-US')} notes, page loaded again (floor: a static page)`,
            list.median,
            MAX_LIST_MS,
            still.median,
          ),
          timeRow(
            `list of ${notes.toLocaleString('en-US')} notes, after signing in (floor: a static page)`,
            signIns.median,
            MAX_LIST_MS,
            still.median,
          ),
          timeRow(
            `list of notes without a network, ${known.toLocaleString('en-US')} known, no tab open (floor: a static page)`,
            colds.median,
            MAX_COLD_MS,
            still.median,
          ),
          ...keys.map(({ place, keys, floor }) =>
            p95Row(
              `key at the ${place} of a note of ${LONG_NOTE.toLocaleString('en-US')} characters (floor: a bare editor)`,
              keys,
              MAX_KEY_MS,
              floor,
            ),
          ),
          p95Row(`jump in ${rows.toLocaleString('en-US')} rows`, jumps, MAX_JUMP_MS),
          p95Row(`jump in ${rows.toLocaleString('en-US')} rows sorted by a number`, indexed, MAX_JUMP_MS),
          timeRow('the same before the number has an index', median(unindexed), undefined),
          p95Row('edit by API shown in an open grid', edits, MAX_EDIT_MS),
          p95Row(`board of ${BOARD_ROWS.toLocaleString('en-US')} rows opened`, boards, MAX_BOARD_MS),
          p95Row(`month of ${MONTH_ROWS.toLocaleString('en-US')} rows opened`, months, MAX_MONTH_MS),
          p95Row('card moved on a board shown on another screen', moves, MAX_MOVE_MS),
          ...(held.length === 0 ? [] : [memoryRow(held)]),
        ],
      },
    ]
  } finally {
    await browser.close()
    await server.stop()
  }
}
