import { Database } from 'bun:sqlite'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyVerified } from '../../src/db/schema/migrations/migrate.ts'
import { presentCreated, presentFound, presentNote } from '../../src/notes/present.ts'
import { type ListRequest, listNotes } from '../../src/notes/query/list.ts'
import { appendToNote } from '../../src/notes/writing/append-and-edit.ts'
import { type CreatedNote, createNote } from '../../src/notes/writing/create.ts'
import { corpus, wordOfRank } from './corpus.ts'
import { type Dataset, fillNotes, openDataset, temporaryFolder } from './dataset.ts'
import {
  growthLine,
  interleaved,
  type Line,
  median,
  milliseconds,
  perSecond,
  type Section,
  type Times,
} from './measure.ts'
import { RawNotes } from './raw-notes.ts'
import { measureRate, type Server, startBareServer, startServer } from './servers.ts'

const PAGE = 50
const FULL = 'note_search_1'
const NEWEST =
  'SELECT pk FROM notes WHERE workspace = 1 AND deleted_at IS NULL ORDER BY updated_at DESC, id DESC LIMIT 50'
const LIVE = 'SELECT live_notes FROM workspaces WHERE pk = 1'

const ratio = (ours: number, floor: number) => (ours / floor).toFixed(2)

interface Goal {
  /** Our time may be so many times the floor's. */
  most: number
  mostMs?: number
}

/** Compares a page of the service with the same page by hand. */
function pageLine(what: string, ours: Times, floor: Times, goal?: Goal): Line {
  const times = ours.median / floor.median
  const { most = Infinity, mostMs = Infinity } = goal ?? {}
  const limits = [most < Infinity && `≤ ${most} ×`, mostMs < Infinity && `< ${mostMs} ms`]
  return {
    what,
    ours: `${milliseconds(ours.median)} (p99 ${milliseconds(ours.p99)})`,
    floor: `${milliseconds(floor.median)} (p99 ${milliseconds(floor.p99)})`,
    ratio: times.toFixed(2),
    goal: limits.filter(Boolean).join(', '),
    met: goal && times <= most && ours.median <= mostMs,
    cost: ours.median,
  }
}

/** What the service does for one page, without HTTP: find, load, shape, write as JSON. */
const listed = (data: Dataset, request: ListRequest) => async () => {
  const page = await listNotes(data.ctx, data.caller, request)
  return JSON.stringify({ notes: page.items.map(presentFound), total: page.total, has_more: true })
}

interface Question {
  what: string
  request: ListRequest
  pks: string
  total: string
}

const matching = (match: string) => ({
  pks: `SELECT rowid AS pk FROM ${FULL} WHERE ${FULL} MATCH '${match}' ORDER BY bm25(${FULL}, 10, 1, 5) LIMIT ${PAGE}`,
  total: `SELECT count(*) FROM ${FULL} WHERE ${FULL} MATCH '${match}'`,
})

const search = (what: string, text: string, match: string): Question => ({
  what: `search ${what}`,
  request: { search: text },
  ...matching(match),
})

const QUESTIONS: readonly Question[] = [
  { what: 'list newest 50', request: {}, pks: NEWEST, total: LIVE },
  {
    what: 'list by tag (a tenth of the notes)',
    request: { tag: 'tag 5' },
    pks: `SELECT pk FROM notes n WHERE workspace = 1 AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM note_tags nt
      WHERE nt.tag = (SELECT id FROM tags WHERE name = 'tag 5') AND nt.note = n.pk)
      ORDER BY updated_at DESC, id DESC LIMIT 50`,
    total: `SELECT note_count FROM tags WHERE name = 'tag 5'`,
  },
  search('a rare word', wordOfRank(15_000), `"${wordOfRank(15_000)}"`),
  search('a common word', wordOfRank(30), `"${wordOfRank(30)}"`),
  search('the most common word', wordOfRank(0), `"${wordOfRank(0)}"`),
  search('a prefix of three', `${wordOfRank(2_000).slice(0, 3)}*`, `"${wordOfRank(2_000).slice(0, 3)}" *`),
  search('a phrase', `"${wordOfRank(3)} ${wordOfRank(8)}"`, `"${wordOfRank(3)} ${wordOfRank(8)}"`),
  search('two Chinese characters', '会議', '"会議"'),
]

/** The goal of searches is for so many notes; with fewer, what every search costs outweighs the rest. */
const SEARCH_GOAL_FROM = 100_000
const GOALS = { list: { most: 1.5 }, search: { most: 2, mostMs: 25 }, write: { most: 2 } }

/** Lists and searches, without HTTP, against raw SQLite on the same file. */
async function pageLines(data: Dataset, raw: RawNotes, rounds: number, count: number): Promise<Line[]> {
  const ofSearch = count >= SEARCH_GOAL_FROM ? GOALS.search : undefined
  const lines: Line[] = []
  for (const { what, request, pks, total } of QUESTIONS) {
    const times = await interleaved(
      { ours: listed(data, request), floor: () => raw.page(pks, total) },
      rounds,
    )
    const goal = what.startsWith('search') ? ofSearch : GOALS.list
    lines.push(pageLine(what, times.ours, times.floor, goal))
  }
  return lines
}

const RATE_ROUNDS = 3

