import { addressGroup } from '../lib/address-group.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { isTaggedJson } from '../lib/entity-tags.ts'
import type { Log } from '../lib/log.ts'
import { lengthOf } from '../lib/value-length.ts'
import type { Db } from '../storage/database.ts'
import type { Reader } from '../storage/reader.ts'
import {
  openWorker,
  type QueryScheduling,
  TooLongForMainThread,
  tooLong,
  type WorkerClient,
  type WorkerOptions,
} from '../storage/worker/client.ts'
import { resultOf, Trial, type Tx } from '../storage/writes/transaction.ts'
import type { WriteOptions } from '../storage/writes/write-queue.ts'
import type { Finding, JsonBody, JsonResult, Performed, RequestParts, Sent } from './call-format.ts'
import {
  type Caller,
  type Covers,
  type Credentials,
  callerIn,
  callerKeyOf,
  checkCovered,
  type Grant,
  grantOf,
  NOWHERE,
  type Permissions,
  permissionsIn,
  type Requirement,
} from './caller.ts'
import { runFairly } from './fair-share.ts'
import { settle } from './job-steps.ts'
import { enqueuedKeys } from './jobs.ts'
import { type Outcome, once, type RequestIdentity, signed } from './once.ts'
import type { Operation, ReadOperation, Snapshot, WriteOperation } from './operation.ts'
import { runIfMatch } from './precondition.ts'

/*
 * Calls of operations. A read starts on the main connection, under a limit of rows, and restarts in a reader thread
 * when it reaches the limit. A write starts in the group commit, and restarts in the write thread when it reads or
 * writes much. A write with a large body starts in the write thread. A long operation always runs in a thread. Wherever
 * an operation runs, its caller is computed there, from the grant, in its transaction or snapshot.
 */

/** Created once per request. The signal is read only where a call waits. */
export interface Credential extends QueryScheduling {
  readonly grant: Grant
}

/**
 * The credential of the server itself, or of a command, for work that belongs to no key or session. It has every
 * permission in the workspace; without one, its operations find their workspaces themselves.
 */
export const ownCredential = (covers: Covers, workspacePk = NOWHERE): Credential => ({
  schedulingKey: '',
  isBackground: true,
  grant: {
    workspacePk,
    workspaceId: '',
    userId: '',
    keyId: null,
    keyName: null,
    sessionId: '',
    appId: '',
    surface: 'api',
    mayWrite: true,
    needsOwner: false,
    needsWrite: true,
    covers,
    isNamed: false,
    permissions: { scope: 'write', role: 'owner', rights: undefined },
  },
})

/** The credential of a client that has none yet, such as a browser that signs in. It is scheduled by its address. */
export const guestCredential = (address: string): Credential => ({
  ...ownCredential('nothing'),
  schedulingKey: `address ${addressGroup(address)}`,
  isBackground: false,
})

/** The credential of calls that no key or session makes, such as those of a source; `name` identifies their sender. */
export const credentialNamed = (name: string, grant: Grant): Credential => ({ schedulingKey: name, grant })

/** The credential of a stream, whose reads run behind those of requests. */
export const streamCredential = ({ schedulingKey, grant }: Credential, signal?: AbortSignal): Credential => ({
  schedulingKey,
  grant,
  ...(signal && { signal }),
  isBackground: true,
})

/**
 * The caller of a request after a permission check, with the credential for its calls. A class, because copying a
 * caller and adding accessors takes ten times as long.
 */
export class AdmittedCaller implements Caller, Credential {
  readonly workspacePk: number
  readonly workspaceId: string
  readonly userId: string
  readonly keyId: string | null
  readonly keyName: string | null
  readonly appId: string | undefined
  readonly sessionId: string | undefined
  readonly scope: Caller['scope']
  readonly role: Caller['role']
  readonly mayWrite: boolean
  readonly rights: Caller['rights']
  readonly surface: Caller['surface']
  readonly #caller: Caller
  readonly #request: Pick<Request, 'signal'>
  readonly #needs: Requirement
  #grant: Grant | undefined

  /** Narrows the caller to the content that its call covers; refuses a caller that may not write it. */
  constructor(caller: Caller, request: Pick<Request, 'signal'>, needs: Requirement) {
    const { covers, needsWrite: isWrite, isNamed } = needs
    this.workspacePk = checkCovered(caller.rights, caller.workspacePk, { covers, isWrite, isNamed })
    this.workspaceId = caller.workspaceId
    this.userId = caller.userId
    this.keyId = caller.keyId
    this.keyName = caller.keyName
    this.appId = caller.appId
    this.sessionId = caller.sessionId
    this.scope = caller.scope
    this.role = caller.role
    this.mayWrite = caller.mayWrite
    this.rights = caller.rights
    this.surface = caller.surface
    this.#caller = caller
    this.#request = request
    this.#needs = needs
    Object.freeze(this)
  }

