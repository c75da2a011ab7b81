import { type Clock, sleep } from '../../../lib/clock.ts'
import { BaseCopy } from './base-copy.ts'
import type { LogEnd, LogReader } from './log-reader.ts'
import type { FromStream, ToStream } from './messages.ts'
import { encodeSegment, type Mark, type Segment, type StreamPlace, streamName } from './segment.ts'
import type { Segments } from './segments.ts'
import { WalFile } from './wal.ts'

/*
 * Uploads the write-ahead log of a server to one target. A stream begins with a copy of the database and goes on as long
 * as no frame is missed. The log stays on the disk until its segments are stored, so that memory holds one segment, and
 * what was read just before the log restarted. A frame that is missed ends the stream; the next one begins with another
 * full backup.
 */

const SEGMENT_BYTES = 4_194_304
/** The most that is read ahead for a restart of the log. */
const MAX_TAIL_BYTES = 8_388_608
/** Commits within this time share a segment. */
const INTERVAL_MS = 500
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 15_000
/** A commit is acknowledged within this time after it is in the log. */
const ACKNOWLEDGED_MS = 100
/** Requests that never end hold their segment in memory; after so many the process ends. */
const MAX_HANGING = 8
const HANGS_AFTER_MS = 120_000

export interface UploaderOptions {
  readonly db: string
  readonly segments: Segments
  readonly recipients: readonly string[]
  readonly clock: Clock
  report(message: FromStream): void
}

export class Uploader {
  readonly #options: UploaderOptions
  readonly #file: WalFile
  #stream = ''
  /** Undefined until the stream has a copy to which its segments belong. */
  #reader: LogReader | undefined
  #copying: BaseCopy | undefined
  /** The end of the last segment. */
  #previous: StreamPlace = { log: 0, frame: 0 }
  /** Marks that are not read yet. */
  #marks: Mark[] = []
  /** Segments that were read before the log restarted. */
  #tail: Segment[] = []
  #storing: Segment | undefined
  #hanging = 0
  #isFinishing = false
  #wake = Promise.withResolvers<void>()

  constructor(options: UploaderOptions) {
    this.#options = options
    this.#file = new WalFile(`${options.db}-wal`)
    this.#begin(null)
  }

  /** Resolves when everything is stored, once that is asked. */
  async run(): Promise<void> {
    for (;;) {
      const begunAt = this.#options.clock.monotonicMs()
      const segment = this.#next()
      if (segment) {
        this.#storing = segment
        await this.#store(segment)
      } else if (this.#isFinishing) return
      else await this.#wake.promise
      const left = begunAt + INTERVAL_MS - this.#options.clock.monotonicMs()
      if (left > 0 && !this.#hasMuch && !this.#isFinishing) await sleep(this.#options.clock, left)
    }
  }

  handle(message: ToStream): void {
    if ('marks' in message) this.#note(message.marks)
    else if ('copyTo' in message) void this.#copy(message.copyTo, message.end)
    else if ('handOver' in message)
      this.#options.report({ handedOver: message.handOver, isRead: this.#handOver(message.handOver) })
    else if ('lost' in message) this.#begin(message.lost)
    else this.#isFinishing = true
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }

  #begin(reason: string | null): void {
    const { clock, report } = this.#options
    const name = streamName(clock.now())
    // Within a millisecond the clock gives the same name.
    this.#stream = name === this.#stream ? streamName(clock.now() + 1) : name
    this.#reader = undefined
    this.#copying?.stop('the write-ahead log restarted while the database was copied')
    this.#copying = undefined
    this.#marks = []
    this.#tail = []
    this.#storing = undefined
    report({ stream: this.#stream, reason })
  }

  #note(marks: readonly (readonly [number, number])[]): void {
    this.#options.report({ received: true })
    const [end, last] = marks.at(-1) ?? [0, 0]
    this.#copying?.extend(end)
    if (!this.#reader) return
    if (!this.#reader.extend(end)) {
      this.#begin('the write-ahead log restarted before it was read')
      return
    }
    const read = this.#reader.at.frame
    for (const [frame, at] of marks) if (frame > read) this.#marks.push({ frame, at })
    if (this.#oldest === null) this.#options.report({ storedAt: last, oldest: null })
  }

  get #hasMuch(): boolean {
    return this.#tail.length > 0 || (this.#reader?.waiting ?? 0) > SEGMENT_BYTES
  }

  #next(): Segment | undefined {
    return this.#tail.shift() ?? this.#read()
  }

  #read(): Segment | undefined {
    const part = this.#readPart()
    if (!part) return undefined
    const { header, log, after, end, frames } = part
    const marks = this.#marks.filter(({ frame }) => frame <= end.frame)
    this.#marks.splice(0, marks.length)
    const segment: Segment = {
      ...header,
      stream: this.#stream,
      log,
      after: after.frame,
      checksum: after.checksum,
      previous: this.#previous,
      marks,
      last: end.frame,
      // In the middle of a commit it is the time of that.
      at: (marks.at(-1) ?? this.#marks[0])?.at ?? 0,
      frames,
    }
    this.#previous = { log, frame: end.frame }
    return segment
  }

  #readPart() {
    try {
      return this.#reader?.read(SEGMENT_BYTES)
    } catch (error) {
      this.#begin((error as Error).message)
      return undefined
    }
  }

  /** Reads the log to its end, for the segments and for a copy. Returns whether it may restart. */
  #handOver(frame: number): boolean {
    const isCopied = this.#copying?.handOver(frame) ?? true
    return this.#readTo(frame) && isCopied
  }

