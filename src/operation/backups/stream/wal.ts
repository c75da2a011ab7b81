import { closeSync, openSync, readSync } from 'node:fs'

/*
 * The write-ahead log as SQLite writes it (https://sqlite.org/fileformat2.html, section 4): a header of 32 bytes, then
 * frames, each of a header of 24 bytes and a page. Every frame has the salt of the header and a checksum of everything
 * before it, so that frames of an earlier log, and frames that are half written, are recognized.
 */

export const WAL_HEADER_BYTES = 32
export const FRAME_HEADER_BYTES = 24
const MAGIC = 0x377f0682
const VERSION = 3_007_000

export type Pair = readonly [number, number]

export interface WalHeader {
  readonly pageSize: number
  /** Whether checksums are computed over big-endian numbers. */
  readonly isBigEndian: boolean
  /** The first number grows by one whenever the log restarts from its beginning. */
  readonly salt: Pair
  /** The checksum before the first frame. */
  readonly checksum: Pair
}

/** The frames up to a place in a log. */
export interface LogPlace {
  /** The number of frames. */
  readonly frame: number
  /** The checksum after them. */
  readonly checksum: Pair
}

/** The numbers of four bytes in a log, in the order of bytes of its checksums. */
function wordsOf(bytes: Buffer, isBigEndian: boolean): Uint32Array {
  const length = bytes.length - (bytes.length % 4)
  if (isBigEndian) return wordsOf(Buffer.from(bytes.subarray(0, length)).swap32(), false)
  const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  return new Uint32Array(buffer, byteOffset, length / 4)
}

/** Continues a checksum over the words from one to another, whose number is even. */
function checksumOf([first, second]: Pair, words: Uint32Array, from: number, to: number): Pair {
  let [left, right] = [first, second]
  for (let at = from; at < to; at += 2) {
    left = (left + (words[at] as number) + right) | 0
    right = (right + (words[at + 1] as number) + left) | 0
  }
  return [left >>> 0, right >>> 0]
}

const pairAt = (bytes: Buffer, at: number): Pair => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
export const samePair = (one: Pair, other: Pair) => one[0] === other[0] && one[1] === other[1]

/** Undefined for bytes that are no complete header. */
export function parseHeader(bytes: Buffer): WalHeader | undefined {
  if (bytes.length < WAL_HEADER_BYTES) return undefined
  const magic = bytes.readUInt32BE(0)
  if ((magic | 1) >>> 0 !== (MAGIC | 1) || bytes.readUInt32BE(4) !== VERSION) return undefined
  const isBigEndian = magic !== MAGIC
  const checksum = checksumOf([0, 0], wordsOf(bytes, isBigEndian), 0, 6)
  if (!samePair(checksum, pairAt(bytes, 24))) return undefined
  return { pageSize: bytes.readUInt32BE(8), isBigEndian, salt: pairAt(bytes, 16), checksum }
}

export const frameBytes = ({ pageSize }: Pick<WalHeader, 'pageSize'>): number => FRAME_HEADER_BYTES + pageSize

export interface Frame {
  /** The number of the page, from 1. */
  readonly page: number
  /** The number of pages of the database after the commit that this frame ends; 0 in the middle of a commit. */
  readonly pages: number
  readonly content: Buffer
}

const frameAt = (bytes: Buffer, at: number, pageSize: number): Frame => ({
  page: bytes.readUInt32BE(at),
  pages: bytes.readUInt32BE(at + 4),
  content: bytes.subarray(at + FRAME_HEADER_BYTES, at + FRAME_HEADER_BYTES + pageSize),
})

/** The frames in bytes that were verified. */
export function* verifiedFrames(bytes: Buffer, header: Pick<WalHeader, 'pageSize'>): Generator<Frame> {
  const size = frameBytes(header)
  for (let at = 0; at + size <= bytes.length; at += size) yield frameAt(bytes, at, header.pageSize)
}

/** The place after the frames that continue the log after a place, up to the first one that is not of this log. */
export function endIn(bytes: Buffer, header: WalHeader, after: LogPlace): LogPlace {
  const size = frameBytes(header)
  const words = wordsOf(bytes, header.isBigEndian)
  let place = after
  for (let at = 0; at + size <= bytes.length; at += size) {
    if (!samePair(pairAt(bytes, at + 8), header.salt)) return place
    const begun = checksumOf(place.checksum, words, at / 4, at / 4 + 2)
    const checksum = checksumOf(begun, words, (at + FRAME_HEADER_BYTES) / 4, (at + size) / 4)
    if (!samePair(checksum, pairAt(bytes, at + 16))) return place
    place = { frame: place.frame + 1, checksum }
  }
  return place
}

/** Reads the log of a database that another process writes. */
export class WalFile {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Undefined for a log without a header. */
  header(): WalHeader | undefined {
    return parseHeader(this.#read(0, WAL_HEADER_BYTES))
  }

  /** The end of this number of frames; undefined if the log with this header does not have them. */
  placeAt(header: WalHeader, frame: number): LogPlace | undefined {
    if (frame === 0) return { frame, checksum: header.checksum }
    const head = this.#read(WAL_HEADER_BYTES + (frame - 1) * frameBytes(header), FRAME_HEADER_BYTES)
    const isWhole = head.length === FRAME_HEADER_BYTES && samePair(pairAt(head, 8), header.salt)
    return isWhole ? { frame, checksum: pairAt(head, 16) } : undefined
  }

  /** At most so many frames after a place, verified. Ends early where the log ends. */
  read(
    header: WalHeader,
    after: LogPlace,
    most: number,
  ): { readonly frames: Buffer; readonly end: LogPlace } {
    const size = frameBytes(header)
    const bytes = this.#read(WAL_HEADER_BYTES + after.frame * size, most * size)
    const end = endIn(bytes, header, after)
    return { frames: bytes.subarray(0, (end.frame - after.frame) * size), end }
  }

  /** Opened for each call: a log that is replaced or removed is read as it is. */
  #read(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    const descriptor = openSync(this.#path, 'r')
    try {
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position))
    } finally {
      closeSync(descriptor)
    }
  }
}
