import { constants, setPriority } from 'node:os'
import { workerProgram } from '../../lib/program.ts'
import type { Section } from './document.ts'
import type { Kind } from './kinds.ts'
import type { Result, Task } from './worker.ts'

/** What the reading of one file may take. */
export interface Limits {
  readonly seconds: number
  readonly mebibytes: number
}

/** Contract, section 8. */
export const LIMITS: Limits = { seconds: 60, mebibytes: 512 }

/** One line of the child's output: a page each, then the outline or why there is none. */
export type Line = { readonly page: string } | { readonly outline: Section[] } | { readonly failed: string }

const WATCH_MS = 20
const MEBIBYTE = 1_048_576

/** Settles with the reason when a limit is passed. */
function untilLimit({ seconds, mebibytes }: Limits): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>()
  const begun = performance.now()
  setInterval(() => {
    if (process.memoryUsage.rss() > mebibytes * MEBIBYTE)
      resolve({ failed: `Reading the text took more than ${mebibytes} MiB of memory.` })
    if (performance.now() - begun > seconds * 1_000)
      resolve({ failed: `Reading the text took longer than ${seconds} seconds.` })
  }, WATCH_MS)
  return promise
}

function readInWorker(task: Task): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>()
  const worker = new Worker(workerProgram('files/extraction/worker.ts'))
  worker.onmessage = ({ data }: MessageEvent<Result>) => resolve(data)
  worker.onerror = () => resolve({ failed: 'The file cannot be read; it may be damaged.' })
  worker.postMessage(task)
  return promise
}

function linesOf(result: Result): Line[] {
  if ('failed' in result) return [result]
  return [...result.pages.map((page) => ({ page })), { outline: result.outline }]
}

const written = (text: string) => new Promise<void>((resolve) => process.stdout.write(text, () => resolve()))

/**
 * The whole life of the child process: reads a file of this kind from standard input, prints its text as lines of
 * JSON and ends the process, within its limits whatever the file does to the worker.
 */
export async function readStandardInput(kind: Kind, limits: Limits): Promise<never> {
  // The server beside it goes first.
  setPriority(constants.priority.PRIORITY_LOW)
  const overLimit = untilLimit(limits)
  const bytes = await Bun.stdin.bytes()
  const result = await Promise.race([readInWorker({ kind, bytes }), overLimit])
  for (const line of linesOf(result)) await written(`${JSON.stringify(line)}\n`)
  process.exit(0)
}
