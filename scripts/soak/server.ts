import type { Disturbances } from './disturbances.ts'
import type { Findings } from './findings.ts'
import type { Child, Program } from './program.ts'

const STOP_WITHIN_MS = 15_000
const READY_WITHIN_MS = 30_000

/** Hands on each line of a stream. */
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
  readonly disturbances: Disturbances
  readonly findings: Findings
}

/** The server that is soaked: one process after another on the same database. */
export class Server {
  readonly #options: ServerOptions
  #child: Child | undefined
  #isTold = true
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

  /** The address of the process that runs, as soon as one does. */
  get url(): Promise<string> {
    return this.#up.promise
  }

  async start(): Promise<void> {
    const { program, args } = this.#options
    const child = program.start(['serve', '--port', '0', '--log-level', 'warn', ...args])
    this.#child = child
    this.#isTold = false
    this.#lastLines = []
    void child.exited.then(() => this.#onExit(child))
    void eachLine(child.stderr, (line) => this.#onMessage(line))
    const ready = Promise.withResolvers<string>()
    void eachLine(child.stdout, (line) => ready.resolve(/listening on (http:\S+)/.exec(line)?.[1] ?? ''))
    const late = Bun.sleep(READY_WITHIN_MS).then(() => '')
    const url = await Promise.race([ready.promise, child.exited.then(() => ''), late])
    if (url === '') throw new Error(`the server did not start: ${this.#lastLines.join('\n')}`)
    while (this.key === '') await Bun.sleep(5)
    this.#up.resolve(url)
  }

  /** Ends it without a word. */
  async kill(): Promise<void> {
    const child = this.#tell('SIGKILL')
    await child?.exited
  }

  /** Asks it to end, as an operator does, and sees that it does so in order. */
  async stop(): Promise<void> {
    const { findings } = this.#options
    const begin = performance.now()
    const child = this.#tell('SIGTERM')
    if (!child) return
    const patience = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
    const exitCode = await child.exited
    clearTimeout(patience)
    const seconds = Math.round((performance.now() - begin) / 1_000)
    if (exitCode !== 0)
      findings.add('process', `SIGTERM ended it with ${exitCode} after ${seconds} s: ${this.#lastLines}`)
  }

  #tell(signal: 'SIGKILL' | 'SIGTERM'): Child | undefined {
    const child = this.#child
    this.#isTold = true
    this.#up = Promise.withResolvers()
    child?.kill(signal)
    return child
  }

  #onMessage(line: string): void {
    this.key ||= /dbk_[\w-]{43}/.exec(line)?.[0] ?? ''
    this.#lastLines = [...this.#lastLines.slice(-4), line]
    const isExcused = this.#options.disturbances.since(performance.now())
    if (line.includes('"level":"error"') && !isExcused) this.#options.findings.add('process', line)
  }

  /** One that ended by itself is a finding; the next one takes its place. */
  async #onExit(child: Child): Promise<void> {
    if (this.#isTold || child !== this.#child) return
    const { findings, disturbances } = this.#options
    findings.add(
      'process',
      `it ended by itself with ${child.exitCode ?? child.signalCode}: ${this.#lastLines}`,
    )
    const over = disturbances.begin()
    this.#up = Promise.withResolvers()
    await this.start().finally(over)
  }
}
