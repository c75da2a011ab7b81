import type { TaggedJson } from '../lib/entity-tags.ts'
import type { Grant } from './caller.ts'
import type { JobKey } from './jobs.ts'
import type { RequestIdentity } from './once.ts'

/** The requested output: the value, its JSON text, or the text and the response saved for an `Idempotency-Key`. */
export type OutputFormat = 'value' | 'text' | 'once'

/** A call in the format that crosses to another thread. */
export interface Sent {
  readonly grant: Grant
  readonly input: unknown
  readonly format: OutputFormat
  readonly identity?: RequestIdentity | undefined
  /** The tags of `If-Match`. */
  readonly ifMatch?: readonly string[] | undefined
  /** The text of `input.body`, which crosses in its place: parsing it again is faster than copying its parts. */
  readonly bodyText: string
  readonly hasBody?: boolean
}

/** The parts of an HTTP request that a call needs beside its input. */
export interface RequestParts {
  /** The text of `input.body`, if it was sent as text. */
  readonly bodyText: string
  readonly ifMatch?: readonly string[] | undefined
}

/** JSON as text, or as bytes. */
export type JsonBody = string | Uint8Array<ArrayBuffer>

/** The same, with its tag if the read determines that. */
export type JsonResult = JsonBody | TaggedJson

/** A reported finding, and the time that the read took since the finding before it, or since its beginning. */
export interface Finding {
  readonly value: unknown
  readonly ms: number
}

/** The output of an operation, and the follow-up work of the main thread, in a format that crosses threads. */
export interface Performed {
  readonly output: unknown
  /** The keys of the jobs that the response of a write waits for. */
  readonly keys?: readonly JobKey[]
  /** The findings of a read. */
  readonly findings?: readonly Finding[] | undefined
}
