import { Database } from 'bun:sqlite'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyVerified } from '../../../src/db/copy.ts'
import { presentNote } from '../../../src/notes/present.ts'
import { type ListRequest, listNotes } from '../../../src/notes/query/list.ts'
import { FULL_TABLE } from '../../../src/notes/search/tables.ts'
import { getNote, type NoteRow } from '../../../src/notes/store.ts'
import { appendText } from '../../../src/notes/writing/append-and-edit.ts'
import { createNote, presentCreated } from '../../../src/notes/writing/create.ts'
import { matchOf, NotesBaseline } from '../baselines.ts'
import { corpus, wordOfRank } from '../corpus.ts'
import { type Dataset, fillNotes, openDataset, temporaryFolder } from '../dataset.ts'
import { interleaved, median } from '../measure.ts'
import { growthRow, perSecond, type Row, type Section, timesRow } from '../results.ts'
import { measureRate, type Server, startBareServer, startServer } from '../servers.ts'

const PAGE = 50
const NEWEST =
  'SELECT pk FROM notes WHERE workspace = 1 AND deleted_at IS NULL ORDER BY updated_at DESC, id DESC LIMIT 50'
const LIVE = 'SELECT live_notes FROM workspaces WHERE pk = 1'

const ratio = (daybook: number, floor: number) => (daybook / floor).toFixed(2)

/** One page without HTTP: find, load, present, serialize. */
const listed = (data: Dataset, request: ListRequest) => () => listNotes(data.ctx, data.caller, request)

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

/** The goal of searches is set for this many notes; with fewer, fixed costs dominate. */
const SEARCH_GOAL_FROM = 100_000
const GOALS = { list: { maxRatio: 1.5 }, search: { maxRatio: 2, maxMs: 25 }, write: { maxRatio: 2 } }

/** Lists and searches without HTTP, with raw SQLite on the same file as the baseline. */
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

const RATE_ROUNDS = 3

/** The request rates of two servers under the same load, measured in turn. */
async function rates(
  daybook: Server,
  floor: Server,
  requests: (server: Server) => string[],
  connections: number,
) {
  const measured = { daybook: [] as number[], floor: [] as number[] }
  for (let round = 0; round < RATE_ROUNDS; round++) {
    measured.daybook.push((await measureRate(daybook, requests(daybook), connections)).perSecond)
    measured.floor.push((await measureRate(floor, requests(floor), connections)).perSecond)
  }
  return { daybook: median(measured.daybook), floor: median(measured.floor) }
}

const READ_ONE = 'read one note (floor: bare Bun.serve, same bytes)'

async function readRow(data: Dataset, server: Server, ids: readonly string[]): Promise<Row> {
  const answer = await (await data.fetch(`/v1/notes/${ids[0]}`)).text()
  const bare = await startBareServer(answer)
  const requests = ({ port }: Server) =>
    ids.map(
      (id) =>
        `GET /v1/notes/${id} HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${data.key}\r\n\r\n`,
    )
  const { daybook, floor } = await rates(server, bare, requests, 32)
  await bare.stop()
  return {
    what: READ_ONE,
    medianMs: 1000 / daybook,
    daybook: perSecond(daybook),
    floor: perSecond(floor),
    ratio: ratio(daybook, floor),
    goal: '≥ 0.6 ×',
    met: daybook >= 0.6 * floor,
  }
}

const RAW_CREATES = 1_000

/** Searching waits until every note is indexed, so that no round pays for the one before. */
const whenIndexed = async ({ key }: Dataset, { port }: Server): Promise<string> => {
  const headers = { authorization: `Bearer ${key}` }
  return (await fetch(`http://127.0.0.1:${port}/v1/notes?search=nothing`, { headers })).text()
}

async function createRow(data: Dataset, server: Server, raw: NotesBaseline): Promise<Row> {
  const notes = [...corpus(RAW_CREATES, 2)]
  const requests = notes.map((note) => {
    const body = JSON.stringify(note)
    const head = `POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${data.key}`
    return `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  })
  const daybook: number[] = []
  const floors: number[] = []
  for (let round = 0; round < RATE_ROUNDS; round++) {
    daybook.push((await measureRate(server, requests, 64)).perSecond)
    await whenIndexed(data, server)
    const started = performance.now()
    for (const note of notes) raw.create(note)
    floors.push(RAW_CREATES / ((performance.now() - started) / 1000))
  }
  return {
    what: 'create, 64 clients (floor: raw, one transaction each)',
    daybook: perSecond(median(daybook)),
    floor: perSecond(median(floors)),
    ratio: ratio(median(daybook), median(floors)),
    goal: '≥ 2 ×',
    met: median(daybook) >= 2 * median(floors),
  }
}

/** Single writes, one at a time: the service in this process, and the same statements by hand on a copy. */
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
        JSON.stringify(presentCreated(await ctx.db.write((tx) => createNote(tx, caller, note())))),
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

/** All rows for one number of notes. */
async function benchSize(count: number, rounds: number): Promise<{ title: string; rows: Row[] }> {
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
  const ids = await idsOf(data)
  const rows = [
    await readRow(data, server, ids),
    await createRow(data, server, raw),
    ...(await aloneRows(data, raw, ids, rounds)),
    ...(await pageRows(data, new NotesBaseline(file), rounds, count)),
  ]
  await server.stop()
  data.close()
  return { title: `Notes, ${count.toLocaleString('en-US')} of about 2 KB`, rows }
}

const MAX_GROWTH = 1.5

function growthRows(small: Section, large: Section): Row[] {
  const grown = large.rows.filter(
    ({ what, medianMs }) => medianMs !== undefined && !what.startsWith('search'),
  )
  return grown.map(({ what, medianMs = Number.NaN }) => {
    const before = small.rows.find((row) => row.what === what)?.medianMs ?? Number.NaN
    return growthRow(what.replace(/ \(floor.*/, ''), before, medianMs, MAX_GROWTH)
  })
}

/** A section for each size, and one that compares the largest with the smallest. */
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
