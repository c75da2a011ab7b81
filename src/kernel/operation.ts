import type { Reader } from '../storage/reader.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import type { Server } from './call.ts'
import type { Caller, Covers } from './caller.ts'
import type { Job } from './jobs.ts'

/*
 * Callers reach data only through operations. A feature declares an operation as data and one synchronous function. It
 * does not define where or when the function runs (`call.ts`):
 *
 *   export const renameView = write({
 *     name: 'views.rename', covers: 'notes',
 *     run: (tx, caller, { id, body }: { id: string; body: Static<typeof Renaming> }) => …,
 *   })
 *
 * The caller is computed in the transaction or snapshot of the operation, with the permissions stored there. Input and
 * output are JSON values, which may be copied between threads. The input of an HTTP endpoint has the parameters of its
 * path and query by name, and the body as `body`.
 */

interface Declaration {
  /** The folder of its feature, a dot, and its own name. Worker threads find it by this name (`operations.ts`). */
  readonly name: string
  /** The kind of objects that it shows or changes. Callers without access to them are refused, or find none. */
  readonly covers: Covers
}

interface OfObject {
  /**
   * Reads the object that the operation changes, or would change, with the same input. `If-Match` refers to the tag of
   * this output.
   */
  readonly object?: ReadOperation<never, object | string>
}

/** A read sees one state of the database; `now` is the instant of the call, in milliseconds. */
export interface Snapshot extends Reader {
  readonly now: number
  /** Whether the read has exceeded the limit of the main thread. */
  readonly isSlow?: boolean
  /** Reports a finding, a JSON value that later reads can use, to `learn`; undefined in a transaction. */
  report?(finding: unknown): void
}

interface ReadDeclaration<Input, Output> extends Declaration, OfObject {
  run(snapshot: Snapshot, caller: Caller, input: Input): Output
  /**
   * Processes a finding of `run` on the main thread after the read, for example by caching it. `ms` is the time that the
   * read took for it. The response waits for a returned promise, and fails if that rejects.
   */
  learn?(server: Server, finding: unknown, ms: number): Promise<void> | undefined
}

interface WriteDeclaration<Input, Output> extends Declaration, OfObject {
  run(tx: Tx, caller: Caller, input: Input): Output
  /** Refuses a call before the lookup of the response saved for its `Idempotency-Key`. */
  check?(tx: Tx, caller: Caller, input: Input): void
  /** The part of the output that an `Idempotency-Key` saves: it omits what only the first response may show. */
  saved?(output: Output): object
  /** Whether the call is a dry run. Its transaction is rolled back after `run`, and the output is still returned. */
  isTrial?(input: Input, output: Output): boolean
  /**
   * The response waits for the jobs of these kinds that `run` enqueued. A job that follows another under the same key
   * is listed after it.
   */
  readonly settles?: readonly Job[]
}

/** Starts on the main connection; a read of many rows there restarts in a reader thread. */
export interface ReadOperation<Input, Output> extends ReadDeclaration<Input, Output> {
  readonly kind: 'read'
  readonly isLong: boolean
}

/** One transaction of the group commit. */
export interface WriteOperation<Input, Output> extends WriteDeclaration<Input, Output> {
  readonly kind: 'write'
  readonly isLong: boolean
}

export type Operation<Input, Output> = ReadOperation<Input, Output> | WriteOperation<Input, Output>

export const read = <Input, Output>(
  declaration: ReadDeclaration<Input, Output>,
): ReadOperation<Input, Output> => ({ ...declaration, kind: 'read', isLong: false })

export const write = <Input, Output>(
  declaration: WriteDeclaration<Input, Output>,
): WriteOperation<Input, Output> => ({ ...declaration, kind: 'write', isLong: false })

/** The same operation, always run in another thread, because its work grows with the workspace. */
export const long = <Declared extends Operation<never, unknown>>(operation: Declared): Declared => ({
  ...operation,
  isLong: true,
})
