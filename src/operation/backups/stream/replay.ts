import { open } from 'node:fs/promises'
import { isoTimestamp } from '../../../lib/dates.ts'
import { refused } from '../../../lib/refusal.ts'
import { isEncrypted } from '../encoding.ts'
import { finishDatabase } from './base-copy.ts'
import { runsOf } from './page-runs.ts'
import { continues, decodeSegment, isAfter, type SegmentName, type VerifiedSegment } from './segment.ts'
import type { Segments, StreamBase } from './segments.ts'
import { verifiedFrames } from './wal.ts'

export interface ReplayOptions {
  /** The bucket, for messages. */
  readonly source: string
  readonly segments: Segments
  readonly base: StreamBase
  /** The restored backup, to which the segments are applied. */
  readonly file: string
  readonly identity: string | undefined
  /** Nothing that was committed at this instant or later is applied. */
  readonly before: number | undefined
  /** Called with the share of the segments that were read. */
  readonly onRead?: (share: number) => void
}

export interface Replayed {
  readonly segments: number
  /** The time of the last commit. */
  readonly upTo: number
}

const MAX_AHEAD = 8

/** The last commit to be applied. */
interface Stop {
  readonly index: number
  readonly frame: number
}

/** Applies the segments after a backup. Refuses damaged and missing ones. */
export async function replay(options: ReplayOptions): Promise<Replayed> {
  const { segments, base, before } = options
  const names = await segments.listAfter(base)
  const reading = new SegmentReading(options, names)
  const stop = await findStop(reading, names, base, before)
  if (!stop) return { segments: 0, upTo: base.at }
  const target = await open(options.file, 'r+')
  try {
    return await apply(reading, stop, options, target)
  } finally {
    await target.close()
  }
}

async function findStop(
  reading: SegmentReading,
  names: readonly SegmentName[],
  base: StreamBase,
  before = Number.POSITIVE_INFINITY,
): Promise<Stop | undefined> {
  const first = names.findIndex(({ at }) => at >= before)
  for (let index = first === -1 ? names.length - 1 : first; index >= 0; index--) {
    // Every commit of this segment is later; it may be a damaged one.
    if (index === first && Math.max(base.at, names[index - 1]?.at ?? 0) === before - 1) continue
    const { log, marks } = await reading.load(index)
    const mark = marks.findLast(({ at }) => at < before)
    if (!mark) continue
    // The backup is later than this mark, and frames before its place would mix two states.
    return isAfter({ log, frame: mark.frame }, base) ? { index, frame: mark.frame } : undefined
  }
  return undefined
}

async function apply(
  reading: SegmentReading,
  stop: Stop,
  { base, onRead = () => {} }: ReplayOptions,
  target: Awaited<ReturnType<typeof open>>,
): Promise<Replayed> {
  let bytes: number | undefined
  let upTo = base.at
  for (let index = 0; index <= stop.index; index++) {
    const segment = await reading.next(index, stop.index, upTo)
    const { pageSize } = segment
    const isLast = index === stop.index
    const newest = new Map<number, Buffer>()
    let last = segment.after
    for (const { page, pages, content } of verifiedFrames(segment.frames, segment)) {
      last += 1
      if (isLast && last > stop.frame) break
      newest.set(page, content)
      if (pages > 0) bytes = pages * pageSize
    }
    for (const { page, contents } of runsOf(newest)) {
      const run = Buffer.concat(contents)
      await target.write(run, 0, run.length, (page - 1) * pageSize)
    }
    const marks = isLast ? segment.marks.filter(({ frame }) => frame <= stop.frame) : segment.marks
    // The commits right after those of the backup may be a moment older than its time.
    upTo = Math.max(upTo, marks.at(-1)?.at ?? 0)
    onRead((index + 1) / (stop.index + 1))
  }
  await finishDatabase(target, bytes)
  return { segments: stop.index + 1, upTo }
}

/** Reads segments ahead, and verifies that each continues the one before it. */
class SegmentReading {
  readonly #options: ReplayOptions
  readonly #names: readonly SegmentName[]
  readonly #ahead = new Map<number, Promise<VerifiedSegment>>()
  #last: VerifiedSegment | undefined

  constructor(options: ReplayOptions, names: readonly SegmentName[]) {
    this.#options = options
    this.#names = names
  }

  /** Refuses a damaged segment. */
  async load(index: number): Promise<VerifiedSegment> {
    const name = this.#names[index] as SegmentName
    try {
      return await this.#read(name)
    } catch (error) {
      throw await this.#refusal(index, `${name.name} is damaged (${(error as Error).message})`)
    }
  }

  async next(index: number, last: number, upTo: number): Promise<VerifiedSegment> {
    for (let ahead = index; ahead <= Math.min(index + MAX_AHEAD, last); ahead++)
      if (!this.#ahead.has(ahead)) {
        const reading = this.#read(this.#names[ahead] as SegmentName)
        // Reported when it is its turn.
        reading.catch(() => {})
        this.#ahead.set(ahead, reading)
      }
    const name = (this.#names[index] as SegmentName).name
    let segment: VerifiedSegment
    try {
      segment = (await this.#ahead.get(index)) as VerifiedSegment
    } catch (error) {
      throw this.#broken(`${name} is damaged (${(error as Error).message})`, upTo)
    }
    this.#ahead.delete(index)
    if (!this.#isNext(segment)) throw this.#broken(`the segment before ${name} is missing`, upTo)
    this.#last = segment
    return segment
  }

  async #read(name: SegmentName): Promise<VerifiedSegment> {
    const { segments, identity } = this.#options
    return decodeSegment(name, await segments.read(name), isEncrypted(name.name) ? identity : undefined)
  }

  #isNext(segment: VerifiedSegment): boolean {
    const { base } = this.#options
    if (segment.stream !== base.stream) return false
    if (!this.#last) {
      const begins = segment.log === base.log ? segment.after <= base.frame : segment.after === 0
      return begins && segment.log <= base.log + 1 && !isAfter(segment.previous, base)
    }
    const last = this.#last
    if (segment.previous.log !== last.log || segment.previous.frame !== last.last) return false
    if (segment.log === last.log) return continues(segment, { salt: last.salt, place: last.end })
    return segment.log === last.log + 1 && segment.after === 0 && segment.salt[0] === (last.salt[0] + 1) >>> 0
  }

  /** The times in the names tell up to when the segments before a damaged one reach. */
  async #refusal(index: number, why: string): Promise<Error> {
    let upTo = this.#options.base.at
    for (let earlier = 0; earlier < index; earlier++)
      upTo = Math.max(upTo, (await this.next(earlier, index - 1, upTo)).at)
    return this.#broken(why, upTo)
  }

  #broken(why: string, upTo: number): Error {
    return refused(
      `The log at ${this.#options.source} can be restored up to ${isoTimestamp(upTo)} only: ${why}. Give --at ${isoTimestamp(upTo + 1)} to restore that state; nothing was restored.`,
    )
  }
}
