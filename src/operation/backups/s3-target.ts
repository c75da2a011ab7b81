import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { S3Settings } from '../../backup-config.ts'
import { type Clock, sleep } from '../../lib/clock.ts'
import { isoTimestamp, parseInstant } from '../../lib/dates.ts'
import { refused } from '../../lib/refusal.ts'
import { Bucket } from './bucket.ts'
import { backupSuffix, encode } from './encoding.ts'
import { Segments } from './stream/segments.ts'
import { type Sum, summed, sumOf } from './sum.ts'
import {
  type BackupTarget,
  type DocumentName,
  instantOf,
  type LatestBackup,
  type MakeCopy,
  type OnProgress,
  type StoredBackup,
  timeName,
} from './target.ts'

/** S3 accepts at most 10,000 parts of at least 5 MiB. */
const MAX_PARTS = 9_000
const MIN_PART_BYTES = 5_242_880
const LATEST = 'latest.json'
/** An object here marks the backup of the same name as not proven yet. */
const UNPROVEN = 'unproven/'

const NAME = /^(\d{4}-\d{2}-\d{2}T\d{6}Z)\.db\.zst(?:\.age)?$/
const SHA256 = /^[0-9a-f]{64}$/

export interface S3TargetOptions {
  readonly settings: S3Settings
  readonly recipients: readonly string[]
  /** Makes a folder for the copy, which needs as much space as the database. */
  readonly folderPrefix: string
  readonly clock: Clock
  readonly onProgress: OnProgress
}

/** The objects below the prefix that are backups, proven or not. */
interface Scan {
  readonly found: readonly StoredBackup[]
  readonly unproven: ReadonlySet<string>
}

/**
 * Objects `<prefix>/2026-11-29T093000Z.db.zst[.age]` in a bucket, and `latest.json`, which names the newest. A backup
 * is marked before its upload, and the mark is removed once the object was read back and its hash compared: a marked
 * backup is not listed, and the next run removes it. So a kill at any moment leaves proven backups only.
 */
export class S3Target implements BackupTarget {
  readonly name: string
  readonly segments: Segments
  readonly #options: S3TargetOptions
  readonly #bucket: Bucket

  constructor(options: S3TargetOptions) {
    this.name = options.settings.name
    this.#options = options
    this.#bucket = new Bucket(options.settings, options.onProgress)
    this.segments = new Segments(this.#bucket)
  }

  async clean(): Promise<void> {
    for (const name of (await this.#scan()).unproven) await this.#discard(name)
  }

  async list(): Promise<StoredBackup[]> {
    const { found, unproven } = await this.#scan()
    return found.filter(({ name }) => !unproven.has(name))
  }

  async latest(): Promise<LatestBackup | undefined> {
    const text = await this.#bucket.readText(LATEST)
    if (text === undefined) return undefined
    const { name, size, sha256, at } = readLatest(text) ?? {}
    if (name === undefined || size === undefined || sha256 === undefined || at === undefined)
      throw refused(`${this.name}/${LATEST} is damaged; it names no backup.`)
    return { name, size, sha256, at }
  }

  async store(copy: MakeCopy): Promise<LatestBackup> {
    const { folderPrefix, onProgress } = this.#options
    const folder = mkdtempSync(folderPrefix)
    try {
      const file = join(folder, 'copy.db')
      const base = await copy(file)
      onProgress()
      return await this.#storeFile(file, base)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  async remove({ name }: StoredBackup): Promise<void> {
    await this.#bucket.delete(name)
    await this.segments.removeBase(name)
  }

  read = ({ name }: StoredBackup): AsyncGenerator<Uint8Array> => this.#bucket.read(name)

  async readDocument(name: DocumentName): Promise<unknown> {
    const text = await this.#bucket.readText(`${name}.json`)
    return text === undefined ? undefined : parsed(text)
  }

  writeDocument = (name: DocumentName, value: object) =>
    this.#bucket.write(`${name}.json`, JSON.stringify(value))

  async #storeFile(file: string, base: Awaited<ReturnType<MakeCopy>>): Promise<LatestBackup> {
    const { clock, recipients } = this.#options
    const { found } = await this.#scan()
    const suffix = backupSuffix(recipients.length > 0)
    // Rounded up: the copy was begun before this instant, so nothing committed later is in it.
    let at = Math.ceil(clock.now() / 1_000) * 1_000
    while (found.some(({ name }) => name === timeName(at) + suffix)) at += 1_000
    const name = timeName(at) + suffix
    await this.#bucket.write(UNPROVEN + name, ' ')
    let sum: Sum
    try {
      sum = await this.#upload(file, name)
      await this.#prove(name, sum)
      if (base) await this.segments.writeBase(name, base)
    } catch (error) {
      await this.#discard(name)
      throw error
    }
    if (at > clock.now()) await sleep(clock, at - clock.now(), new AbortController().signal)
    await this.#bucket.delete(UNPROVEN + name)
    await this.#writeProven(LATEST, JSON.stringify({ name, ...sum, at: isoTimestamp(at) }))
    return { name, at, ...sum }
  }

  /** Returns size and hash of what was sent. */
  async #upload(file: string, name: string): Promise<Sum> {
    const { recipients, onProgress } = this.#options
    const partSize = Math.max(MIN_PART_BYTES, Math.ceil(statSync(file).size / MAX_PARTS))
    const content = summed(await encode(file, recipients), { onProgress })
    await this.#bucket.writeParts(name, content.chunks, partSize)
    return content.sum()
  }

  async #prove(name: string, sent: Sum): Promise<void> {
    const stored = await sumOf(this.#bucket.read(name), sent.size)
    if (stored.size === sent.size && stored.sha256 === sent.sha256) return
    throw refused(`${this.name} returned other content than was uploaded, so the upload was removed.`)
  }

  /** The mark stays until the object is gone. */
  async #discard(name: string): Promise<void> {
    await this.#bucket.delete(name)
    if (await this.#bucket.exists(name))
      throw refused(`${this.name} did not delete ${name}, which was never proven; delete it there.`)
    await this.segments.removeBase(name)
    await this.#bucket.delete(UNPROVEN + name)
  }

  async #scan(): Promise<Scan> {
    const found = (await this.#bucket.list('', { isDeep: false })).flatMap(({ name, size }) => {
      const at = instantOf(NAME.exec(name)?.[1] ?? '')
      return at === undefined ? [] : [{ name, at, size }]
    })
    const marks = await this.#bucket.list(UNPROVEN, { isDeep: false })
    return {
      found: found.sort((left, right) => left.at - right.at),
      unproven: new Set(marks.map(({ name }) => name.slice(UNPROVEN.length))),
    }
  }

  async #writeProven(name: string, text: string): Promise<void> {
    await this.#bucket.write(name, text)
    if ((await this.#bucket.readText(name)) !== text)
      throw refused(`${this.name} returned another ${name} than was written.`)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The backup that `latest.json` names; undefined if it is damaged. */
function readLatest(text: string): LatestBackup | undefined {
  const { name, size, sha256, at } = Object(parsed(text)) as Record<string, unknown>
  const instant = typeof at === 'string' ? parseInstant(at) : undefined
  const isWhole =
    typeof name === 'string' &&
    NAME.test(name) &&
    Number.isSafeInteger(size) &&
    typeof sha256 === 'string' &&
    SHA256.test(sha256)
  return isWhole && instant !== undefined ? { name, size: size as number, sha256, at: instant } : undefined
}
