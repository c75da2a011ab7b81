import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { gzipSync } from 'bun'
import { once } from '../../lib/bounded-cache.ts'
import { isExecutable } from '../../lib/program.ts'
import type { BuiltApplication } from './build.ts'
import { PACKED } from './names.ts'

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

/** The application as embedded in the executable: its files compressed, in base64. */
export interface PackedApplication {
  readonly page: string
  readonly worker: string
  readonly needed: BuiltApplication['needed']
  readonly files: Readonly<Record<string, string>>
}

/** The quality that takes no longer than gzip, for servers that are started from the sources. */
const FAST = 4

/** Compresses the files, which takes seconds in the best quality: too long for a running server. */
export function packApplication(
  { files: { 'index.html': page = '', 'worker.js': worker = '', ...files }, needed }: BuiltApplication,
  quality: number = constants.BROTLI_MAX_QUALITY,
): PackedApplication {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
  const packed = Object.entries(files).map(([name, content]) => [
    name,
    brotliCompressSync(Buffer.from(content), { params }).toString('base64'),
  ])
  return { page: `${page}`, worker: `${worker}`, needed, files: Object.fromEntries(packed) }
}

async function builtIn(): Promise<PackedApplication> {
  const [name] = PACKED.split('.')
  const packed = Bun.embeddedFiles.find((file) => (file as File).name.startsWith(`${name}`))
  return packed ? JSON.parse(await packed.text()) : { page: '', worker: '', needed: {}, files: {} }
}

/** The bundler is loaded on demand: the executable does not contain it. */
async function fromSources(): Promise<PackedApplication> {
  const { buildApplication } = await import('./build.ts')
  return packApplication(await buildApplication(), FAST)
}

/** The application as served. On first use it is read or, from the sources, built. */
export const loadAssets = once(async (): Promise<Assets> => {
  const { page, worker, needed, files } = isExecutable ? await builtIn() : await fromSources()
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
