import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Times } from './measure.ts'

export interface Server {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

const TICK_MS = 10

/** Returns the nanoseconds of a thread; 0 once it has ended. */
function ofThread(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    return 0
  }
}

/**
 * Returns the processor time of all threads of a process, in milliseconds. The resolution is a nanosecond for running
 * threads, and 10 ms if threads have ended.
 */
export function processorTime({ pid }: Server): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const running = threads.reduce((sum, thread) => sum + ofThread(pid, thread), 0) / 1e6
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Math.max(running, (Number(fields[11]) + Number(fields[12])) * TICK_MS)
}

/** A server is idle once it uses less processor time than this in one interval. */
const RESTING_MS = 15
const REST_INTERVAL_MS = 500
const MAX_REST_CHECKS = 40

/** Resolves once a server has finished its work after a start or after responses. */
export async function untilAtRest(server: Server): Promise<void> {
  for (let checks = 0; checks < MAX_REST_CHECKS; checks++) {
    const before = processorTime(server)
    await Bun.sleep(REST_INTERVAL_MS)
    if (processorTime(server) - before < RESTING_MS) return
  }
}

/** Returns the resident memory of a process in MiB; 0 once it has ended. */
export function residentMiB(pid: number): number {
  const status = `/proc/${pid}/status`
  if (!existsSync(status)) return 0
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1] ?? 0) / 1_024
}

const ROOT = join(import.meta.dir, '..', '..')
const READY = /listening on http:\/\/[^:]+:(\d+)/

async function whenReady(process: Bun.Subprocess<'ignore', 'pipe', 'ignore'>): Promise<Server> {
  let output = ''
  for await (const chunk of process.stdout) {
    output += Buffer.from(chunk).toString()
    const port = READY.exec(output)?.[1]
    if (port === undefined) continue
    return {
      port: Number(port),
      pid: process.pid,
      stop: async () => {
        process.kill('SIGTERM')
        await process.exited
      },
    }
  }
  throw new Error(`the server did not start: ${output}`)
}

/** Starts the executable on a database, with its request log as shipped. */
export const startServer = (file: string, flags: readonly string[] = []): Promise<Server> =>
  whenReady(
    Bun.spawn([join(ROOT, 'dist', 'daybook'), 'serve', '--db', file, '--port', '0', ...flags], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    }),
  )

/** Starts the baseline of reads over HTTP: a separate process whose `Bun.serve` always responds with these bytes. */
export function startBareServer(answer: string): Promise<Server> {
  const program = `const body = ${JSON.stringify(answer)}
    const headers = { 'content-type': 'application/json' }
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(body, { headers }) })
    console.log('listening on http://127.0.0.1:' + server.port)`
  return whenReady(
    Bun.spawn([process.execPath, '-e', program], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' }),
  )
}

const startProgram = (name: string, ...args: readonly string[]): Promise<Server> =>
  whenReady(
    Bun.spawn([process.execPath, join(import.meta.dir, 'processes', name), ...args], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    }),
  )

/** Starts the floor of single requests, on a new file with the rows and notes of a daybook database. */
export const startFloor = (source: string, file: string): Promise<Server> =>
  startProgram('floor.ts', source, file)

/** Starts the baseline for notifying many readers. */
export const startBareStreams = (): Promise<Server> => startProgram('bare-streams.ts')

export interface Rate extends Times {
  /** The number of completed requests. */
  count: number
  perSecond: number
  failed: number
}

const SECONDS = 3

/** Sends the requests in rotation over `connections` connections for the given seconds. */
export async function measureRate(
  { port }: Server,
  requests: readonly string[],
  connections: number,
  seconds = SECONDS,
): Promise<Rate> {
  const load = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, 'processes', 'load-generator.ts'),
      String(port),
      String(connections),
      String(seconds),
    ],
    { stdin: new Blob([JSON.stringify(requests)]), stdout: 'pipe', stderr: 'inherit' },
  )
  const rate = (await new Response(load.stdout).json()) as Rate
  if (rate.failed > 0) throw new Error(`${rate.failed} requests of the load failed`)
  return rate
}
