import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/** What a command may touch of the process it runs in. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Results. */
  out(text: string): void
  /** Messages. */
  err(text: string): void
  /** Whether somebody watches the messages as they come. */
  readonly isTerminal: boolean
  /** One line of standard input; on a terminal it is asked for with the prompt and not shown. */
  readSecret(prompt: string): Promise<string>
  /** All of standard input, byte for byte. */
  readAll(): Promise<Buffer>
  /** Settles when the process is asked to end (SIGTERM or SIGINT). */
  untilAskedToEnd(): Promise<void>
  /** From now on the process ends within so long, even when nobody reads its last messages. */
  endWithin(milliseconds: number): void
}

const MOST_WAITING = 8_388_608

/** Messages to a reader that stands still are held back up to 8 MiB; what is said beyond that is lost. */
function messagesTo(stream: NodeJS.WriteStream): (text: string) => void {
  let waiting = 0
  return (text) => {
    if (waiting > MOST_WAITING) return
    waiting += text.length
    stream.write(text, () => {
      waiting -= text.length
    })
  }
}

const SILENT = new Writable({ write: (_chunk, _encoding, done) => done() })

/** readline with `terminal` echoes what is typed to its output, so that gets an output that drops it. */
function readLine(prompt: string): Promise<string> {
  const isTerminal = process.stdin.isTTY === true
  if (isTerminal) process.stderr.write(prompt)
  const lines = createInterface({ input: process.stdin, output: SILENT, terminal: isTerminal })
  return new Promise((resolve) => {
    let answer = ''
    lines.once('line', (line) => {
      answer = line
      lines.close()
    })
    lines.once('close', () => {
      if (isTerminal) process.stderr.write('\n')
      resolve(answer)
    })
  })
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** A second signal ends the process at once: the handlers are gone after the first. */
const nextSignal = () =>
  new Promise<void>((resolve) => {
    const end = () => {
      for (const signal of SIGNALS) process.off(signal, end)
      resolve()
    }
    for (const signal of SIGNALS) process.on(signal, end)
  })

/** The real process. A reader that goes away (`daybook openapi | head`) is no failure. */
export function processIo(): Io {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    err: messagesTo(process.stderr),
    isTerminal: process.stderr.isTTY === true,
    readSecret: readLine,
    readAll: async () => Buffer.from(await Bun.stdin.arrayBuffer()),
    untilAskedToEnd: nextSignal,
    endWithin: (milliseconds) => void setTimeout(() => process.exit(), milliseconds).unref(),
  }
}
