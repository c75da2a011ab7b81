import { Database } from 'bun:sqlite'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ListRequest, listNotes } from '../../../src/notes/query/list.ts'
import { FULL_TABLE } from '../../../src/notes/search/indexing.ts'
import { getNote, type NoteRow, presentNote } from '../../../src/notes/store.ts'
import { appendText } from '../../../src/notes/writing/append-and-edit.ts'
import { createNote as insertNote, presentCreated } from '../../../src/notes/writing/create.ts'
import { copyVerified } from '../../../src/storage/copy.ts'
import { matchOf, NotesBaseline } from '../baselines.ts'
import { corpus, wordOfRank } from '../corpus.ts'
import { type Dataset, fillNotes, openDataset, temporaryFolder } from '../dataset.ts'
import { LINES_REMARK, type Line, measureLines, requestText } from '../lines.ts'
import { interleaved } from '../measure.ts'
import { growthRow, type Row, type Section, timesRow } from '../results.ts'
import { startFloor, startServer } from '../servers.ts'

const PAGE = 50
const NEWEST =
  'SELECT pk FROM notes WHERE workspace = 1 AND deleted_at IS NULL ORDER BY updated_at DESC, id DESC LIMIT 50'
const LIVE = 'SELECT live_notes FROM workspaces WHERE pk = 1'

/** Returns one page without HTTP: find, load, present, serialize. */
const listed =
  ({ ctx, caller }: Dataset, request: ListRequest) =>
  () =>
    ctx.kernel.callAs(caller, listNotes, request)

interface NoteQuery {
  what: string
  request: ListRequest
  pks: string
  total: string
}

const matching = (match: string) => ({
  pks: `SELECT rowid AS pk FROM ${FULL_TABLE} WHERE ${FULL_TABLE} MATCH '${match}' ORDER BY bm25(${FULL_TABLE}, 10, 1, 5) LIMIT ${PAGE}`,
  total: `SELECT count(*) FROM ${FULL_TABLE} WHERE ${FULL_TABLE} MATCH '${match}'`,
})

const search = (what: string, text: string): NoteQuery => ({
  what: `search ${what}`,
  request: { search: text },
  ...matching(matchOf(text)),
})

const QUERIES: readonly NoteQuery[] = [
  { what: 'list newest 50', request: {}, pks: NEWEST, total: LIVE },
  {
    what: 'list by tag (a tenth of the notes)',
    request: { tag: 'tag 5' },
    pks: `SELECT pk FROM notes n WHERE workspace = 1 AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM note_tags nt
      WHERE nt.tag = (SELECT id FROM tags WHERE name = 'tag 5') AND nt.note = n.pk)
      ORDER BY updated_at DESC, id DESC LIMIT 50`,
    total: `SELECT note_count FROM tags WHERE name = 'tag 5'`,
  },
  search('a rare word', wordOfRank(15_000)),
  search('a common word', wordOfRank(30)),
  search('the most common word', wordOfRank(0)),
  search('a prefix of three', `${wordOfRank(2_000).slice(0, 3)}*`),
  search('a phrase', `"${wordOfRank(3)} ${wordOfRank(8)}"`),
  search('two Chinese characters', '会議'),
]

/** The goal of searches applies from this many notes; with fewer, fixed costs dominate. */
const SEARCH_GOAL_FROM = 100_000
const GOALS = { list: { maxRatio: 1.5 }, search: { maxRatio: 2, max: 25 }, write: { maxRatio: 2 } }

/** Measures lists and searches without HTTP; the baseline is raw SQLite on the same file. */
async function pageRows(data: Dataset, raw: NotesBaseline, rounds: number, count: number): Promise<Row[]> {
  const ofSearch = count >= SEARCH_GOAL_FROM ? GOALS.search : undefined
  const rows: Row[] = []
  for (const { what, request, pks, total } of QUERIES) {
    const times = await interleaved(
      { daybook: listed(data, request), floor: () => raw.page(pks, total) },
      rounds,
    )
    const goal = what.startsWith('search') ? ofSearch : GOALS.list
    rows.push(timesRow(what, times.daybook, times.floor, goal))
  }
  return rows
}

let made = 0
const createNote: Line['request'] = (variant) => {
  const [note] = corpus(1, 2 + made++)
  return requestText(variant, 'POST', '/v1/notes', { title: note?.title, content: note?.content })
}

