import type { AppContext } from '../../../context.ts'
import type { MessagedProcess, startStream } from '../process.ts'
import type { LogEnd } from './log-reader.ts'
import type { FromStream, StreamOrder, ToStream } from './messages.ts'
import type { StreamBase } from './segments.ts'

/** The time for what is left when a server stops. */
const FINISH_WITHIN_MS = 5_000
const RESTART_MS = 2_000
/** Writes wait for it. */
const HAND_OVER_WITHIN_MS = 50
/** A target that is up to date lacks only commits of the last moment while others are written. */
const CURRENT_MS = 3_000
/** More marks are merged into one while the process does not take them. */
const MAX_MARKS = 1_000

export interface TargetStreamOptions {
  readonly ctx: AppContext
  readonly order: StreamOrder
  readonly startProcess: typeof startStream
  /** Called when a stream has begun, which needs a full backup. */
  onNeedsBackup(): void
}

/** The process that uploads the log of this server to one target (`uploader.ts`), as the server sees it. */
export class TargetStream {
  readonly #options: TargetStreamOptions
  #process: MessagedProcess<ToStream> | undefined
  #isStopped = false
  #stream: string | undefined
  /** The place of the newest copy, once the stream has one. */
  #copied: StreamBase | undefined
  /** Whether a copy of this stream is a proven backup. */
  #hasBackup = false
  /** The time of the first commit that is not in a segment; undefined without one. */
  #oldestUnsent: number | undefined
  /** The time from which on nothing is stored, while the stream lacks its backup. */
  #unprotectedSince: number | undefined
  #marks: (readonly [frame: number, at: number])[] = []
  #canSend = false
  /** The times of the first marks of messages that were sent and not received yet. */
  #sent: number[] = []
  #copying: { readonly file: string; readonly reply: PromiseWithResolvers<StreamBase> } | undefined
  #handingOver: { readonly frame: number; readonly reply: PromiseWithResolvers<boolean> } | undefined
  /** Finds the end of the log. */
  #endOfLog: (() => Promise<LogEnd>) | undefined
  /** The number of copies, one after another, that ended because the log restarted without them. */
  #lostCopies = 0

  constructor(options: TargetStreamOptions) {
    this.#options = options
  }

  get needsBackup(): boolean {
    return this.#stream !== undefined && !this.#hasBackup
  }

