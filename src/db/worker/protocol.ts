import type { RefusalCode } from '../../refusal.ts'

/** The name of the task that only opens the database. */
export const OPENING = 'open'

/** Sent before a task commits, which waits for the disk. */
export const COMMITTING = 'committing'

/** What the main thread sends to a worker thread: one request at a time. */
export interface WorkerRequest {
  readonly file: string
  /** The file that the process has open. */
  readonly descriptor: number | undefined
  /** `close` closes its connections; nothing else is sent after it. */
  readonly kind: 'query' | 'task' | 'close'
  readonly name: string
  readonly input: unknown
  /** Whether a task writes nothing, and only returns what it would have done. */
  readonly isDryRun: boolean
  /** The instant of a task, and the last id that the main thread has made. */
  readonly now: number
  readonly lastId: string
  /** Of the request for which a task runs: what its transaction checks first (`Right.data`). */
  readonly right?: object | undefined
  /** Shared memory: its only element is 1 from the moment the request is to be stopped. */
  readonly stopFlag: Int32Array
}

export interface WorkerOutput {
  readonly output: unknown
  /** The last id that a task has made. */
  readonly lastId: string
  /** Whether a task wrote what others wait for. */
  readonly wakes: boolean
}

/** What the worker thread sends back: a refusal travels as its code and its sentence. */
export type WorkerResponse =
  | WorkerOutput
  | { readonly code: RefusalCode; readonly sentence: string }
  | { readonly failure: string }
