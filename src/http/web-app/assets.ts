import { brotliDecompressSync } from 'node:zlib'
import { gzipSync } from 'bun'
import { once } from '../../lib/bounded-cache.ts'
import type { BuiltApplication } from './build.ts'
import { packedApplication } from './packed.ts'

/** A file of the application, with a hash of its content in its name. */
class Asset {
  #bytes: Uint8Array<ArrayBuffer> | undefined
  #gzipped: Uint8Array<ArrayBuffer> | undefined

  constructor(
    readonly type: string,
    readonly brotli: Uint8Array<ArrayBuffer>,
  ) {}

  /** For the few clients without support for compression. */
  get bytes(): Uint8Array<ArrayBuffer> {
    this.#bytes ??= new Uint8Array(brotliDecompressSync(this.brotli))
    return this.#bytes
  }

  /** For browsers on addresses without TLS, which do not accept Brotli. */
  get gzipped(): Uint8Array<ArrayBuffer> {
    this.#gzipped ??= gzipSync(this.bytes, { level: 9 })
    return this.#gzipped
  }
}

export interface Assets {
  readonly page: string
  readonly worker: string
  /** The scripts that each screen needs first, as names of files. */
  readonly needed: BuiltApplication['needed']
  readonly files: ReadonlyMap<string, Asset>
}

/** The application as served. On first use it is read or, from the sources, built. */
export const loadAssets = once(async (): Promise<Assets> => {
  const { page, worker, needed, files } = await packedApplication()
  return {
    page,
    worker,
    needed,
    files: new Map(
      Object.entries(files).map(([name, base64]) => [
        name,
        new Asset(typeOf(name), Uint8Array.fromBase64(base64)),
      ]),
    ),
  }
})

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
}

const typeOf = (name: string): string => TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
