import type { Db } from '../db/database.ts'
import { type Requester, requesterKey, type WorkerClient } from '../db/worker/client.ts'
import { resultOf, Trial, type Tx } from '../db/writes/transaction.ts'
import type { Clock } from '../lib/clock.ts'
import { type Caller, callerIn, type FindStanding, type Grant, grantOf } from './caller.ts'
import { enqueuedKeys, type JobKey, settle } from './jobs.ts'
import { type Outcome, once, type RequestIdentity, signed } from './once.ts'
import type { Operation, Snapshot, WriteOperation } from './operation.ts'

/*
 * Calls of operations. A read starts on the main connection, under a limit of rows, and starts again in a reader thread when
 * it reaches the limit. A write runs in the group commit, or in the write thread when its body is large. A long operation
 * always runs in a thread. Wherever it runs, its caller is computed there, from the grant, in its transaction or snapshot.
 */

/** Made once for each request; the signal is read only where a call waits. */
export interface Credential extends Requester {
  readonly grant: Grant
}

/** The output wanted: the value, its JSON text, or the text and the response saved for an `Idempotency-Key`. */
export type Form = 'value' | 'text' | 'once'

/** A call as it crosses to another thread. */
export interface Sent {
  readonly grant: Grant
  readonly input: unknown
  readonly form: Form
  readonly identity?: RequestIdentity | undefined
  /** The text of `input.body`, which crosses in its place: parsing it again takes less time than copying its parts. */
  readonly bodyText: string
  readonly hasBody?: boolean
}

/** JSON as text, or as its bytes. */
type JsonBody = string | Uint8Array<ArrayBuffer>

type AnyOperation = Operation<unknown, unknown>
type AnyWrite = WriteOperation<unknown, unknown>

/** The output of a write whose response waits for jobs, and the keys of these. */
interface Unsettled {
  readonly output: unknown
  readonly keys: readonly JobKey[]
}

const asText = (output: unknown): unknown =>
  typeof output === 'string' || output instanceof Uint8Array ? output : JSON.stringify(output)

/**
 * Runs an operation in an open transaction or snapshot. A dry run throws its output as a `Trial`; a write that settles jobs
 * returns its output as `Unsettled`.
 */
export function perform(
  operation: AnyOperation,
  source: Tx | Snapshot,
  sent: Sent,
  findStanding: FindStanding,
): unknown {
  const caller = callerIn(source, sent.grant, source.now, findStanding)
  if (operation.kind === 'write') return performWrite(operation, source as Tx, caller, sent)
  const output = operation.run(source, caller, sent.input)
  return sent.form === 'value' ? output : asText(output)
}

function performWrite(
  operation: AnyWrite,
  tx: Tx,
  caller: Caller,
  { input, form, identity, bodyText }: Sent,
): unknown {
  let isTrial = false
  const run = (): unknown => {
    const output = operation.run(tx, caller, input)
    isTrial = operation.isTrial?.(input, output) ?? false
    return output
  }
  let output: unknown
  if (form === 'once') {
    operation.check?.(tx, caller, input)
    output = once(tx, signed(identity, bodyText), () => run() as object, operation.saved)
  } else output = form === 'value' ? run() : asText(run())
  const { settles } = operation
  const keys = settles && !isTrial ? enqueuedKeys(tx, settles) : []
  const result = settles ? ({ output, keys } satisfies Unsettled) : output
  if (isTrial) throw new Trial(result)
  return result
}

/** A call as it crosses to a thread: without the body, if that has a text. */
function sendable(sent: Sent): Sent {
  const { input, bodyText } = sent
  const hasBody = bodyText !== '' && typeof input === 'object' && input !== null && 'body' in input
  return hasBody ? { ...sent, input: { ...input, body: undefined }, hasBody } : sent
}

/** The characters and bytes of the values of an input, without its keys; stops counting above `most`. */
function lengthOf(input: unknown, most: number): number {
  const rest = [input]
  let length = 0
  while (rest.length > 0 && length <= most) {
    const value = rest.pop()
    if (typeof value === 'string') length += value.length
    else if (value instanceof Uint8Array) length += value.byteLength
    else if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) rest.push(each)
  }
  return length
}

