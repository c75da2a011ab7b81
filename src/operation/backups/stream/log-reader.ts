import type { StreamPlace } from './segment.ts'
import { frameBytes, type LogPlace, type Pair, samePair, type WalFile, type WalHeader } from './wal.ts'

/** The end of a log. */
export interface LogEnd {
  /** Undefined for a log without a header. */
  readonly salt?: Pair | undefined
  /** The number of frames of all commits. */
  readonly frames: number
  /** Whether the database has all of them, so that the next commit restarts the log. */
  readonly isInDatabase: boolean
}

/** Frames that follow one another in a log. */
export interface LogPart {
  readonly header: WalHeader
  /** The number of the log, from 1. */
  readonly log: number
  readonly after: LogPlace
  readonly end: LogPlace
  readonly frames: Buffer
}

const NOWHERE: LogPlace = { frame: 0, checksum: [0, 0] }

/**
 * Reads the frames of commits one after another, and goes on with the next log when the log restarts. Logs are counted
 * from 1; the number is 0 until the first commit.
 */
export class LogReader {
  readonly #file: WalFile
  #header: WalHeader | undefined
  #log = 0
  #place = NOWHERE
  /** The number of frames that are known to be committed. */
  #end = 0
  /** The number of frames of a log that was read to its end and may restart. */
  #handedOver: number | undefined

  /** Begins with the frames that the database lacks, or may lack. */
  constructor(file: WalFile, { salt, frames, isInDatabase }: LogEnd) {
    this.#file = file
    const header = file.header()
    if (!header) return
    this.#begin(header)
    // It may have restarted since.
    if (!salt || !samePair(salt, header.salt)) return
    this.#end = frames
    const end = isInDatabase ? file.placeAt(header, frames) : undefined
    if (!end) return
    this.#place = end
    this.#handedOver = frames
  }

  get at(): StreamPlace {
    return { log: this.#log, frame: this.#place.frame }
  }

  /** The bytes that can be read. */
  get waiting(): number {
    return this.#header ? (this.#end - this.#place.frame) * frameBytes(this.#header) : 0
  }

  /** The bytes to this frame. */
  bytesTo(frame: number): number {
    return this.#header ? (frame - this.#place.frame) * frameBytes(this.#header) : 0
  }

  /** Every frame up to this one is committed. Returns false if the log restarted before it was read. */
  extend(frame: number): boolean {
    const [header, known] = [this.#file.header(), this.#header]
    if (header && known && samePair(header.salt, known.salt)) {
      this.#end = Math.max(this.#end, frame)
      if (frame > (this.#handedOver ?? frame)) this.#handedOver = undefined
      return true
    }
    const isNext =
      !known || (this.#handedOver === this.#place.frame && header?.salt[0] === (known.salt[0] + 1) >>> 0)
    if (!header || !isNext) return false
    this.#begin(header)
    this.#end = frame
    return true
  }

  /** The next frames; undefined without any. Throws if they were overwritten. */
  read(mostBytes: number): LogPart | undefined {
    const [header, after] = [this.#header, this.#place]
    if (!header || this.#end <= after.frame) return undefined
    const most = Math.min(this.#end - after.frame, Math.floor(mostBytes / frameBytes(header)))
    const { frames, end } = this.#file.read(header, after, most)
    if (end.frame < after.frame + most)
      throw new Error('frames of the write-ahead log were overwritten before they were read')
    this.#place = end
    return { header, log: this.#log, after, end, frames }
  }

  /** The log may restart after this frame. Returns false if it was not read so far. */
  handOver(frame: number): boolean {
    if (this.#place.frame !== frame) return false
    this.#handedOver = frame
    return true
  }

  /** The place of another reader of this log, which began to count at another time. */
  placeOf(other: LogReader): StreamPlace {
    if (!this.#header || !other.#header) return this.at
    const later = (other.#header.salt[0] - this.#header.salt[0]) | 0
    return { log: this.#log + later, frame: other.#place.frame }
  }

  #begin(header: WalHeader): void {
    this.#header = header
    this.#log += 1
    this.#place = { frame: 0, checksum: header.checksum }
    this.#handedOver = undefined
  }
}
