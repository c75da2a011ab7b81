import { type Clock, sleep } from '../../../lib/clock.ts'
import { type CopiedLog, copyBase } from './base-copy.ts'
import type { FromStream, ToStream } from './messages.ts'
import { encodeSegment, type Mark, type Segment, type StreamPlace, streamName } from './segment.ts'
import type { Segments } from './segments.ts'
import { frameBytes, type LogPlace, samePair, WalFile, type WalHeader } from './wal.ts'

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

/** The end of what was read. */
interface Reading {
  readonly header: WalHeader
  readonly place: LogPlace
  readonly log: number
}

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
  /** Whether the stream has a copy to which its segments belong. */
  #isLive = false
  #isCopying = false
  /** Undefined until the log has its first frame. */
  #reading: Reading | undefined
  /** The end of the last segment. */
  #previous: StreamPlace = { log: 0, frame: 0 }
  /** Marks that are not read yet. */
  #marks: Mark[] = []
  /** Segments that were read before the log restarted. */
  #tail: Segment[] = []
  #isStoring = false
  #hanging = 0
  /** The number of frames of a log that was read to its end and may restart. */
  #handedOver: number | undefined
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
        this.#isStoring = true
        await this.#store(segment)
        this.#isStoring = false
      } else if (this.#isFinishing) return
      else await this.#wake.promise
      const left = begunAt + INTERVAL_MS - this.#options.clock.monotonicMs()
      if (left > 0 && !this.#hasMuch && !this.#isFinishing) await sleep(this.#options.clock, left)
    }
  }

  handle(message: ToStream): void {
    if ('marks' in message) this.#note(message.marks)
    else if ('copyTo' in message) void this.#copy(message.copyTo, message.atRest)
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
    this.#isLive = false
    this.#reading = undefined
    this.#handedOver = undefined
    this.#marks = []
    this.#tail = []
    report({ stream: this.#stream, reason })
  }

  #note(marks: readonly (readonly [number, number])[]): void {
    this.#options.report({ received: true })
    if (!this.#isLive || !this.#follow(marks.at(-1)?.[0] ?? 0)) return
    const read = this.#reading?.place.frame ?? 0
    for (const [frame, at] of marks) if (frame > read) this.#marks.push({ frame, at })
    const last = marks.at(-1)?.[1]
    if (last !== undefined && !this.#isStoring && this.#oldestUnread === null)
      this.#options.report({ storedAt: last, oldest: null })
  }

  /** Follows the log to its next beginning. Returns false if the stream ended there. */
  #follow(frame: number): boolean {
    const header = this.#file.header()
    const reading = this.#reading
    if (header && reading && samePair(header.salt, reading.header.salt)) {
      if (frame > (this.#handedOver ?? frame)) this.#handedOver = undefined
      return true
    }
    const isNext =
      header &&
      (!reading ||
        (this.#handedOver === reading.place.frame && header.salt[0] === (reading.header.salt[0] + 1) >>> 0))
    if (!isNext) {
      this.#begin('the write-ahead log restarted before it was read')
      return false
    }
    this.#handedOver = undefined
    this.#reading = {
      header,
      place: { frame: 0, checksum: header.checksum },
      log: (reading?.log ?? 0) + 1,
    }
    return true
  }

  /** The number of frames that can be read. */
  get #waiting(): number {
    return Math.max(0, (this.#marks.at(-1)?.frame ?? 0) - (this.#reading?.place.frame ?? 0))
  }

  get #hasMuch(): boolean {
    const { header } = this.#reading ?? {}
    return (
      this.#tail.length > 0 || (header !== undefined && this.#waiting * frameBytes(header) > SEGMENT_BYTES)
    )
  }

  #next(): Segment | undefined {
    return this.#tail.shift() ?? this.#read()
  }

  #read(): Segment | undefined {
    const reading = this.#reading
    if (!reading || this.#waiting === 0) return undefined
    const { header, place, log } = reading
    const most = Math.min(this.#waiting, Math.floor(SEGMENT_BYTES / frameBytes(header)))
    const { frames, end } = this.#file.read(header, place, most)
    if (end.frame < place.frame + most) {
      this.#begin('frames of the write-ahead log were overwritten before they were read')
      return undefined
    }
    const marks = this.#marks.filter(({ frame }) => frame <= end.frame)
    this.#marks.splice(0, marks.length)
    const segment: Segment = {
      ...header,
      stream: this.#stream,
      log,
      after: place.frame,
      checksum: place.checksum,
      previous: this.#previous,
      marks,
      last: end.frame,
      // In the middle of a commit it is the time of that.
      at: (marks.at(-1) ?? this.#marks[0])?.at ?? 0,
      frames,
    }
    this.#previous = { log, frame: end.frame }
    this.#reading = { ...reading, place: end }
    return segment
  }

  /** Reads the log to its end. Returns whether it may restart. */
  #handOver(frame: number): boolean {
    if (!this.#isLive) return !this.#isCopying
    const { header, place } = this.#reading ?? {}
    if (this.#isCopying || this.#tail.length > 0) return false
    if (!header || !place) return frame === 0
    if ((frame - place.frame) * frameBytes(header) > MAX_TAIL_BYTES) return false
    const stream = this.#stream
    for (let next = this.#read(); next; next = this.#read()) this.#tail.push(next)
    if (stream !== this.#stream || this.#reading?.place.frame !== frame) return false
    this.#handedOver = frame
    return true
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
        report({ storedAt: segment.at, oldest: this.#oldestUnread })
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

  get #oldestUnread(): number | null {
    const marks = [...this.#tail.flatMap((segment) => segment.marks), ...this.#marks]
    return marks[0]?.at ?? null
  }

  async #copy(file: string, atRest: number | null): Promise<void> {
    const { db, clock, report } = this.#options
    const stream = this.#stream
    const before = this.#file.header()
    this.#isCopying = true
    try {
      const copied = await copyBase(db, file, clock)
      await sleep(clock, ACKNOWLEDGED_MS)
      if (stream !== this.#stream)
        throw new Error('the write-ahead log restarted while the database was copied')
      if (!this.#isLive) this.#start(copied, before, atRest)
      report({ copied: file, base: { stream, ...this.#placeOf(copied), at: clock.now() } })
    } catch (error) {
      report({ copied: file, failure: (error as Error).message })
    } finally {
      this.#isCopying = false
    }
  }

  /** The log may have restarted since it was copied, or before that without a mark since. */
  #placeOf(copied: CopiedLog | undefined): StreamPlace {
    const reading = this.#reading
    if (!reading || !copied) return { log: reading?.log ?? 0, frame: reading?.place.frame ?? 0 }
    const later = (copied.header.salt[0] - reading.header.salt[0]) | 0
    return { log: reading.log + later, frame: copied.place.frame }
  }

  /** Begins to read after what was copied. */
  #start(copied: CopiedLog | undefined, before: WalHeader | undefined, atRest: number | null): void {
    this.#isLive = true
    this.#reading = copied && { ...copied, log: 1 }
    this.#previous = { log: copied ? 1 : 0, frame: copied?.place.frame ?? 0 }
    const isSame = copied && before && samePair(copied.header.salt, before.salt)
    this.#handedOver = isSame && atRest === copied.place.frame ? atRest : undefined
  }
}
