import type { AppContext } from '../../../context.ts'
import { sleep } from '../../../lib/clock.ts'
import type { FollowedLog, LogFollower } from '../../../storage/connection/checkpoint.ts'
import { realFile } from '../../../storage/connection/server-lock.ts'
import type { LogEnd } from './log-reader.ts'
import type { TargetStream } from './target-stream.ts'
import { frameBytes, WalFile } from './wal.ts'

/*
 * The log of this server and the streams that upload it. After a commit, at most every few milliseconds, the end of the
 * log is marked with the time of the commit: a restore to a time stops at a mark. Nothing else is done in a write.
 *
 * The log may be checkpointed once every stream has stored it. While writes continue there is no such moment: then a
 * stream that is up to date reads what is left as the log restarts. A log that has become too long is checkpointed
 * nevertheless, and the streams that lack a part of it begin anew.
 */

const MAX_LOG_BYTES = 268_435_456
/** Commits within this time get one mark. */
const MARK_MS = 10
const SEND_MS = 100

export class LogStreams implements LogFollower {
  readonly #ctx: AppContext
  readonly #streams: readonly TargetStream[]
  readonly #stops: (() => void)[] = []
  #log: FollowedLog | undefined
  #frameBytes = 0
  /** The time of the last commit that is not marked; undefined without one. */
  #committedAt: number | undefined
  #markedAt = Number.NEGATIVE_INFINITY
  /** The last mark. */
  #last: readonly [frame: number, at: number] | undefined
  /** The number of frames of the log that restarts. */
  #restarting = 0
  #isTimed = false
  #isForced = false

  constructor(ctx: AppContext, streams: readonly TargetStream[]) {
    this.#ctx = ctx
    this.#streams = streams
  }

  start(): void {
    if (this.#streams.length === 0) return
    const { db, clock } = this.#ctx
    this.#frameBytes = frameBytes({ pageSize: db.sql.scalar<number>('PRAGMA page_size') })
    const log = db.followLog(this)
    this.#log = log
    const file = new WalFile(`${realFile(db.file)}-wal`)
    for (const stream of this.#streams) stream.connect(() => this.#end(log, file))
    this.#stops.push(
      db.onCommit(() => this.#noteCommit()),
      db.onExternalWrite(() => this.#noteExternalWrite()),
      clock.every(SEND_MS, () => this.#send()),
      () => log.stop(),
    )
  }

  /** The end of the log, once no transaction is open. */
  async #end(log: FollowedLog, file: WalFile): Promise<LogEnd> {
    for (;;) {
      // First: another process may restart a log at rest between the two.
      const salt = file.header()?.salt
      const frames = log.pages() ?? this.#last?.[0]
      if (frames !== undefined) return { salt, frames, isInDatabase: log.isInDatabase() }
      await sleep(this.#ctx.clock, MARK_MS)
    }
  }

  /** Sends what was committed. */
  flush(): void {
    this.#mark()
    this.#send()
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  mayCheckpoint({ pages, isIdle }: { readonly pages: number; readonly isIdle: boolean }): boolean {
    const allowance = Math.max(...this.#streams.map((stream) => stream.logAllowance))
    this.#isForced = pages * this.#frameBytes >= allowance * MAX_LOG_BYTES
    return this.#isForced || this.#streams.every((stream) => stream.isStored({ isIdle }))
  }

  async beforeRestart(pages: number): Promise<boolean> {
    this.#restarting = pages
    this.#committedAt ??= this.#last?.[1] ?? this.#ctx.clock.now()
    this.#mark()
    const all = await Promise.all(this.#streams.map((stream) => stream.handOver(pages)))
    if (!this.#isForced) return all.every((isRead) => isRead)
    for (const [at, stream] of this.#streams.entries())
      if (!all[at])
        stream.lose('the write-ahead log reached 256 MiB and was checkpointed before it was stored')
    return true
  }

  afterRestart(pages: number): void {
    // A negative number means that another process was checkpointing.
    const isComplete = (pages < 0 ? this.#log?.pages() : pages) === this.#restarting
    this.#last = undefined
    if (!isComplete) this.#lose('another process wrote while the log restarted')
  }

  /** A commit that another process checkpointed at once was never held for the streams. */
  #noteExternalWrite(): void {
    const pages = this.#log?.isAtRest ? (this.#log.pages() ?? 0) : 0
    if (pages > 0 && pages !== this.#restarting)
      this.#lose('another process checkpointed the log before it was stored')
    this.#noteCommit()
  }

  #lose(reason: string): void {
    for (const stream of this.#streams) stream.lose(reason)
  }

  /** The mark is made at once, or by a timer that waits for commits that follow. */
  #noteCommit(): void {
    const { clock } = this.#ctx
    this.#committedAt = Math.max(clock.now(), this.#last?.[1] ?? 0)
    if (clock.monotonicMs() - this.#markedAt >= MARK_MS) this.#mark()
    else if (!this.#isTimed) {
      this.#isTimed = true
      clock.after(MARK_MS, () => {
        this.#isTimed = false
        void this.#markWhenSynced()
      })
    }
  }

  /** A commit that is being synced is marked when that is done. */
  async #markWhenSynced(): Promise<void> {
    await this.#ctx.db.synced().catch(() => {})
    this.#mark()
  }

  /** Must be called while no commit is being synced. A log at rest has no commit that is not marked. */
  #mark(): void {
    if (this.#log?.isAtRest) return
    const frame = this.#committedAt === undefined ? undefined : this.#log?.pages()
    if (frame === undefined || this.#committedAt === undefined) return
    const at = this.#committedAt
    this.#committedAt = undefined
    this.#markedAt = this.#ctx.clock.monotonicMs()
    if (this.#last?.[0] === frame) return
    this.#last = [frame, at]
    for (const stream of this.#streams) stream.mark(frame, at)
  }

  #send(): void {
    for (const stream of this.#streams) stream.sendMarks()
  }
}
