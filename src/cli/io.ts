import { readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { systemClock } from '../lib/clock.ts'

/** The parts of the process that commands use. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Writes results to stdout. */
  out(text: string): void
  /**
   * Writes data to stdout unchanged. Resolves when there is room for more, to false once the reader has closed the
   * stream.
   */
  write(data: Uint8Array): Promise<boolean>
  /** Writes messages to stderr. */
  err(text: string): void
  /** Writes a message that `--quiet` suppresses: results and progress. */
  status(text: string): void
  /** Whether stderr is a terminal. */
  readonly isTerminal: boolean
  /** Whether stdin is a terminal. */
  readonly isInputTerminal: boolean
  /** Reads one line of stdin; a terminal shows the prompt without echoing the input. */
  readSecret(prompt: string): Promise<string>
  readAll(): Promise<Buffer>
  readChunks(): AsyncIterable<Uint8Array>
  /** Resolves when the process receives SIGTERM, SIGINT or SIGHUP. */
  untilSignal(): Promise<void>
  /**
   * Lowers the priority of this process on the processor and, where the system derives it, on the disk, so that a
   * server beside it has precedence.
   */
  yieldProcessor(): void
  /** Ends the process after this time at the latest, with its exit code or this one, even if work is pending. */
  endWithin(milliseconds: number, exitCode?: number): void
  /**
   * Kills the process after this time and keeps it alive until then. Nothing is closed, because closing would wait
   * for the disk.
   */
  killAfter(milliseconds: number): void
}

const MAX_BUFFERED = 8_388_608

/** Buffers up to 8 MiB for a reader that has stopped reading; messages beyond that are dropped. */
function messagesTo(stream: NodeJS.WriteStream): (text: string) => void {
  let buffered = 0
  return (text) => {
    if (buffered > MAX_BUFFERED) return
    buffered += text.length
    stream.write(text, () => {
      buffered -= text.length
    })
  }
}

/** With `terminal`, readline echoes the input to its output; this output drops it. */
async function readLine(prompt: string): Promise<string> {
  // Imported on demand: servers never prompt, and would start later.
  const [{ createInterface }, { Writable }] = await Promise.all([
    import('node:readline'),
    import('node:stream'),
  ])
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const isTerminal = process.stdin.isTTY === true
  if (isTerminal) process.stderr.write(prompt)
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal })
  return new Promise((resolve) => {
    let line = ''
    lines.once('line', (text) => {
      line = text
      lines.close()
    })
    lines.once('close', () => {
      if (isTerminal) process.stderr.write('\n')
      resolve(line)
    })
  })
}

/** Whether the process was started to outlive its terminal, as by nohup; only Linux reports it. */
function ignoresHangup(): boolean {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'
    return (Number.parseInt(mask.slice(-1), 16) & 1) === 1
  } catch {
    return false
  }
}

const SIGNALS: readonly NodeJS.Signals[] = ignoresHangup()
  ? ['SIGTERM', 'SIGINT']
  : ['SIGTERM', 'SIGINT', 'SIGHUP']

/**
 * A terminal sends its signals to every process of a command, and wrapper programs forward them again: signals within
 * this time count as one. A later one ends the process at once.
 */
const ONE_SIGNAL_MS = 1_000

const nextSignal = () =>
  new Promise<void>((resolve) => {
    const end = () => {
      resolve()
      const stop = systemClock.every(ONE_SIGNAL_MS, () => {
        stop()
        for (const signal of SIGNALS) process.off(signal, end)
      })
    }
    for (const signal of SIGNALS) process.on(signal, end)
  })

/** The actual process. A reader that closes the pipe, as in `daybook openapi | head`, is not an error. */
export function processIo(): Io {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const err = messagesTo(process.stderr)
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    write: (data) => new Promise((done) => process.stdout.write(data, (error) => done(!error))),
    err,
    status: err,
    isTerminal: process.stderr.isTTY === true,
    isInputTerminal: process.stdin.isTTY === true,
    readChunks: () => process.stdin,
    readSecret: readLine,
    readAll: async () => Buffer.from(await Bun.stdin.arrayBuffer()),
    untilSignal: nextSignal,
    yieldProcessor: () => {
      try {
        setPriority(constants.priority.PRIORITY_LOW)
      } catch {
        // Some systems do not permit it.
      }
    },
    endWithin: (milliseconds, exitCode) => void systemClock.every(milliseconds, () => process.exit(exitCode)),
    killAfter: (milliseconds) =>
      void systemClock.after(milliseconds, () => process.kill(process.pid, 'SIGKILL')),
  }
}
