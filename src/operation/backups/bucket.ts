import type { S3Settings } from '../../backup-config.ts'
import { refused } from '../../lib/refusal.ts'
import type { OnProgress } from './target.ts'

/** Of 1,000 objects each. */
const MAX_LIST_PAGES = 10_000

/** The longest text of a store in a message, in characters. */
const MAX_STORE_TEXT = 300

export interface StoredObject {
  /** Without the prefix. */
  readonly name: string
  readonly size: number
}

/** The objects below a prefix of a bucket. Names are without the prefix. Throws Refusal for failed requests. */
export class Bucket {
  readonly name: string
  readonly #client: Bun.S3Client
  readonly #prefix: string
  readonly #onProgress: OnProgress
  /** Never part of a message: a store may quote the request in its errors. */
  readonly #secrets: readonly string[]

  constructor({ name, bucket, endpoint, region, credentials, prefix }: S3Settings, onProgress: OnProgress) {
    this.name = name
    const { secretAccessKey, sessionToken } = credentials
    this.#secrets = [secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])]
    this.#prefix = prefix === '' ? '' : `${prefix}/`
    this.#onProgress = onProgress
    // An empty token, because a missing one would be read from the environment.
    this.#client = new Bun.S3Client({ bucket, endpoint, region, sessionToken: '', ...credentials })
  }

  /**
   * The objects whose names begin like this, in order, up to 1,000 at a time. Without `isDeep` those in folders below are
   * left out. `after` is a name, which need not exist.
   */
  async *pages(
    start: string,
    { isDeep, after }: { isDeep: boolean; after?: string },
  ): AsyncGenerator<readonly StoredObject[]> {
    let continuationToken: string | undefined
    for (let page = 0; page < MAX_LIST_PAGES; page++) {
      const answer = await this.#asking(() =>
        this.#client.list({
          prefix: this.#prefix + start,
          ...(!isDeep && { delimiter: '/' }),
          ...(after !== undefined && { startAfter: this.#prefix + after }),
          ...(continuationToken && { continuationToken }),
        }),
      )
      this.#onProgress()
      yield (answer.contents ?? []).map(({ key, size = 0 }) => ({
        name: key.slice(this.#prefix.length),
        size,
      }))
      continuationToken = answer.isTruncated ? answer.nextContinuationToken : undefined
      if (continuationToken === undefined) return
    }
    throw refused(
      `${this.name} lists more objects than a place for backups has; give daybook its own prefix.`,
    )
  }

  async list(start: string, options: { isDeep: boolean; after?: string }): Promise<StoredObject[]> {
    const found: StoredObject[] = []
    for await (const page of this.pages(start, options)) found.push(...page)
    return found
  }

  exists = (name: string) => this.#asking(() => this.#client.exists(this.#prefix + name))

  /** Undefined for a missing object. */
  readText = (name: string) =>
    this.#asking(async (): Promise<string | undefined> => {
      try {
        return await this.#client.file(this.#prefix + name).text()
      } catch (error) {
        if ((error as { code?: string }).code === 'NoSuchKey') return undefined
        throw error
      }
    })

  readBytes = (name: string) =>
    this.#asking(async (): Promise<Uint8Array> => {
      const bytes = await this.#client.file(this.#prefix + name).bytes()
      this.#onProgress()
      return bytes
    })

  async *read(name: string): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.#client.file(this.#prefix + name).stream()) {
        this.#onProgress()
        yield chunk
      }
    } catch (error) {
      throw this.#refusalOf(error)
    }
  }

  write = (name: string, content: string | Uint8Array) =>
    this.#asking(async () => {
      await this.#client.write(this.#prefix + name, content as string)
      this.#onProgress()
    })

  /** Writes in parts, without reading ahead more than one part of the content. */
  writeParts = (name: string, chunks: AsyncIterable<Uint8Array>, partSize: number) =>
    this.#asking(async () => {
      const writer = this.#client.file(this.#prefix + name).writer({ partSize, queueSize: 1, retry: 3 })
      let unsent = 0
      for await (const chunk of chunks) {
        writer.write(chunk)
        unsent += chunk.length
        if (unsent < partSize) continue
        await writer.flush()
        unsent = 0
      }
      await writer.end()
    })

  delete = (name: string) =>
    this.#asking(async () => {
      await this.#client.delete(this.#prefix + name)
      this.#onProgress()
    })

  async #asking<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action()
    } catch (error) {
      throw this.#refusalOf(error)
    }
  }

  /** The sentence for a failed request: the code and the text of the store, without secrets. */
  #refusalOf(error: unknown): unknown {
    if (!(error instanceof Error) || error.name !== 'S3Error') return error
    const { code = 'unknown' } = error as { code?: string }
    let text = `${code}: ${error.message}`
    for (const secret of this.#secrets) text = text.replaceAll(secret, '…')
    return refused(`${this.name} failed (${text.replace(/\s+/g, ' ').slice(0, MAX_STORE_TEXT)}).`)
  }
}
