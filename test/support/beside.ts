import { readFileSync } from 'node:fs'
import type { ServerProcess } from './process.ts'

/** Small requests of another key that were served during an operation, and the server's cost meanwhile. */
export interface Beside {
  readonly reads: number
  readonly writes: number
  readonly failed: number
  /** The longest time that the main thread worked while a single read waited. */
  readonly longestMs: number
  /** Processor time of the main thread, and of the whole server process. */
  readonly mainMs: number
  readonly allMs: number
}

const CLOCK_TICK_MS = 10

function processorMs(path: string): number {
  const stat = readFileSync(path, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS
}

/** Sends small reads and small writes one after another, for as long as the operation runs. */
export async function runBeside(
  server: ServerProcess,
  { key, note, row }: { key: string; note: string; row: string },
  operation: () => Promise<unknown>,
): Promise<Beside> {
  const other = server.as(key)
  const used = () => ({
    main: processorMs(`/proc/${server.pid}/task/${server.pid}/stat`),
    all: processorMs(`/proc/${server.pid}/stat`),
  })
  let isOver = false
  let failed = 0
  let longestMs = 0
  const read = async () => {
    const start = used().main
    const response = await other.get(`/v1/notes/${note}`)
    longestMs = Math.max(longestMs, used().main - start)
    return response
  }
  const repeat = async (send: (at: number) => Promise<{ status: number }>): Promise<number> => {
    for (let count = 0; ; count++) {
      const { status } = await send(count)
      if (isOver) return count
      if (status !== 200) failed += 1
    }
  }
  const before = used()
  const reading = repeat(read)
  const writing = repeat((n) => other.patch(`/v1/records/${row}`, { data: { n } }))
  await operation().finally(() => {
    isOver = true
  })
  const after = used()
  const [reads, writes] = await Promise.all([reading, writing])
  return { reads, writes, failed, longestMs, mainMs: after.main - before.main, allMs: after.all - before.all }
}