  get grant(): Grant {
    this.#grant ??= grantOf(this.#caller, this.#needs)
    return this.#grant
  }

  get schedulingKey(): string {
    return callerKeyOf(this)
  }

  /** Bun creates the signal on first access, and only long waits need it. */
  get signal(): AbortSignal {
    return this.#request.signal
  }
}

type AnyOperation = Operation<unknown, unknown>
type AnyRead = ReadOperation<unknown, unknown>
type AnyWrite = WriteOperation<unknown, unknown>

const asText = (output: unknown): unknown =>
  typeof output === 'string' || output instanceof Uint8Array || isTaggedJson(output)
    ? output
    : JSON.stringify(output)

/** The snapshot of a read, and its findings. */
class ReadSnapshot implements Snapshot {
  findings: Finding[] | undefined
  readonly isSlow: boolean
  #since = systemClock.monotonicMs()

  constructor(
    readonly sql: Reader['sql'],
    readonly now: number,
  ) {
    this.isSlow = !sql.isLimited
  }

  report(value: unknown): void {
    const until = systemClock.monotonicMs()
    this.findings ??= []
    this.findings.push({ value, ms: until - this.#since })
    this.#since = until
  }
}

/** Runs a read in an open snapshot. */
export function performRead(
  operation: AnyRead,
  { sql }: Reader,
  now: number,
  { grant, input, format, ifMatch }: Sent,
  credentials: Credentials,
): Performed {
  const snapshot = new ReadSnapshot(sql, now)
  const caller = callerIn(snapshot, grant, now, credentials)
  const output = ifMatch
    ? runIfMatch(operation, snapshot, caller, input, ifMatch)
    : operation.run(snapshot, caller, input)
  return { output: format === 'value' ? output : asText(output), findings: snapshot.findings }
}

/** Runs a write in an open transaction; a dry run throws its result as a `Trial`. */
export function performWrite(
  operation: AnyWrite,
  tx: Tx,
  { grant, input, format, identity, ifMatch, bodyText }: Sent,
  credentials: Credentials,
): Performed {
  const caller = callerIn(tx, grant, tx.now, credentials)
  let isTrial = false
  const run = (): unknown => {
    const output = ifMatch
      ? runIfMatch(operation, tx, caller, input, ifMatch)
      : operation.run(tx, caller, input)
    isTrial = operation.isTrial?.(input, output) ?? false
    return output
  }
  let output: unknown
  if (format === 'once') operation.check?.(tx, caller, input)
  if (format === 'once' && identity)
    output = once(tx, signed(identity, bodyText), () => run() as object, operation.saved)
  else output = format === 'value' ? run() : asText(run())
  if (isTrial) throw new Trial({ output } satisfies Performed)
  return operation.settles ? { output, keys: enqueuedKeys(tx, operation.settles) } : { output }
}

/** The call in the format that crosses to a thread: without the body, if its text is sent. */
function sendable(sent: Sent): Sent {
  const { input, bodyText } = sent
  const hasBody = bodyText !== '' && typeof input === 'object' && input !== null && 'body' in input
  return hasBody ? { ...sent, input: { ...input, body: undefined }, hasBody } : sent
}

/** The call that crossed to this thread, with its body restored. */
export const received = (sent: Sent): Sent =>
  sent.hasBody ? { ...sent, input: { ...(sent.input as object), body: JSON.parse(sent.bodyText) } } : sent

/** The main thread of a server, for operations after they have run. */
export interface Server {
  readonly db: Db
  readonly worker: WorkerClient
  readonly clock: Clock
  readonly log: Log
}

/** The number of rows above which a read leaves the main thread, and a column may be worth an index. */
export const manyRowsOf = ({ worker }: Server): number => worker.manyRows

interface KernelOptions extends Server {
  readonly credentials: Credentials
}

/** Opens the threads of a database and the kernel that runs operations in them. The kernel closes them. */
export function openKernel({ credentials, ...options }: WorkerOptions & Pick<KernelOptions, 'credentials'>) {
  const { db, clock, log } = options
  const worker = openWorker(options)
  return { worker, kernel: new Kernel({ db, worker, clock, log, credentials }) }
}

/** The same for a command, which runs everything in this thread. */
export const openCommandKernel = (options: Parameters<typeof openKernel>[0]): Kernel =>
  openKernel({ ...options, isInline: true }).kernel

/** A write with a longer body, in characters, takes milliseconds, so it does not share its commit. */
const LONG_BODY = 16_384

export class Kernel {
  constructor(private readonly options: KernelOptions) {}

  /** Refuses queries, and lets the current writes of threads finish. Must be called before the database is closed. */
  close(): Promise<void> {
    return this.options.worker.close()
  }

  /** Returns the output of an operation. */
  call<Input, Output>(
    operation: Operation<Input, Output>,
    credential: Credential,
    input: Input,
  ): Output | Promise<Output> {
    const { grant } = credential
    const sent: Sent = { grant, input, format: 'value', bodyText: '' }
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
    const credential = {
      schedulingKey: callerKeyOf(caller),
      grant: grantOf(caller, needs),
      get signal() {
        return caller.signal
      },
    }
    return this.call(operation, credential, input)
  }

  /** Returns the output as JSON text, or as its bytes; with its tag if the read determines that. */
  respond<Input>(
    operation: Operation<Input, object | string>,
    credential: Credential,
    input: Input,
    { bodyText, ifMatch }: RequestParts,
  ): JsonResult | Promise<JsonResult> {
    const { grant } = credential
    const sent: Sent = { grant, input, format: 'text', bodyText, ifMatch }
    return this.#run(operation as AnyOperation, credential, sent) as JsonResult | Promise<JsonResult>
  }

  /** Writes, or returns the response saved for the same request without writing. */
  respondOnce<Input>(
    operation: WriteOperation<Input, object | string>,
    credential: Credential,
    input: Input,
    { bodyText, ifMatch }: RequestParts,
    identity: RequestIdentity | undefined,
  ): Promise<{ readonly text: JsonBody; readonly replayed: boolean }> {
    const { grant } = credential
    const sent: Sent = { grant, input, format: 'once', bodyText, ifMatch, identity }
    const output = this.#run(operation as AnyOperation, credential, sent) as Promise<Outcome | JsonBody>
    return output.then((result) =>
      identity ? (result as Outcome) : { text: result as JsonBody, replayed: false },
    )
  }

  /** Returns the current permissions of a caller; throws the refusal that a call would get now. */
  recheck(grant: Grant): Permissions {
    const { db, clock, credentials } = this.options
    return permissionsIn(db, grant, clock.now(), credentials)
  }

  #run(operation: AnyOperation, credential: Credential, sent: Sent): unknown {
    if (sent.grant.covers !== operation.covers)
      throw new Error(`${operation.name} covers ${operation.covers}, its endpoint ${sent.grant.covers}`)
    return operation.kind === 'read'
      ? this.#read(operation, credential, sent)
      : this.#write(operation, credential, sent)
  }

  #read(operation: AnyRead, credential: Credential, sent: Sent): unknown {
    const { db, worker, clock, credentials } = this.options
    const now = clock.now()
    const here = () => performRead(operation, db, now, sent, credentials)
    const read = worker.read(operation, credential, here, () => sendable(sent)) as
      | Performed
      | Promise<Performed>
    // Encoding a large response takes milliseconds, and many requests may share one result.
    return read instanceof Promise
      ? read.then((performed) =>
          runFairly(credential.schedulingKey, () => this.#learned(operation, performed)),
        )
      : this.#learned(operation, read)
  }

  #learned(operation: AnyRead, { output, findings }: Performed): unknown {
    if (!findings) return output
    let learned: Promise<void> | undefined
    for (const { value, ms } of findings) {
      const pending = operation.learn?.(this.options, value, ms)
      if (pending) learned = Promise.all([learned, pending]).then(() => undefined)
    }
    return learned ? learned.then(() => output) : output
  }

