import { median } from '../measure.ts'
import { milliseconds, type Row, rowOf } from '../results.ts'
import { residentMiB, type Server, startBareServer, startServer } from '../servers.ts'

/** A database with rows of a structure, and a key for it. */
export interface Filled {
  readonly file: string
  readonly key: string
  readonly structure: string
}

const STARTS = 9
const MAX_START_MS = 100
/** Idle milliseconds after which a server has released memory, also that of the jobs that run 5 s after its start. */
const IDLE_MS = 10_000
const MAX_IDLE_MIB = 70
const MAX_USED_MIB = 140

async function firstResponse(server: Server, path: string, key: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await response.text()
  if (!response.ok) throw new Error(`the first page is a ${response.status}`)
}

async function startTime(start: () => Promise<Server>, path: string, key: string): Promise<number> {
  const startedAt = performance.now()
  const server = await start()
  await firstResponse(server, path, key)
  const took = performance.now() - startedAt
  await server.stop()
  return took
}

const mebibytes = (value: number) => `${value.toFixed(0)} MiB`

/** Measures from process start to a page of 50 rows, and the memory then; the floor is a bare `Bun.serve`. */
export async function startRows({ file, key, structure }: Filled): Promise<Row[]> {
  const path = `/v1/records?structure=${structure}&limit=50`
  const [daybook, floor]: [number[], number[]] = [[], []]
  for (let round = 0; round < STARTS; round++) {
    daybook.push(await startTime(() => startServer(file), path, key))
    floor.push(await startTime(() => startBareServer('{}'), '/', ''))
  }
  const [server, bare] = [await startServer(file), await startBareServer('{}')]
  await firstResponse(server, path, key)
  await firstResponse(bare, '/', '')
  const idle = await memoryRow('memory, idle after the first page', MAX_IDLE_MIB, server, bare)
  await Promise.all([server.stop(), bare.stop()])
  const start = rowOf({
    what: 'from the start of the process to the first page of rows',
    show: milliseconds,
    daybook: median(daybook),
    floor: median(floor),
    goal: { max: MAX_START_MS },
  })
  return [start, idle]
}

async function memoryRow(what: string, max: number, server: Server, floor: Server): Promise<Row> {
  await Bun.sleep(IDLE_MS)
  const [daybook, bare] = [residentMiB(server.pid), residentMiB(floor.pid)]
  return rowOf({ what, show: mebibytes, daybook, floor: bare, goal: { max } })
}

export const usedMemoryRow = (server: Server, floor: Server): Promise<Row> =>
  memoryRow('memory after all these requests', MAX_USED_MIB, server, floor)
