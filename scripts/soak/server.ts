import { dirname } from 'node:path'
import { type Subprocess, spawn } from 'bun'
import type { Outcome } from '../../test/support/process.ts'
import type { FaultWindows } from './faults/windows.ts'
import type { Violations } from './report.ts'

export type Child = Subprocess<'ignore', 'pipe', 'pipe'>

/** The executable, with a database and an environment. */
export class Program {
  constructor(
    readonly executable: string,
    readonly db: string,
    /** The complete environment of its processes. */
    readonly env: Record<string, string>,
  ) {}

  /** The same program on another database. */
  on(db: string): Program {
    return new Program(this.executable, db, this.env)
  }

  start(args: readonly string[]): Child {
    return spawn([this.executable, ...args, '--db', this.db], {
      cwd: dirname(this.executable),
      env: this.env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
  }

  /** Runs one command to its end. */
  async run(...args: string[]): Promise<Outcome> {
    const child = this.start(args)
    const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { exitCode, out, err }
  }
}

const STOP_WITHIN_MS = 15_000
const READY_WITHIN_MS = 30_000

/** Calls `onLine` for each line of a stream. */
async function eachLine(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    const lines = (text + decoder.decode(chunk, { stream: true })).split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  }
}

export interface ServerOptions {
  readonly program: Program
  readonly args: readonly string[]
  /** If absent, any free port at each start. */
  readonly port?: number
  readonly faultWindows: FaultWindows
  readonly violations: Violations
}

/** The server under test: one process after another on the same database. */
export class Server {
  readonly #options: ServerOptions
  #child: Child | undefined
  #isStopping = true
  #lastLines: string[] = []
  #up = Promise.withResolvers<string>()
  /** The write key that the first start printed. */
  key = ''

  constructor(options: ServerOptions) {
    this.#options = options
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** The address of the running process; pending while none is running. */
  get url(): Promise<string> {
    return this.#up.promise
  }

  async start(): Promise<void> {
    const { program, args, port = 0 } = this.#options
    const child = program.start(['serve', '--port', String(port), '--log-level', 'warn', ...args])
    this.#child = child
    this.#isStopping = false
    this.#lastLines = []
    void child.exited.then(() => this.#onExit(child))
    void eachLine(child.stderr, (line) => this.#onMessage(line))
    const ready = Promise.withResolvers<string>()
    void eachLine(child.stdout, (line) => ready.resolve(/listening on (http:\S+)/.exec(line)?.[1] ?? ''))
    const tooLate = Bun.sleep(READY_WITHIN_MS).then(() => '')
    const url = await Promise.race([ready.promise, child.exited.then(() => ''), tooLate])
    if (url === '') throw new Error(`the server did not start: ${this.#lastLines.join('\n')}`)
    while (this.key === '') await Bun.sleep(5)
    this.#up.resolve(url)
  }

  async kill(): Promise<void> {
    const child = this.#signal('SIGKILL')
    await child?.exited
  }

  /** Sends SIGTERM and checks that the process stops cleanly. */
  async stop(): Promise<void> {
    const { violations } = this.#options
    const begin = performance.now()
    const child = this.#signal('SIGTERM')
    if (!child) return
    const timeout = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
    const exitCode = await child.exited
    clearTimeout(timeout)
    const seconds = Math.round((performance.now() - begin) / 1_000)
    if (exitCode !== 0)
      violations.add('process', `SIGTERM ended it with ${exitCode} after ${seconds} s: ${this.#lastLines}`)
  }

  #signal(signal: 'SIGKILL' | 'SIGTERM'): Child | undefined {
    const child = this.#child
    this.#isStopping = true
    this.#up = Promise.withResolvers()
    child?.kill(signal)
    return child
  }

  #onMessage(line: string): void {
    this.key ||= /dbk_[\w-]{43}/.exec(line)?.[0] ?? ''
    this.#lastLines = [...this.#lastLines.slice(-4), line]
    const isExpected = this.#options.faultWindows.overlaps(performance.now())
    if (line.includes('"level":"error"') && !isExpected) this.#options.violations.add('process', line)
  }

  /** Records an unexpected exit as a violation and starts another process. */
  async #onExit(child: Child): Promise<void> {
    if (this.#isStopping || child !== this.#child) return
    const { violations, faultWindows } = this.#options
    violations.add(
      'process',
      `it exited by itself with ${child.exitCode ?? child.signalCode}: ${this.#lastLines}`,
    )
    const over = faultWindows.begin()
    this.#up = Promise.withResolvers()
    await this.start().finally(over)
  }
}
