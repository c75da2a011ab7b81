import { isoTimestamp } from '../../../lib/dates.ts'
import { decodeBytes, encodeBytes } from '../encoding.ts'
import { endIn, frameBytes, type LogPlace, type Pair, type WalHeader } from './wal.ts'

/*
 * A segment of the write-ahead log in a bucket: one line of JSON, then the frames as they are in the log, compressed and
 * encrypted like a backup. Its name sorts by place and holds the time of its last commit and its hash:
 *
 *   segments/<stream>/<log>-<last frame>.<time>.<SHA-256>.wal.zst[.age]
 *
 * A stream is an unbroken run of segments. Its logs are counted from 1: each restart of the log begins another.
 */

/** The end of a number of frames in a stream. */
export interface StreamPlace {
  readonly log: number
  readonly frame: number
}

/** The frames up to here were committed at this time or earlier; the next frame begins a commit. */
export interface Mark {
  readonly frame: number
  /** In milliseconds. */
  readonly at: number
}

interface SegmentHeader extends WalHeader {
  readonly stream: string
  readonly log: number
  /** The frames before those of the segment, in its log. `checksum` is the one after them. */
  readonly after: number
  /** The end of the segment before. */
  readonly previous: StreamPlace
  readonly marks: readonly Mark[]
  /** The time of its last commit, even if that commit continues in the next segment. */
  readonly at: number
}

export interface Segment extends SegmentHeader {
  readonly last: number
  readonly frames: Buffer
}

/** A segment whose frames were verified. */
export interface VerifiedSegment extends Segment {
  readonly end: LogPlace
}

/** A stored segment, as its name describes it. */
export interface SegmentName extends StreamPlace {
  readonly name: string
  /** The time of its last commit. */
  readonly at: number
  readonly sha256: string
}

export const SEGMENTS = 'segments/'

export const streamName = (instant: number): string => isoTimestamp(instant).replace(/[:.]/g, '')

const NAME =
  /^(\d{10})-(\d{8})\.(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.([0-9a-f]{64})\.wal\.zst(?:\.age)?$/

/** Undefined for an object that is no segment. */
export function parseSegmentName(name: string): SegmentName | undefined {
  const [, log, frame, day, hours, minutes, seconds, ms, sha256 = ''] =
    NAME.exec(name.slice(name.lastIndexOf('/') + 1)) ?? []
  const at = Date.parse(`${day}T${hours}:${minutes}:${seconds}.${ms}Z`)
  return Number.isNaN(at) ? undefined : { name, log: Number(log), frame: Number(frame), at, sha256 }
}

const padded = (count: number, digits: number) => String(count).padStart(digits, '0')

/**
 * The beginning of the name of the segment that ends here. Names sort by place: a log that restarts every second has
 * seven digits within two weeks.
 */
export const placeName = ({ log, frame }: StreamPlace): string => `${padded(log, 10)}-${padded(frame, 8)}`

/** The content of a segment as it is stored, and its name. */
export async function encodeSegment(
  segment: Segment,
  recipients: readonly string[],
): Promise<{ readonly name: string; readonly content: Uint8Array }> {
  const { frames, last, ...header } = segment
  const plain = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), frames])
  const content = await encodeBytes(plain, recipients)
  const hash = new Bun.CryptoHasher('sha256').update(content).digest('hex')
  const suffix = `.wal.zst${recipients.length > 0 ? '.age' : ''}`
  return {
    name: `${SEGMENTS}${segment.stream}/${placeName({ log: segment.log, frame: last })}.${streamName(segment.at)}.${hash}${suffix}`,
    content,
  }
}

/** Decodes and verifies a segment. Throws for content that is not what was stored. */
export async function decodeSegment(
  { sha256, log, frame }: SegmentName,
  content: Uint8Array,
  identity: string | undefined,
): Promise<VerifiedSegment> {
  if (new Bun.CryptoHasher('sha256').update(content).digest('hex') !== sha256)
    throw new Error('its hash differs')
  const plain = Buffer.from(await decodeBytes(content, identity))
  const end = plain.indexOf('\n')
  const header = JSON.parse(plain.toString('utf8', 0, end)) as SegmentHeader
  const segment = { ...header, last: frame, frames: plain.subarray(end + 1) }
  const verified = endOf(segment)
  if (header.log !== log || verified?.frame !== frame) throw new Error('the checksum of a frame differs')
  return { ...segment, end: verified }
}

/** Undefined if not every byte belongs to a valid frame. */
function endOf(segment: Segment): LogPlace | undefined {
  const { after, checksum, frames } = segment
  const end = endIn(frames, segment, { frame: after, checksum })
  return (end.frame - after) * frameBytes(segment) === frames.length ? end : undefined
}

export const isAfter = (one: StreamPlace, other: StreamPlace) =>
  one.log > other.log || (one.log === other.log && one.frame > other.frame)

/** Whether the segment continues the log at this place, with this salt. */
export const continues = (segment: Segment, { salt, place }: { salt: Pair; place: LogPlace }): boolean =>
  segment.after === place.frame &&
  segment.salt[0] === salt[0] &&
  segment.salt[1] === salt[1] &&
  segment.checksum[0] === place.checksum[0] &&
  segment.checksum[1] === place.checksum[1]
