import { constants, setPriority } from 'node:os'
import { ownCommand, workerProgram } from '../../lib/program.ts'
import type { Kind } from './kinds.ts'
import { type ExtractedText, MAX_CHARACTERS, type Section } from './pages.ts'
import type { ExtractionResult, Task } from './worker.ts'

/*
 * A file is read in a child process, which starts a worker: a hostile file may make the worker hang or take too much
 * memory, and the child exits nevertheless. First the child's side, then the server's.
 */

/** The time and memory that reading one file may take. */
export interface Limits {
  readonly seconds: number
  readonly mebibytes: number
}

export const DEFAULT_LIMITS: Limits = { seconds: 60, mebibytes: 512 }

/** A line of the child's output: one for each page, then the outline, or else the reason for the failure. */
type Line = { readonly page: string } | { readonly outline: Section[] } | { readonly failed: string }

const CHECK_LIMITS_MS = 20
const MEBIBYTE = 1_048_576

/** Resolves with the reason when a limit is exceeded. */
function watchLimits({ seconds, mebibytes }: Limits): Promise<ExtractionResult> {
  const { promise, resolve } = Promise.withResolvers<ExtractionResult>()
  const started = performance.now()
  setInterval(() => {
    if (process.memoryUsage.rss() > mebibytes * MEBIBYTE)
      resolve({ failed: `Reading the text took more than ${mebibytes} MiB of memory.` })
    if (performance.now() - started > seconds * 1_000)
      resolve({ failed: `Reading the text took longer than ${seconds} seconds.` })
  }, CHECK_LIMITS_MS)
  return promise
}

function readInWorker(task: Task): Promise<ExtractionResult> {
  const { promise, resolve } = Promise.withResolvers<ExtractionResult>()
  const worker = new Worker(workerProgram('files/extraction/worker.ts'))
  worker.onmessage = ({ data }: MessageEvent<ExtractionResult>) => resolve(data)
  worker.onerror = () => resolve({ failed: 'The file cannot be read; it may be damaged.' })
  worker.postMessage(task)
  return promise
}

function linesOf(result: ExtractionResult): Line[] {
  if ('failed' in result) return [result]
  return [...result.pages.map((page) => ({ page })), { outline: result.outline }]
}

const print = (text: string) => new Promise<void>((resolve) => process.stdout.write(text, () => resolve()))

/**
 * Runs the child process: reads a file of this kind from standard input, prints its text as lines of JSON, and exits
 * within the limits, even when the worker hangs.
 */
export async function runExtraction(kind: Kind, limits: Limits): Promise<never> {
  // The server has priority over it.
  setPriority(constants.priority.PRIORITY_LOW)
  const limitExceeded = watchLimits(limits)
  const bytes = await Bun.stdin.bytes()
  const result = await Promise.race([readInWorker({ kind, bytes }), limitExceeded])
  for (const line of linesOf(result)) await print(`${JSON.stringify(line)}\n`)
  process.exit(0)
}

/** The child enforces its limits itself; one that fails to is killed this much later. */
const GRACE_MS = 5_000

/** JSON takes at most six bytes for a character. */
const MAX_OUTPUT = 6 * MAX_CHARACTERS

const damaged = { failed: 'The file cannot be read; it may be damaged or too large.' }

/** A child process that reads the text of one file. */
export interface Extraction {
  /** Undefined after `stop`. */
  readonly result: Promise<ExtractionResult | undefined>
  stop(): void
}

/**
 * Extracts the text of a file in a child process that has no environment variables and gets only the bytes of the file.
 * `parts` are read as the child consumes them. The result comes within the limits, whatever the file contains.
 */
export function startExtraction(
  kind: Kind,
  parts: Iterable<Uint8Array>,
  limits: Limits = DEFAULT_LIMITS,
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

/** Writes the file to the child, which may exit before it has read everything. */
async function feed(stdin: Bun.FileSink, parts: Iterable<Uint8Array>): Promise<void> {
  try {
    for (const part of parts) {
      await stdin.write(part)
      await stdin.flush()
    }
    await stdin.end()
  } catch {
    // The child has exited; its output says why.
  }
}

async function collect(stdout: ReadableStream<Uint8Array>, kill: () => void): Promise<ExtractionResult> {
  const pages: string[] = []
  let size = 0
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of stdout) {
    size += chunk.length
    if (size > MAX_OUTPUT) kill()
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) {
      const line = JSON.parse(text) as Line
      if ('page' in line) pages.push(line.page)
      else return 'failed' in line ? line : ({ pages, outline: line.outline } satisfies ExtractedText)
    }
  }
  return damaged
}
