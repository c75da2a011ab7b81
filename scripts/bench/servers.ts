import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Times } from './measure.ts'

export interface Server {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

/** The processor time that all threads of a process have taken, in milliseconds. */
export function processorTime({ pid }: Server): number {
  const tasks = `/proc/${pid}/task`
  const nanoseconds = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6
}

/** A server is at rest once it takes less than this in so long. */
const RESTING_MS = 15
const REST_INTERVAL_MS = 500
const MAX_REST_CHECKS = 40

/** Resolves once a server has done what it does after a start or after responses. */
export async function untilAtRest(server: Server): Promise<void> {
  for (let checks = 0; checks < MAX_REST_CHECKS; checks++) {
    const before = processorTime(server)
    await Bun.sleep(REST_INTERVAL_MS)
    if (processorTime(server) - before < RESTING_MS) return
  }
}

/** What a process takes in memory now, in MiB; 0 once it has ended. */
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

/** The baseline of reads over HTTP: a separate process with a `Bun.serve` that responds to everything with these bytes. */
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

/** The baseline of single writes over HTTP, on a new file. */
export const startBareWrites = (file: string): Promise<Server> => startProgram('bare-writes.ts', file)

/** The baseline of telling many readers. */
export const startBareStreams = (): Promise<Server> => startProgram('bare-streams.ts')

export interface Rate extends Times {
  /** How many requests were answered. */
  count: number
  perSecond: number
  failed: number
}

const SECONDS = 3

/** Sends the requests in turn over `connections` connections for three seconds. */
export async function measureRate(
  { port }: Server,
  requests: readonly string[],
  connections: number,
): Promise<Rate> {
  const load = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, 'processes', 'load-generator.ts'),
      String(port),
      String(connections),
      String(SECONDS),
    ],
    { stdin: new Blob([JSON.stringify(requests)]), stdout: 'pipe', stderr: 'inherit' },
  )
  const rate = (await new Response(load.stdout).json()) as Rate
  if (rate.failed > 0) throw new Error(`${rate.failed} requests of the load failed`)
  return rate
}