const LINES: readonly Line[] = [
  {
    what: 'read one note',
    clients: 64,
    goal: { maxRatio: 1.67 },
    request: (variant, at) =>
      requestText(variant, 'GET', `/v1/notes/${variant.notes[at % variant.notes.length]}`),
  },
  { what: 'create one note', clients: 64, goal: { max: 0.3 }, requests: 2_000, request: createNote },
  {
    what: 'create one note',
    clients: 2,
    goal: { max: 0.35 },
    minPerSecond: 4_000,
    requests: 2_000,
    request: createNote,
  },
]

/** Measures single writes, one at a time: the service in this process, and the same statements by hand on a copy. */
async function aloneRows(
  data: Dataset,
  raw: NotesBaseline,
  ids: readonly string[],
  rounds: number,
): Promise<Row[]> {
  const notes = [...corpus(rounds * 4, 3)]
  let at = 0
  const { ctx, caller } = data
  const note = () => notes[at++ % notes.length] ?? { title: '', content: '', tags: [] }
  const created = await interleaved(
    {
      daybook: async () =>
        JSON.stringify(presentCreated(await ctx.db.write((tx) => insertNote(tx, caller, note())))),
      floor: () => raw.create(note()),
    },
    rounds,
  )
  const appended = await interleaved(
    {
      daybook: async () =>
        JSON.stringify(
          presentNote(
            await ctx.db.write((tx): NoteRow => {
              const noteRow = getNote(tx, caller, ids[at++ % ids.length] ?? '')
              return appendText(tx, caller, noteRow, { text: 'A row more.' })
            }),
          ),
        ),
      floor: () => raw.append((at++ % ids.length) + 1, 'A row more.'),
    },
    rounds,
  )
  return [
    timesRow('create, alone', created.daybook, created.floor, GOALS.write),
    timesRow('append, alone', appended.daybook, appended.floor, GOALS.write),
  ]
}

const MEASURED_IDS = 500

async function idsOf(data: Dataset): Promise<string[]> {
  return data.ctx.db.sql.column<string>('SELECT id FROM notes ORDER BY pk LIMIT ?', MEASURED_IDS)
}

/** Measures all rows for one number of notes. */
async function benchSize(count: number, rounds: number): Promise<Section> {
  const folder = temporaryFolder()
  const file = join(folder, 'notes.db')
  const data = await openDataset(file)
  await fillNotes(data, count)
  data.ctx.db.checkpoint()
  const copy = join(folder, 'raw.db')
  const source = new Database(file)
  copyVerified(source, copy)
  source.close()
  const served = join(folder, 'served.db')
  copyFileSync(copy, served)
  const raw = new NotesBaseline(copy)
  const server = await startServer(served)
  const bare = await startFloor(copy, join(folder, 'floor.db'))
  const ids = await idsOf(data)
  const named = { key: data.key, rows: [], notes: ids }
  const rows = [
    ...(await measureLines(LINES, { ...named, server }, { ...named, server: bare })),
    ...(await aloneRows(data, raw, ids, rounds)),
    ...(await pageRows(data, new NotesBaseline(file), rounds, count)),
  ]
  await Promise.all([server.stop(), bare.stop()])
  data.close()
  return { title: `Notes, ${count.toLocaleString('en-US')} of about 2 KB`, rows, remark: LINES_REMARK }
}

const MAX_GROWTH = 1.5

function growthRows(small: Section, large: Section): Row[] {
  const grown = large.rows.filter(({ what }) => !what.startsWith('search'))
  return grown.map(({ what, value }) => {
    const before = small.rows.find((row) => row.what === what)?.value ?? Number.NaN
    return growthRow(what, before, value, MAX_GROWTH)
  })
}

/** Returns a section for each size, and one that compares the largest with the smallest. */
export async function benchNotes(sizes: readonly number[], rounds: number): Promise<Section[]> {
  const sections: Section[] = []
  for (const size of sizes) sections.push(await benchSize(size, rounds))
  const [small, large] = [sections[0], sections.at(-1)]
  if (!small || !large || small === large) return sections
  const [from, to] = [sizes[0], sizes.at(-1)].map((size) => size?.toLocaleString('en-US'))
  return [
    ...sections,
    { title: `Notes, growth from ${from} (floor) to ${to}`, rows: growthRows(small, large) },
  ]
}
