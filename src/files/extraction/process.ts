import { writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { systemClock } from '../../lib/clock.ts'
import { ownCommand } from '../../lib/program.ts'
import { startWorker } from '../../storage/thread-start.ts'
import type { Kind } from './kinds.ts'
import { type ExtractedText, MAX_CHARACTERS, type Section } from './pages.ts'
import type { ExtractionFailure, ExtractionResult, Message, Task } from './worker.ts'

/*
 * A file is read in a child process, which starts a worker. A hostile file may make the worker hang or exhaust the
 * memory; the child still exits. The child's side comes first, then the server's.
 */

/** The time and memory that reading one file may take. */
export interface Limits {
  readonly seconds: number
  readonly mebibytes: number
}

export const DEFAULT_LIMITS: Limits = { seconds: 60, mebibytes: 512 }

/**
 * A line of the child's output: first the start, then one line per page and the outline, or the reason for the failure.
 */
type Line =
  | { readonly started: true }
  | { readonly page: string }
  | { readonly outline: Section[] }
  | ExtractionFailure

const CHECK_LIMITS_MS = 20
const MEBIBYTE = 1_048_576

/** Resolves with the reason when a limit is exceeded. */
function watchLimits({ seconds, mebibytes }: Limits): Promise<ExtractionResult> {
  const { promise, resolve } = Promise.withResolvers<ExtractionResult>()
  const started = systemClock.monotonicMs()
  systemClock.every(CHECK_LIMITS_MS, () => {
    if (process.memoryUsage.rss() > mebibytes * MEBIBYTE)
      resolve({ failed: `Reading the text took more than ${mebibytes} MiB of memory.`, isOverLimit: true })
    if (systemClock.monotonicMs() - started > seconds * 1_000)
      resolve({ failed: `Reading the text took longer than ${seconds} seconds.`, isOverLimit: true })
  })
  return promise
}

/** Calls `onStart` when the worker runs. A worker that cannot be started ends the process. */
function readInWorker(task: Task, onStart: () => void): Promise<ExtractionResult> {
  const { promise, resolve } = Promise.withResolvers<ExtractionResult>()
  const worker = startWorker('files/extraction/worker.ts')
  let hasStarted = false
  worker.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data !== 'started') return resolve(data)
    hasStarted = true
    onStart()
    worker.postMessage(task)
  }
  worker.onerror = () => {
    if (!hasStarted) process.exit(1)
    resolve({ failed: 'The file cannot be read; it may be damaged.' })
  }
  return promise
}

function linesOf(result: ExtractionResult): Line[] {
  if ('failed' in result) return [result]
  return [...result.pages.map((page) => ({ page })), { outline: result.outline }]
}

const print = (text: string) => new Promise<void>((resolve) => process.stdout.write(text, () => resolve()))

/**
 * Runs the child process: reads a file of this kind from standard input, and prints its text as lines of JSON. Exits
 * within the limits, even if the worker hangs.
 */
export async function runExtraction(kind: Kind, limits: Limits): Promise<never> {
  yieldToServer()
  const limitExceeded = watchLimits(limits)
  const bytes = await Bun.stdin.bytes()
  const printLine = (line: Line) => print(`${JSON.stringify(line)}\n`)
  const result = await Promise.race([
    readInWorker({ kind, bytes }, () => void printLine({ started: true })),
    limitExceeded,
  ])
  for (const line of linesOf(result)) await printLine(line)
  process.exit(0)
}

/** Gives the server priority over this process. When memory runs out, the system kills this process first. */
function yieldToServer(): void {
  setPriority(constants.priority.PRIORITY_LOW)
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // The file exists only on Linux.
  }
}

/** The child enforces its limits itself; one that fails to is killed this much later. */
const GRACE_MS = 5_000

/** JSON takes at most six bytes for a character. */
const MAX_OUTPUT = 6 * MAX_CHARACTERS

/** The child was killed, by the system or because it enforced no limit. */
const killed: ExtractionFailure = {
  failed: 'The file cannot be read; it may be damaged or too large.',
  isOverLimit: true,
}

/** The process could not start, for example with too many processes or open files. The file is not the cause. */
export class NotStarted extends Error {}

export interface Extraction {
  /** Undefined after `stop`. Rejects with NotStarted. */
  readonly result: Promise<ExtractionResult | undefined>
  stop(): void
}

/**
 * Extracts the text of a file in a child process that has no environment variables and gets only the bytes of the file.
 * `parts` are read as the child consumes them. The result arrives within the limits, whatever the file contains. Throws
 * NotStarted.
 */
export function startExtraction(
  kind: Kind,
  parts: Iterable<Uint8Array>,
  limits: Limits = DEFAULT_LIMITS,
): Extraction {
  const command = [...ownCommand(), 'extract', kind, String(limits.seconds), String(limits.mebibytes)]
  const child = spawnChild(command)
  const kill = () => child.kill('SIGKILL')
  const cancelKill = systemClock.after(limits.seconds * 1_000 + GRACE_MS, kill)
  let isStopped = false
  const result = async () => {
    try {
      const [found] = await Promise.all([collect(child.stdout, kill), feed(child.stdin, parts)])
      if (isStopped) return undefined
      if (!found) throw new NotStarted('the process ended before it had started')
      return found
    } finally {
      kill()
      cancelKill()
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

function spawnChild(command: string[]) {
  try {
    return Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'ignore', env: {} })
  } catch (error) {
    throw new NotStarted(error instanceof Error ? error.message : String(error))
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

/** Undefined when the child ended before it had started. */
async function collect(
  stdout: ReadableStream<Uint8Array>,
  kill: () => void,
): Promise<ExtractionResult | undefined> {
  const pages: string[] = []
  let hasStarted = false
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
      if ('started' in line) hasStarted = true
      else if ('page' in line) pages.push(line.page)
      else return 'failed' in line ? line : ({ pages, outline: line.outline } satisfies ExtractedText)
    }
  }
  return hasStarted ? killed : undefined
}
