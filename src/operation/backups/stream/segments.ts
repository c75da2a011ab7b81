import { refused } from '../../../lib/refusal.ts'
import type { Bucket } from '../bucket.ts'
import {
  isAfter,
  parseSegmentName,
  placeName,
  SEGMENTS,
  type SegmentName,
  type StreamPlace,
} from './segment.ts'

/** The place in a stream at which a full backup was copied. */
export interface StreamBase extends StreamPlace {
  readonly stream: string
  /** Nothing that was committed at this instant or later is in the backup. In milliseconds. */
  readonly at: number
}

/** An object `streams/<time of the backup>.json` for each backup with segments after it. */
const BASES = 'streams/'
const baseName = (backup: string) => `${BASES}${backup.slice(0, backup.indexOf('.'))}.json`

const MAX_PARALLEL = 8

/** Runs the action for each item, a few at a time. */
async function inParallel<T>(items: readonly T[], action: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]()
  const work = async () => {
    for (const item of left) await action(item)
  }
  await Promise.all(Array.from({ length: MAX_PARALLEL }, work))
}

/** The segments of the write-ahead log in a bucket, and which backups they follow. */
export class Segments {
  readonly #bucket: Bucket

  constructor(bucket: Bucket) {
    this.#bucket = bucket
  }

  /** Stores a segment and proves it by reading it back; what differs is deleted. */
  async store(name: string, content: Uint8Array): Promise<void> {
    await this.#bucket.write(name, content)
    if (Buffer.compare(await this.#bucket.readBytes(name), content) === 0) return
    await this.#bucket.delete(name)
    throw refused(
      `${this.#bucket.name} returned other content than was uploaded, so the segment was removed.`,
    )
  }

  read = ({ name }: SegmentName): Promise<Uint8Array> => this.#bucket.readBytes(name)

  /** The segments of a stream after a place, in their order. */
  async listAfter(base: StreamBase): Promise<SegmentName[]> {
    const folder = `${SEGMENTS}${base.stream}/`
    const after = `${folder}${placeName(base)}`
    const found = await this.#bucket.list(folder, { isDeep: true, after })
    return found
      .flatMap(({ name }) => parseSegmentName(name) ?? [])
      .filter((name) => isAfter(name, base))
      .sort((left, right) => left.log - right.log || left.frame - right.frame)
  }

  async writeBase(backup: string, base: StreamBase): Promise<void> {
    const text = JSON.stringify(base)
    await this.#bucket.write(baseName(backup), text)
    if ((await this.#bucket.readText(baseName(backup))) !== text)
      throw refused(`${this.#bucket.name} returned another ${baseName(backup)} than was written.`)
  }

  /** Undefined for a backup without segments after it. */
  async findBase(backup: string): Promise<StreamBase | undefined> {
    const text = await this.#bucket.readText(baseName(backup))
    return text === undefined ? undefined : asBase(text, `${this.#bucket.name}/${baseName(backup)}`)
  }

  removeBase = (backup: string): Promise<void> => this.#bucket.delete(baseName(backup))

  /**
   * Removes the segments that none of the backups needs, but none of streams that began after the newest backup, which
   * may need a first one.
   */
  async removeUnneeded(backups: readonly string[], newest: string): Promise<void> {
    const kept = new Set(backups.map(baseName))
    const oldest = new Map<string, StreamPlace>()
    for (const { name } of await this.#bucket.list(BASES, { isDeep: true })) {
      if (!kept.has(name)) await this.#bucket.delete(name)
      const base = kept.has(name) ? await this.findBase(name.slice(BASES.length)) : undefined
      const known = base && oldest.get(base.stream)
      if (base && (!known || isAfter(known, base))) oldest.set(base.stream, base)
    }
    const current = (await this.findBase(newest))?.stream
    const isUnneeded = ({ name }: { readonly name: string }) => {
      const stream = name.slice(SEGMENTS.length, name.lastIndexOf('/'))
      const segment = parseSegmentName(name)
      if (!segment || (current !== undefined && stream > current)) return false
      const base = oldest.get(stream)
      return !base || !isAfter(segment, base)
    }
    for await (const page of this.#bucket.pages(SEGMENTS, { isDeep: true }))
      await inParallel(page.filter(isUnneeded), ({ name }) => this.#bucket.delete(name))
  }
}

function asBase(text: string, name: string): StreamBase {
  try {
    const { stream, log, frame, at } = JSON.parse(text)
    if (typeof stream === 'string' && [log, frame, at].every(Number.isSafeInteger))
      return { stream, log, frame, at }
  } catch {
    // Refused below.
  }
  throw refused(`${name} is damaged; it names no place in a stream.`)
}
