import type { Reader } from '../storage/reader.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import type { Server } from './call.ts'
import type { Caller } from './caller.ts'
import type { Job } from './jobs.ts'
import type { Covers } from './rights.ts'

/*
 * An operation is the only way for a caller to reach data. A feature declares it as data and one synchronous function, and
 * says nothing of where or when that runs (`call.ts`):
 *
 *   export const renameView = write({
 *     name: 'views.rename', covers: 'notes',
 *     run: (tx, caller, { id, body }: { id: string; body: Static<typeof Renaming> }) => …,
 *   })
 *
 * The caller is computed in the transaction or snapshot of the operation, so its rights are those that this sees. Input and
 * output are JSON values, which may be copied between threads. The input of an HTTP endpoint has the parameters of its path
 * and query by name, and the body as `body`.
 */

interface Declaration {
  /** The folder of its feature, a dot, and its own name: a worker thread finds it by that (`operations.ts`). */
  readonly name: string
  /** The kind of objects that it shows or changes; callers who do not reach them are refused, or find none. */
  readonly covers: Covers
}

/** Everything that one read sees is of one state of the database; `now` is the instant of the call, in milliseconds. */
export interface Snapshot extends Reader {
  readonly now: number
  /** Reports a finding, a JSON value, that later reads can use, to `learn`; undefined in a transaction. */
  report?(finding: unknown): void
}

interface ReadDeclaration<Input, Output> extends Declaration {
  run(snapshot: Snapshot, caller: Caller, input: Input): Output
  /** Takes a finding of `run`, on the main thread after the read: into a cache, for example. */
  learn?(server: Server, finding: unknown): void
}

interface WriteDeclaration<Input, Output> extends Declaration {
  run(tx: Tx, caller: Caller, input: Input): Output
  /** Refuses a call before a response that was saved for its `Idempotency-Key` is looked up. */
  check?(tx: Tx, caller: Caller, input: Input): void
  /** The part of the output that an `Idempotency-Key` saves: without what only the first response may show. */
  saved?(output: Output): object
  /** Whether the call is a dry run: its transaction is rolled back after `run`, and the output is returned all the same. */
  isTrial?(input: Input, output: Output): boolean
  /**
   * The response waits until the jobs of these kinds that `run` enqueued are done. A job that follows another one under the
   * same key is listed after it.
   */
  readonly settles?: readonly Job[]
}

/** Starts on the main connection; one that reads much there starts again in a reader thread. */
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

/** The same operation, which always runs in another thread: its work grows with the workspace. */
export const long = <Declared extends Operation<never, unknown>>(operation: Declared): Declared => ({
  ...operation,
  isLong: true,
})
