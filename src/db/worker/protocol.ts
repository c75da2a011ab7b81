import type { RefusalCode } from '../../refusal.ts'

/** The name of the task that only opens the database. */
export const OPENING = 'open'

/** What the main thread sends to a worker thread: one request at a time. */
export interface WorkerRequest {
  readonly file: string
  /** `close` closes its connections; nothing else is sent after it. */
  readonly kind: 'query' | 'task' | 'close'
  readonly name: string
  readonly input: unknown
  /** Shared memory: its only element is 1 from the moment the request is to be stopped. */
  readonly stopFlag: Int32Array
}

/** What the worker thread sends back: a refusal travels as its code and its sentence. */
export type WorkerResponse =
  | { readonly output: unknown }
  | { readonly code: RefusalCode; readonly sentence: string }
  | { readonly failure: string }
