import { brotliCompressSync, constants } from 'node:zlib'
import { isExecutable } from '../../lib/program.ts'
import type { BuiltApplication } from './build.ts'
import { PACKED } from './names.ts'

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

/** The embedded application, or from the sources, the application as built now. */
export const packedApplication = (): Promise<PackedApplication> => (isExecutable ? builtIn() : fromSources())
