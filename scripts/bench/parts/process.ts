import { median } from '../measure.ts'
import { counted, milliseconds, type Row, type Section } from '../results.ts'
import { residentMiB, type Server, startBareServer, startBareStreams, startServer } from '../servers.ts'
import { type Bench, begin, requestOf, startReaders, writeOf } from '../stream-readers.ts'

/** A database with a structure `Rows`, and a key for it. */
export interface Filled {
  readonly file: string
  readonly key: string
}

const STARTS = 15
const WATCHERS = 1_000
const TOLD = 25
/** As long as a watch collects changes. */
const MERGE_MS = 250
const BETWEEN_MS = 600

async function firstResponse(start: () => Promise<Server>, path: string, key: string): Promise<number> {
  const startedAt = performance.now()
  const server = await start()
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await response.text()
  const took = performance.now() - startedAt
  if (!response.ok) throw new Error(`the first page is a ${response.status}`)
  await server.stop()
  return took
}

/** From the start of the process to a page of 50 rows; the floor is a bare `Bun.serve` in another process. */
async function startRow({ file, key }: Filled): Promise<Row> {
  const [daybook, floor]: [number[], number[]] = [[], []]
  for (let round = 0; round < STARTS; round++) {
    daybook.push(await firstResponse(() => startServer(file), '/v1/records?structure=Rows&limit=50', key))
    floor.push(await firstResponse(() => startBareServer('{}'), '/', ''))
  }
  const [ours, bare] = [median(daybook), median(floor)]
  return {
    what: 'from the start of the process to the first page of rows',
    daybook: milliseconds(ours),
    floor: milliseconds(bare),
    ratio: (ours / bare).toFixed(2),
    goal: '≤ 75 ms',
    met: ours <= 75,
  }
}

/** What two processes take in memory now. */
export function memoryRow(what: string, daybook: Server, floor: Server): Row {
  const [ours, bare] = [residentMiB(daybook.pid), residentMiB(floor.pid)]
  return {
    what,
    daybook: `${ours.toFixed(0)} MiB`,
    floor: `${bare.toFixed(0)} MiB`,
    ratio: (ours / bare).toFixed(2),
    goal: '≤ 140 MiB',
    met: ours <= 140,
  }
}

/** From the response to a write to the last of many readers of one query, less the time in which changes are collected. */
async function toldWithin(bench: Bench): Promise<number> {
  const write = async (n: number): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${bench.server.port}/v1/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bench.key}` },
      body: writeOf(n),
    })
    const at = performance.timeOrigin + performance.now()
    await response.text()
    return at
  }
  await write(0)
  const query = new URLSearchParams({ structure: 'ticks', limit: '1' })
  const watch = requestOf(bench, 'GET', `/v1/records/watch?${query}`)
  const readers = await startReaders(bench, WATCHERS, [watch], 'answer')
  const writtenAt = new Map<number, number>()
  for (let n = 1; n <= TOLD; n++) {
    writtenAt.set(n, await write(n))
    await Bun.sleep(BETWEEN_MS)
  }
  const arrivals = await readers.end()
  await bench.server.stop()
  // The first ones warm up.
  return median(
    arrivals.filter(({ n }) => n > TOLD / 5).map(({ n, at }) => at - (writtenAt.get(n) ?? 0) - MERGE_MS),
  )
}

async function watchersRow(): Promise<Row> {
  const ours = await toldWithin(await begin())
  const bare = await toldWithin({ server: await startBareStreams(), key: '' })
  return {
    what: `${counted(WATCHERS, 'watcher')} of one query told, beyond the time in which changes are collected`,
    daybook: milliseconds(ours),
    floor: milliseconds(bare),
    ratio: (ours / bare).toFixed(2),
    goal: '≤ 14 ms',
    met: ours <= 14,
  }
}

/** How soon a server is there, and how soon it tells many readers. */
export async function processSection(filled: Filled): Promise<Section> {
  return {
    title: 'Start, and many readers',
    rows: [await startRow(filled), await watchersRow()],
    remark:
      'The floors are bare `Bun.serve` processes: one that responds to everything, and one that writes to streams.',
  }
}
