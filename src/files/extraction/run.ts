import { ownCommand } from '../../lib/program.ts'
import { LIMITS, type Limits, type Line } from './child.ts'
import { type Extracted, MOST_CHARACTERS } from './document.ts'
import type { Kind } from './kinds.ts'
import type { Result } from './worker.ts'

/** The child keeps its limits itself; one that does not is killed so much later. */
const GRACE_MS = 5_000

/** JSON writes a character in six at most. */
const MOST_OUTPUT = 6 * MOST_CHARACTERS

const broken = { failed: 'The file cannot be read; it may be damaged or too large.' }

/** A child process that reads the text of one file. */
export interface Extraction {
  /** Undefined when it was stopped. */
  readonly result: Promise<Result | undefined>
  stop(): void
}

/**
 * Reads the text of a file in a process of its own, with no environment and nothing but the bytes of the file.
 * `parts` are read as the child takes them. Whatever the file does, it ends within the limits.
 */
export function startExtraction(
  kind: Kind,
  parts: Iterable<Uint8Array>,
  limits: Limits = LIMITS,
): Extraction {
  const command = [...ownCommand(), 'extract', kind, String(limits.seconds), String(limits.mebibytes)]
  const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'ignore', env: {} })
  const kill = () => child.kill('SIGKILL')
  const timer = setTimeout(kill, limits.seconds * 1_000 + GRACE_MS)
  let isStopped = false
  const result = async () => {
    try {
      const [found] = await Promise.all([collect(child.stdout, kill), feed(child.stdin, parts)])
      return isStopped ? undefined : found
    } finally {
      kill()
      clearTimeout(timer)
      await child.exited
    }
  }
  return {
    result: result(),
    stop: () => {
      isStopped = true
      kill()
    },
  }
}

/** A child that has ended takes no more. */
async function feed(stdin: Bun.FileSink, parts: Iterable<Uint8Array>): Promise<void> {
  try {
    for (const part of parts) {
      await stdin.write(part)
      await stdin.flush()
    }
    await stdin.end()
  } catch {
    // What it printed says why it ended.
  }
}

async function collect(stdout: ReadableStream<Uint8Array>, kill: () => void): Promise<Result> {
  const pages: string[] = []
  let size = 0
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of stdout) {
    size += chunk.length
    if (size > MOST_OUTPUT) kill()
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) {
      const line = JSON.parse(text) as Line
      if ('page' in line) pages.push(line.page)
      else return 'failed' in line ? line : ({ pages, outline: line.outline } satisfies Extracted)
    }
  }
  return broken
}