  async #write(operation: AnyWrite, credential: Credential, sent: Sent): Promise<unknown> {
    const { output, keys = [] } = await this.#written(operation, credential, sent)
    for (const job of operation.settles ?? []) for (const key of keys) await settle(this.options, job, key)
    return output
  }

  async #written(operation: AnyWrite, credential: Credential, sent: Sent): Promise<Performed> {
    const { worker } = this.options
    const { schedulingKey } = credential
    const { maxWriteLength: most } = worker
    const length = sent.bodyText.length || lengthOf(sent.input, most)
    try {
      if (worker.isInline || (!operation.isLong && length <= most))
        return await this.#writtenHere(operation, sent, {
          schedulingKey,
          isLong: length > LONG_BODY,
        })
    } catch (error) {
      if (!(error instanceof TooLongForMainThread)) throw error
    }
    return (await worker.task(operation.name, sendable(sent), credential)) as Performed
  }

  #writtenHere(operation: AnyWrite, sent: Sent, options: WriteOptions): Promise<Performed> {
    const { db, worker, credentials } = this.options
    const run = (tx: Tx) => performWrite(operation, tx, sent, credentials)
    const limited = (tx: Tx) => tx.sql.withWriteLimit(worker.maxWriteLength, tooLong, () => run(tx))
    return resultOf(db.write(worker.isInline ? run : limited, options))
  }
}