  get lagMs(): number {
    const now = this.#options.ctx.clock.now()
    return Math.max(0, now - (this.#unprotectedSince ?? now), now - (this.#oldestUnsent ?? now))
  }

  start(): void {
    const { ctx, order, startProcess } = this.#options
    this.#unprotectedSince ??= ctx.clock.now()
    this.#process = startProcess(ctx.config, order, (message) => this.#note(message))
    void this.#process.failure.then((failure) => this.#ended(failure))
  }

  /** Connects the stream to the log. */
  connect(endOfLog: () => Promise<LogEnd>): void {
    this.#endOfLog = endOfLog
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    const process = this.#process
    if (!process) return
    // Segments without a backup are of no use.
    if (this.#hasBackup) {
      this.#canSend = true
      this.sendMarks()
      process.send({ finish: true })
      await this.#within(FINISH_WITHIN_MS, process.failure)
    }
    process.kill()
    await process.failure
  }

  /** Every commit up to the frame was acknowledged at this time or before. */
  mark(frame: number, at: number): void {
    if (this.#copied) this.#oldestUnsent ??= at
    if (this.#marks.length === MAX_MARKS) this.#marks.pop()
    this.#marks.push([frame, at])
  }

  sendMarks(): void {
    const [first] = this.#marks
    if (!this.#canSend || !first) return
    this.#canSend = false
    this.#sent.push(first[1])
    this.#process?.send({ marks: this.#marks })
    this.#marks = []
  }

  /** Whether the log may be checkpointed without losing a commit for this target. */
  isStored({ isIdle }: { readonly isIdle: boolean }): boolean {
    if (!this.#copied || this.#oldestUnsent === undefined) return true
    return !isIdle && this.#options.ctx.clock.now() - this.#oldestUnsent < CURRENT_MS
  }

  /**
   * The multiple of its limit that the log may reach. A copy has twice as much time to catch up, and each copy after one
   * that was lost twice as much again, so that one is completed at last, however much is written meanwhile.
   */
  get logAllowance(): number {
    return this.#copying ? 2 ** (this.#lostCopies + 1) : 1
  }

  /** Has the log read to its end, before it restarts. Resolves to whether it was. */
  async handOver(frame: number): Promise<boolean> {
    if (!this.#process) return true
    const reply = Promise.withResolvers<boolean>()
    // A reply that was too late for an earlier request names another frame.
    this.#handingOver = { frame, reply }
    this.#canSend = true
    this.sendMarks()
    this.#process.send({ handOver: frame })
    return (await this.#within(HAND_OVER_WITHIN_MS, reply.promise)) === true
  }

  async #within<T>(milliseconds: number, result: Promise<T>): Promise<T | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const stopTimer = this.#options.ctx.clock.after(milliseconds, () => resolve(undefined))
    return Promise.race([result, late]).finally(stopTimer)
  }

  /** Ends the stream, because the log restarts without it. */
  lose(reason: string): void {
    if (this.#copying) this.#lostCopies += 1
    this.#process?.send({ lost: reason })
    this.#begin(undefined)
  }

  /** Copies the database to a file; rejects with the reason if that fails. */
  async copy(file: string): Promise<StreamBase> {
    const end = await this.#endOfLog?.()
    if (!this.#process || !end) throw new Error('the log is not uploaded at the moment')
    const reply = Promise.withResolvers<StreamBase>()
    this.#copying = { file, reply }
    this.#process.send({ copyTo: file, end })
    return reply.promise
  }

  /** The newest copy is a proven backup now. */
  noteBackup(): void {
    if (!this.#copied || this.#copied.stream !== this.#stream) return
    this.#hasBackup = true
    this.#unprotectedSince = undefined
  }

  #begin(stream: string | undefined): void {
    this.#unprotectedSince ??= this.#oldestUnsent ?? this.#options.ctx.clock.now()
    this.#stream = stream
    this.#copied = undefined
    this.#oldestUnsent = undefined
    this.#sent = []
    // They may be of an earlier log.
    this.#marks = []
    this.#hasBackup = false
    this.#endCopy('the upload of the log started again')
  }

  #endCopy(reason: string): void {
    this.#copying?.reply.reject(new Error(reason))
    this.#copying = undefined
  }

  #note(message: FromStream): void {
    const { log } = this.#options.ctx
    const target = this.#options.order.target.name
    if ('stream' in message) {
      if (message.reason !== null)
        log.warn('the upload of the write-ahead log starts again with a full backup', {
          target,
          reason: message.reason,
        })
      this.#begin(message.stream)
      this.#canSend = true
      this.#options.onNeedsBackup()
    } else if ('received' in message) {
      this.#canSend = true
      this.#sent.shift()
    } else if ('storedAt' in message) this.#noteOldest(message.oldest)
    else if ('copied' in message) this.#noteCopied(message)
    else if ('handedOver' in message) this.#noteHandedOver(message)
    else log.repeated('warn', 'the write-ahead log could not be uploaded', { target, error: message.failing })
  }

  /** `oldest` is the time of the first commit that the process has not stored, of the marks that it received. */
  #noteOldest(oldest: number | null): void {
    this.#oldestUnsent = oldest ?? this.#sent[0] ?? this.#marks[0]?.[1]
  }

  #noteHandedOver({ handedOver, isRead }: Extract<FromStream, { handedOver: number }>): void {
    if (this.#handingOver?.frame === handedOver) this.#handingOver.reply.resolve(isRead)
  }

  #noteCopied(message: Extract<FromStream, { copied: string }>): void {
    const copying = this.#copying
    if (copying?.file !== message.copied) return
    if ('failure' in message) {
      this.#endCopy(message.failure)
      return
    }
    this.#copying = undefined
    this.#lostCopies = 0
    this.#copied = message.base
    this.#noteOldest(message.oldest)
    copying.reply.resolve(message.base)
  }

  #ended(failure: string | undefined): void {
    this.#process = undefined
    this.#canSend = false
    this.#begin(undefined)
    this.#handingOver?.reply.resolve(true)
    if (this.#isStopped) return
    const { ctx, order } = this.#options
    ctx.log.error('the process that uploads the write-ahead log ended', {
      target: order.target.name,
      error: failure ?? '',
    })
    ctx.clock.after(RESTART_MS, () => {
      if (!this.#isStopped) this.start()
    })
  }
}
