import { join } from 'node:path'
import { spawnSync } from 'bun'
import { temporaryFolder } from '../dataset.ts'
import { median } from '../measure.ts'
import { milliseconds, perSecond, type Row, type Section } from '../results.ts'
import {
  measureRate,
  processorTime,
  type Rate,
  type Server,
  startBareWrites,
  startServer,
  untilAtRest,
} from '../servers.ts'
import { memoryRow, processSection } from './process.ts'

const ROWS_PER_BATCH = 500
const NOTE_LENGTH = 2_000
/** A server that has been idle for a moment gives memory back. */
const AFTER_MS = 5_000

interface Variant {
  readonly server: Server
  readonly key: string
  readonly ids: readonly string[]
}

interface Write {
  readonly what: string
  readonly clients: number
  readonly goal: { readonly perSecond: number; readonly processorMs: number }
  readonly request: (variant: Variant, at: number) => string
}

interface Measured {
  readonly rate: Rate
  /** Processor time of the whole process for a request, until the last response and until the server is at rest. */
  readonly beforeResponse: number
  readonly inAll: number
}

/** The load generator puts another number of as many digits here each time. */
const NUMBER = '#########'

function request({ key }: Variant, method: string, path: string, body: object): string {
  const text = JSON.stringify(body).replaceAll(`"${NUMBER}"`, NUMBER)
  const headers = ['Host: localhost', `Authorization: Bearer ${key}`, `Content-Length: ${text.length}`]
  return [`${method} ${path} HTTP/1.1`, ...headers, '', text].join('\r\n')
}

const rowOf = (at: number) => ({ name: `Row number ${at} of the list`, amount: at / 7 })
const update = (variant: Variant, at: number) =>
  request(variant, 'PATCH', `/v1/records/${variant.ids[at % variant.ids.length]}`, {
    data: { amount: NUMBER },
  })
const create = (variant: Variant, at: number) =>
  request(variant, 'POST', '/v1/records', { structure: 'Rows', data: rowOf(at) })
const createNote = (variant: Variant, at: number) =>
  request(variant, 'POST', '/v1/notes', {
    title: `Note ${at}`,
    content: `word ${at % 100} `.repeat(250).slice(0, NOTE_LENGTH),
  })

const ALONE = { perSecond: 2_400, processorMs: 0.35 }
const WRITES: readonly Write[] = [
  { what: 'update a row, 1 client', clients: 1, goal: ALONE, request: update },
  { what: 'create a row, 1 client', clients: 1, goal: ALONE, request: create },
  {
    what: 'create a note of 2 KB, 2 clients',
    clients: 2,
    goal: { ...ALONE, perSecond: 4_000 },
    request: createNote,
  },
  {
    what: 'update a row, 64 clients',
    clients: 64,
    goal: { perSecond: 8_600, processorMs: 0.22 },
    request: update,
  },
  {
    what: 'create a row, 64 clients',
    clients: 64,
    goal: { perSecond: 8_000, processorMs: 0.22 },
    request: create,
  },
]

/** Makes the structure, and so many rows. */
async function fill(server: Server, key: string, rows: number): Promise<Variant> {
  const send = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as { records?: { id: string }[] }
  }
  if (key !== '') {
    const fields = [
      { key: 'name', type: 'text' },
      { key: 'amount', type: 'number' },
    ]
    await send('/v1/records/structures', { name: 'Rows', fields })
  }
  const ids: string[] = []
  while (ids.length < rows) {
    const batch = Array.from({ length: ROWS_PER_BATCH }, (_, at) => ({ data: rowOf(ids.length + at) }))
    const { records = [] } = await send('/v1/records', { structure: 'Rows', rows: batch })
    ids.push(...records.map(({ id }) => id))
  }
  return { server, key, ids }
}

async function measure(variant: Variant, { clients, request: make }: Write): Promise<Measured> {
  const { server } = variant
  const requests = Array.from({ length: 997 }, (_, at) => make(variant, at * 31))
  const before = processorTime(server)
  const rate = await measureRate(server, requests, clients)
  const responded = processorTime(server)
  await untilAtRest(server)
  const inAll = (processorTime(server) - before) / rate.count
  return { rate, beforeResponse: (responded - before) / rate.count, inAll }
}

const usual = (measured: readonly Measured[], value: (one: Measured) => number) => median(measured.map(value))
const processor = (one: Measured) => one.inAll
const text = (all: readonly Measured[]): string =>
  [
    perSecond(usual(all, ({ rate }) => rate.perSecond)),
    milliseconds(usual(all, ({ rate }) => rate.median)),
    `processor ${milliseconds(usual(all, processor))}, before the response ${milliseconds(usual(all, (one) => one.beforeResponse))}`,
  ].join(', ')

function rowOfTable({ what, goal }: Write, daybook: readonly Measured[], floor: readonly Measured[]): Row {
  return {
    what,
    daybook: text(daybook),
    floor: text(floor),
    ratio: (usual(daybook, processor) / usual(floor, processor)).toFixed(2),
    goal: `≥ ${perSecond(goal.perSecond)}, processor ≤ ${milliseconds(goal.processorMs)}`,
    met:
      usual(daybook, ({ rate }) => rate.perSecond) >= goal.perSecond &&
      usual(daybook, processor) <= goal.processorMs,
  }
}

/** Single writes, in turn with those of a bare server that runs the same statements. */
export async function benchWrites(rows: number, rounds: number): Promise<Section[]> {
  const folder = temporaryFolder()
  const file = join(folder, 'writes.db')
  const server = await startServer(file)
  const key = spawnSync(['dist/daybook', 'keys', 'create', '--name', 'bench', '--db', file])
    .stdout.toString()
    .trim()
  const bare = await startBareWrites(join(folder, 'bare.db'))
  const variants = [await fill(server, key, rows), await fill(bare, '', rows)] as const
  const table: Row[] = []
  for (const write of WRITES) {
    const measured: [Measured[], Measured[]] = [[], []]
    // The first round warms up, and is not counted.
    for (let round = 0; round <= rounds; round++)
      for (const [at, variant] of variants.entries()) {
        const one = await measure(variant, write)
        if (round > 0) measured[at]?.push(one)
      }
    table.push(rowOfTable(write, ...measured))
  }
  await Bun.sleep(AFTER_MS)
  table.push(memoryRow(`memory, ${AFTER_MS / 1_000} s after all these writes`, server, bare))
  await Promise.all([server.stop(), bare.stop()])
  const others = await processSection({ file, key })
  const remark =
    'The floor is a bare `Bun.serve` with raw `bun:sqlite`, FULL, that runs the same statements. The ratio is that of processor time in all, until the server is at rest.'
  return [{ title: `Single writes beside ${rows.toLocaleString('en-US')} rows`, rows: table, remark }, others]
}
