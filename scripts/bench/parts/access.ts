import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'bun'
import { buildWhenStale } from '../../lib/executable.ts'
import { median } from '../measure.ts'
import { milliseconds, type Row, rowOf, type Section } from '../results.ts'
import { processorTime, startServer } from '../servers.ts'

const GOAL = 1.05
const ROWS_IN_BATCH = 500
/** The number of structures outside the narrowed key's access. */
const HIDDEN = 20

interface Request {
  readonly what: string
  /** The number of requests in a round. */
  readonly count: number
  readonly path: (at: number) => string
  readonly body?: object
}

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ data: { what: `row ${at % 20}`, amount: at } }))

const filterOf = (at: number) =>
  encodeURIComponent(JSON.stringify([{ field: 'amount', op: 'lt', value: 100_000 + at }]))

const REQUESTS: readonly Request[] = [
  { what: 'a page of 50 rows', count: 200, path: () => '/v1/records?structure=Rows' },
  {
    what: 'a summary of 10,000 rows',
    count: 20,
    path: (at) => `/v1/records/summary?structure=Rows&field=amount&by=what&filter=${filterOf(at)}`,
  },
  {
    what: `a batch of ${ROWS_IN_BATCH} rows`,
    count: 5,
    path: () => '/v1/records',
    body: { structure: 'Written', rows: rowsOf(ROWS_IN_BATCH) },
  },
]

/** The cost of narrowed access: the same requests with a key for two of many structures, and with a key for all. */
export async function benchAccess(rounds: number): Promise<Section[]> {
  buildWhenStale()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
  const db = join(folder, 'daybook.db')
  const server = await startServer(db, ['--log-level', 'warn'])
  const newKey = (...flags: string[]) =>
    spawnSync(['dist/daybook', 'keys', 'create', '--name', 'bench', '--db', db, ...flags])
      .stdout.toString()
      .trim()
  const send = async (key: string, path: string, body?: object): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
  }
  let sent = 0
  /** Returns the server's processor time for one request. */
  const costOf = async (key: string, { count, path, body }: Request): Promise<number> => {
    const before = processorTime(server)
    for (let at = 0; at < count; at++) await send(key, path(sent++), body)
    return (processorTime(server) - before) / count
  }
  try {
    const full = newKey()
    const fields = [
      { key: 'what', type: 'text' },
      { key: 'amount', type: 'number' },
    ]
    const hidden = Array.from({ length: HIDDEN }, (_, at) => `Hidden ${at}`)
    for (const name of ['Rows', 'Written', ...hidden])
      await send(full, '/v1/records/structures', { name, fields })
    for (let at = 0; at < 20; at++)
      await send(full, '/v1/records', { structure: 'Rows', rows: rowsOf(ROWS_IN_BATCH) })
    const access = ['notes=none', 'files=none', 'Rows=write', 'Written=write', '*=none']
    const narrowed = newKey('--access', [...access, ...hidden.map((name) => `${name}=none`)].join())
    const rows: Row[] = []
    for (const request of REQUESTS) {
      const costs = { [narrowed]: [] as number[], [full]: [] as number[] }
      for (const key of [narrowed, full, narrowed, full]) await costOf(key, request)
      // Alternates the order, so that each key goes first equally often.
      for (let round = 0; round < 2 * rounds; round++)
        for (const key of round % 2 === 0 ? [narrowed, full] : [full, narrowed])
          costs[key]?.push(await costOf(key, request))
      const [daybook, floor] = [median(costs[narrowed] ?? []), median(costs[full] ?? [])]
      rows.push(rowOf({ what: request.what, show: milliseconds, daybook, floor, goal: { maxRatio: GOAL } }))
    }
    const remark =
      'Processor time of the server for one request; the floor is the same request with a key that reaches everything.'
    return [{ title: 'A narrowed key', rows, remark }]
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