  #readTo(frame: number): boolean {
    const reader = this.#reader
    if (!reader) return true
    if (this.#tail.length > 0 || reader.bytesTo(frame) > MAX_TAIL_BYTES) return false
    for (let next = this.#read(); next; next = this.#read()) this.#tail.push(next)
    return reader === this.#reader && reader.handOver(frame)
  }

  async #store(segment: Segment): Promise<void> {
    const { recipients, clock, report } = this.#options
    const { name, content } = await encodeSegment(segment, recipients)
    for (
      let wait = FIRST_RETRY_MS;
      segment.stream === this.#stream;
      wait = Math.min(2 * wait, LAST_RETRY_MS)
    ) {
      try {
        await this.#upload(name, content)
        this.#storing = undefined
        report({ storedAt: segment.at, oldest: this.#oldest })
        return
      } catch (error) {
        report({ failing: (error as Error).message })
        if (this.#hanging >= MAX_HANGING) throw error
        await sleep(clock, wait)
      }
    }
  }

  async #upload(name: string, content: Uint8Array): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const stopTimer = this.#options.clock.after(HANGS_AFTER_MS, () => {
      this.#hanging += 1
      reject(new Error(`the target has not responded for ${HANGS_AFTER_MS / 60_000} minutes`))
    })
    await Promise.race([this.#options.segments.store(name, content), late]).finally(stopTimer)
  }

  /** The time of the first commit that is not stored. */
  get #oldest(): number | null {
    const segment = this.#storing ?? this.#tail[0]
    return (segment && (segment.marks[0]?.at ?? segment.at)) ?? this.#marks[0]?.at ?? null
  }

  async #copy(file: string, end: LogEnd): Promise<void> {
    const { db, clock, report } = this.#options
    const stream = this.#stream
    const copy = new BaseCopy(db, this.#file, end)
    this.#copying = copy
    try {
      const place = await copy.write(file, () => this.#beginAfter(copy))
      await sleep(clock, ACKNOWLEDGED_MS)
      if (stream !== this.#stream || !place)
        throw new Error('the write-ahead log restarted while the database was copied')
      report({ copied: file, base: { stream, ...place, at: clock.now() }, oldest: this.#oldest })
    } catch (error) {
      if (this.#copying === copy) this.#copying = undefined
      report({ copied: file, failure: (error as Error).message })
    }
  }

  /** The place of a copy that has all commits. The segments of a stream follow its first copy. */
  #beginAfter(copy: BaseCopy): StreamPlace | undefined {
    if (this.#copying !== copy) return undefined
    this.#copying = undefined
    if (this.#reader) return this.#reader.placeOf(copy.reader)
    this.#reader = copy.reader
    this.#previous = copy.reader.at
    return copy.reader.at
  }
}