/** The call that crossed to this thread, with its body. */
export const received = (sent: Sent): Sent =>
  sent.hasBody ? { ...sent, input: { ...(sent.input as object), body: JSON.parse(sent.bodyText) } } : sent

interface KernelOptions {
  readonly db: Db
  readonly worker: WorkerClient
  readonly clock: Clock
  readonly findStanding: FindStanding
}

export class Kernel {
  constructor(private readonly options: KernelOptions) {}

  /** Returns the output of an operation. */
  call<Input, Output>(
    operation: Operation<Input, Output>,
    credential: Credential,
    input: Input,
  ): Output | Promise<Output> {
    const { grant } = credential
    const sent: Sent = { grant, input, form: 'value', bodyText: '' }
    return this.#run(operation as AnyOperation, credential, sent) as Output | Promise<Output>
  }

  /** The same for a caller that a program has authenticated itself, such as the agent of a message. */
  callAs<Input, Output>(
    caller: Caller,
    operation: Operation<Input, Output>,
    input: Input,
    isNamed = true,
  ): Output | Promise<Output> {
    const { covers, kind } = operation
    const needs = { needsOwner: false, needsWrite: kind === 'write', covers, isNamed }
    const { userId, keyId, surface } = caller
    const credential = {
      userId,
      keyId,
      surface,
      grant: grantOf(caller, needs),
      get signal() {
        return caller.signal
      },
    }
    return this.call(operation, credential, input)
  }

  /** Returns the output as JSON text, or as its bytes; `bodyText` is that of `input.body`, if it was sent as text. */
  respond<Input>(
    operation: Operation<Input, object | string>,
    credential: Credential,
    input: Input,
    bodyText: string,
  ): JsonBody | Promise<JsonBody> {
    const { grant } = credential
    const sent: Sent = { grant, input, form: 'text', bodyText }
    return this.#run(operation as AnyOperation, credential, sent) as JsonBody | Promise<JsonBody>
  }

  /** Writes, or returns the response that was saved for the same request, which then writes nothing. */
  respondOnce<Input>(
    operation: WriteOperation<Input, object | string>,
    credential: Credential,
    input: Input,
    bodyText: string,
    identity: RequestIdentity | undefined,
  ): Promise<Outcome> {
    const { grant } = credential
    const sent: Sent = { grant, input, form: 'once', bodyText, identity }
    return this.#run(operation as AnyOperation, credential, sent) as Promise<Outcome>
  }

  #run(operation: AnyOperation, credential: Credential, sent: Sent): unknown {
    if (sent.grant.covers !== operation.covers)
      throw new Error(`${operation.name} covers ${operation.covers}, its endpoint ${sent.grant.covers}`)
    return operation.kind === 'read'
      ? this.#read(operation, credential, sent)
      : this.#write(operation, credential, sent)
  }

  #read(operation: AnyOperation, credential: Credential, sent: Sent): unknown {
    const { db, worker, clock, findStanding } = this.options
    const now = clock.now()
    const here = () => perform(operation, { sql: db.sql, now }, sent, findStanding)
    return worker.read(operation, credential, here, () => sendable(sent))
  }

  async #write(operation: AnyWrite, credential: Credential, sent: Sent): Promise<unknown> {
    const written = await this.#written(operation, requesterKey(credential), sent)
    if (!operation.settles) return written
    const { output, keys } = written as Unsettled
    for (const job of operation.settles) for (const key of keys) await settle(this.options, job, key)
    return output
  }

  #written(operation: AnyWrite, requester: string, sent: Sent): Promise<unknown> {
    const { db, worker, findStanding } = this.options
    const { maxWriteLength: most } = worker
    const isShort = () => (sent.bodyText.length || lengthOf(sent.input, most)) <= most
    if (worker.isInline || (!operation.isLong && isShort()))
      return resultOf(db.write((tx): unknown => perform(operation, tx, sent, findStanding), { requester }))
    return worker.task(operation.name, sendable(sent), requester)
  }
}