/** Rates of two servers under the same load, in turns. */
async function rates(
  ours: Server,
  floor: Server,
  requests: (server: Server) => string[],
  connections: number,
) {
  const measured = { ours: [] as number[], floor: [] as number[] }
  for (let round = 0; round < RATE_ROUNDS; round++) {
    measured.ours.push((await measureRate(ours, requests(ours), connections)).perSecond)
    measured.floor.push((await measureRate(floor, requests(floor), connections)).perSecond)
  }
  return { ours: median(measured.ours), floor: median(measured.floor) }
}

const READ_ONE = 'read one note (floor: bare Bun.serve, same bytes)'

async function readLine(data: Dataset, server: Server, ids: readonly string[]): Promise<Line> {
  const answer = await (await data.fetch(`/v1/notes/${ids[0]}`)).text()
  const bare = await startBareServer(answer)
  const requests = ({ port }: Server) =>
    ids.map(
      (id) =>
        `GET /v1/notes/${id} HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${data.key}\r\n\r\n`,
    )
  const { ours, floor } = await rates(server, bare, requests, 32)
  await bare.stop()
  return {
    what: READ_ONE,
    cost: 1000 / ours,
    ours: perSecond(ours),
    floor: perSecond(floor),
    ratio: ratio(ours, floor),
    goal: '≥ 0.6 ×',
    met: ours >= 0.6 * floor,
  }
}

const RAW_CREATES = 1_000

/** A search answers when every note is indexed: no round pays for the one before. */
const whenIndexed = async ({ key }: Dataset, { port }: Server): Promise<string> => {
  const headers = { authorization: `Bearer ${key}` }
  return (await fetch(`http://127.0.0.1:${port}/v1/notes?search=nothing`, { headers })).text()
}

async function createLine(data: Dataset, server: Server, raw: RawNotes): Promise<Line> {
  const notes = [...corpus(RAW_CREATES, 2)]
  const requests = notes.map((note) => {
    const body = JSON.stringify(note)
    const head = `POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${data.key}`
    return `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  })
  const ours: number[] = []
  const floors: number[] = []
  for (let round = 0; round < RATE_ROUNDS; round++) {
    ours.push((await measureRate(server, requests, 64)).perSecond)
    await whenIndexed(data, server)
    const started = performance.now()
    for (const note of notes) raw.create(note)
    floors.push(RAW_CREATES / ((performance.now() - started) / 1000))
  }
  return {
    what: 'create, 64 clients (floor: raw, one transaction each)',
    ours: perSecond(median(ours)),
    floor: perSecond(median(floors)),
    ratio: ratio(median(ours), median(floors)),
    goal: '≥ 2 ×',
    met: median(ours) >= 2 * median(floors),
  }
}

/** One write alone: the service in this process against the same statements by hand on a copy. */
async function aloneLines(
  data: Dataset,
  raw: RawNotes,
  ids: readonly string[],
  rounds: number,
): Promise<Line[]> {
  const notes = [...corpus(rounds * 4, 3)]
  let at = 0
  const { ctx, caller } = data
  const note = () => notes[at++ % notes.length] ?? { title: '', content: '', tags: [] }
  const created = await interleaved(
    {
      ours: async () =>
        JSON.stringify(
          presentCreated(await ctx.db.write((tx): CreatedNote => createNote(tx, caller, note()))),
        ),
      floor: () => raw.create(note()),
    },
    rounds,
  )
  const appended = await interleaved(
    {
      ours: async () =>
        JSON.stringify(
          presentNote(
            await appendToNote(ctx, caller, ids[at++ % ids.length] ?? '', { text: 'A line more.' }),
          ),
        ),
      floor: () => raw.append((at++ % ids.length) + 1, 'A line more.'),
    },
    rounds,
  )
  return [
    pageLine('create, alone', created.ours, created.floor, GOALS.write),
    pageLine('append, alone', appended.ours, appended.floor, GOALS.write),
  ]
}

const MEASURED_IDS = 500

async function idsOf(data: Dataset): Promise<string[]> {
  return data.ctx.db.sql.column<string>('SELECT id FROM notes ORDER BY pk LIMIT ?', MEASURED_IDS)
}

/** The table for one size. */
async function benchSize(count: number, rounds: number): Promise<{ title: string; lines: Line[] }> {
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
  const raw = new RawNotes(copy)
  const server = await startServer(served)
  const ids = await idsOf(data)
  const lines = [
    await readLine(data, server, ids),
    await createLine(data, server, raw),
    ...(await aloneLines(data, raw, ids, rounds)),
    ...(await pageLines(data, new RawNotes(file), rounds, count)),
  ]
  await server.stop()
  data.close()
  return { title: `Notes, ${count.toLocaleString('en-US')} of about 2 KB`, lines }
}

const MOST_GROWTH = 1.5

function growthLines(small: Section, large: Section): Line[] {
  const grown = large.lines.filter(({ what, cost }) => cost !== undefined && !what.startsWith('search'))
  return grown.map(({ what, cost = Number.NaN }) => {
    const before = small.lines.find((line) => line.what === what)?.cost ?? Number.NaN
    return growthLine(what.replace(/ \(floor.*/, ''), before, cost, MOST_GROWTH)
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
    { title: `Notes, growth from ${from} (floor) to ${to}`, lines: growthLines(small, large) },
  ]
}
