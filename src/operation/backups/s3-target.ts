import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { S3Settings } from '../../backup-config.ts'
import { type Clock, sleep } from '../../lib/clock.ts'
import { isoTimestamp, parseInstant } from '../../lib/dates.ts'
import { refused } from '../../lib/refusal.ts'
import { backupSuffix, encode } from './encoding.ts'
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
const MAX_LIST_PAGES = 1_000
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

/** The sentence for a failed request to a store. */
export function asStoreRefusal(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error.name !== 'S3Error') return error
  const { code = 'unknown' } = error as { code?: string }
  return refused(`${name} failed (${code}: ${error.message}).`)
}

/**
 * Objects `<prefix>/2026-11-29T093000Z.db.zst[.age]` in a bucket, and `latest.json`, which names the newest. A backup
 * is marked before its upload, and the mark is removed once the object was read back and its hash compared: a marked
 * backup is not listed, and the next run removes it. So a kill at any moment leaves proven backups only.
 */
export class S3Target implements BackupTarget {
  readonly name: string
  readonly #options: S3TargetOptions
  readonly #client: Bun.S3Client

  constructor(options: S3TargetOptions) {
    const { bucket, endpoint, region, credentials, name } = options.settings
    this.name = name
    this.#options = options
    // An empty token, because a missing one would be read from the environment.
    this.#client = new Bun.S3Client({ bucket, endpoint, region, sessionToken: '', ...credentials })
  }

  clean = () =>
    this.#asking(async () => {
      for (const name of (await this.#scan()).unproven) await this.#discard(name)
    })

  list = () =>
    this.#asking(async () => {
      const { found, unproven } = await this.#scan()
      return found.filter(({ name }) => !unproven.has(name))
    })

  latest = () =>
    this.#asking(async (): Promise<LatestBackup | undefined> => {
      const text = await this.#readText(LATEST)
      if (text === undefined) return undefined
      const { name, size, sha256, at } = readLatest(text) ?? {}
      if (name === undefined || size === undefined || sha256 === undefined || at === undefined)
        throw refused(`${this.name}/${LATEST} is damaged; it names no backup.`)
      return { name, size, sha256, at }
    })

  store = (copy: MakeCopy) =>
    this.#asking(async (): Promise<LatestBackup> => {
      const { folderPrefix, onProgress } = this.#options
      const folder = mkdtempSync(folderPrefix)
      try {
        const file = join(folder, 'copy.db')
        await copy(file)
        onProgress()
        return await this.#storeFile(file)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })

  remove = ({ name }: StoredBackup) => this.#asking(() => this.#delete(name))

  async *read({ name }: StoredBackup): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.#client.file(this.#key(name)).stream()) {
        this.#options.onProgress()
        yield chunk
      }
    } catch (error) {
      throw asStoreRefusal(error, this.name)
    }
  }

  readDocument = (name: DocumentName) =>
    this.#asking(async (): Promise<unknown> => {
      const text = await this.#readText(`${name}.json`)
      return text === undefined ? undefined : parsed(text)
    })

  writeDocument = (name: DocumentName, value: object) =>
    this.#asking(() => this.#write(`${name}.json`, JSON.stringify(value)))

  async #storeFile(file: string): Promise<LatestBackup> {
    const { clock, recipients } = this.#options
    const { found } = await this.#scan()
    const suffix = backupSuffix(recipients.length > 0)
    // Rounded up: the copy was begun before this instant, so nothing committed later is in it.
    let at = Math.ceil(clock.now() / 1_000) * 1_000
    while (found.some(({ name }) => name === timeName(at) + suffix)) at += 1_000
    const name = timeName(at) + suffix
    await this.#write(UNPROVEN + name, ' ')
    let sum: Sum
    try {
      sum = await this.#upload(file, name)
      await this.#prove(name, sum)
    } catch (error) {
      await this.#discard(name)
      throw error
    }
    if (at > clock.now()) await sleep(clock, at - clock.now(), new AbortController().signal)
    await this.#delete(UNPROVEN + name)
    await this.#writeProven(LATEST, JSON.stringify({ name, ...sum, at: isoTimestamp(at) }))
    return { name, at, ...sum }
  }

  /** Returns size and hash of what was sent. Waits for each part, so that a slow store fills no memory. */
  async #upload(file: string, name: string): Promise<Sum> {
    const { recipients, onProgress } = this.#options
    const partSize = Math.max(MIN_PART_BYTES, Math.ceil(statSync(file).size / MAX_PARTS))
    const writer = this.#client.file(this.#key(name)).writer({ partSize, queueSize: 1, retry: 3 })
    const content = summed(await encode(file, recipients), { onProgress })
    let unsent = 0
    for await (const chunk of content.chunks) {
      writer.write(chunk)
      unsent += chunk.length
      if (unsent < partSize) continue
      await writer.flush()
      unsent = 0
    }
    await writer.end()
    return content.sum()
  }

  async #prove(name: string, sent: Sum): Promise<void> {
    const stored = await sumOf(this.read({ name, at: 0, size: 0 }), sent.size)
    if (stored.size === sent.size && stored.sha256 === sent.sha256) return
    throw refused(`${this.name} returned other content than was uploaded, so the upload was removed.`)
  }

  /** The mark stays until the object is gone. */
  async #discard(name: string): Promise<void> {
    await this.#delete(name)
    if (await this.#client.exists(this.#key(name)))
      throw refused(`${this.name} did not delete ${name}, which was never proven; delete it there.`)
    await this.#delete(UNPROVEN + name)
  }

  async #scan(): Promise<Scan> {
    const found: StoredBackup[] = []
    const unproven = new Set<string>()
    const start = this.#key('')
    let continuationToken: string | undefined
    for (let page = 0; page < MAX_LIST_PAGES; page++) {
      const answer = await this.#client.list({
        prefix: start,
        ...(continuationToken && { continuationToken }),
      })
      for (const { key, size = 0 } of answer.contents ?? []) {
        const name = key.slice(start.length)
        const at = instantOf(NAME.exec(name)?.[1] ?? '')
        if (at !== undefined) found.push({ name, at, size })
        else if (name.startsWith(UNPROVEN)) unproven.add(name.slice(UNPROVEN.length))
      }
      continuationToken = answer.isTruncated ? answer.nextContinuationToken : undefined
      if (continuationToken === undefined)
        return { found: found.sort((left, right) => left.at - right.at), unproven }
    }
    throw refused(
      `${this.name} lists more objects than a place for backups has; give daybook its own prefix.`,
    )
  }

  async #readText(name: string): Promise<string | undefined> {
    try {
      return await this.#client.file(this.#key(name)).text()
    } catch (error) {
      if ((error as { code?: string }).code === 'NoSuchKey') return undefined
      throw error
    }
  }

  async #write(name: string, text: string): Promise<void> {
    await this.#client.write(this.#key(name), text)
    this.#options.onProgress()
  }

  async #writeProven(name: string, text: string): Promise<void> {
    await this.#write(name, text)
    if ((await this.#readText(name)) !== text)
      throw refused(`${this.name} returned another ${name} than was written.`)
  }

  async #delete(name: string): Promise<void> {
    await this.#client.delete(this.#key(name))
    this.#options.onProgress()
  }

  #key(name: string): string {
    const { prefix } = this.#options.settings
    return prefix === '' ? name : `${prefix}/${name}`
  }

  async #asking<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action()
    } catch (error) {
      throw asStoreRefusal(error, this.name)
    }
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
