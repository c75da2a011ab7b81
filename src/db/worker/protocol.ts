import type { RefusalCode } from '../../refusal.ts'

/** The name of the task that only opens the database. */
export const OPENING = 'open'

/** Sent before a task commits, which waits for the disk. */
export const COMMITTING = 'committing'

/** A text, or its bytes, that is sent before the request that uses it: alone, it is handed over instead of copied. */
export type LongText = string | Uint8Array<ArrayBuffer>

/** What the main thread sends to a worker thread: one request at a time. */
export interface WorkerRequest {
  readonly file: string
  /**
   * `prepare` comes before a task that has a preparation, and brings its input. `close` closes its connections; nothing else
   * is sent after it.
   */
  readonly kind: 'query' | 'prepare' | 'task' | 'close'
  readonly name: string
  readonly input: unknown
  /** The instant of a task, and the last id that the main thread has made. */
  readonly now: number
  readonly lastId: string
  /** Of the request for which a task runs: what its transaction checks first (`Right.data`). */
  readonly right?: object | undefined
  /** Shared memory: its only element is 1 from the moment the request is to be stopped. */
  readonly stopFlag: Int32Array
}

/** What the worker thread sends back: a refusal travels as its code and its sentence. */
export type WorkerResponse =
  | { readonly output: unknown; readonly lastId: string }
  | { readonly code: RefusalCode; readonly sentence: string }
  | { readonly failure: string }
