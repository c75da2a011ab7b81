import { gzipSync } from 'bun'
import { isExecutable } from '../../lib/program.ts'
import { type BuiltFiles, buildApplication, PACKED } from './build.ts'

/** A file of the application; its name holds a hash of its content. */
export interface Asset {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly gzipped: Uint8Array<ArrayBuffer>
}

export interface Assets {
  readonly page: string
  readonly files: ReadonlyMap<string, Asset>
}

/** The files that were built into the executable. */
async function packedFiles(): Promise<BuiltFiles> {
  const [name] = PACKED.split('.')
  const packed = Bun.embeddedFiles.find((file) => (file as File).name.startsWith(`${name}`))
  return packed ? JSON.parse(await packed.text()) : {}
}

let loading: Promise<Assets> | undefined

/** The application as it is served; it is read, or from the sources built, when it is first asked for. */
export function loadAssets(): Promise<Assets> {
  loading ??= load()
  return loading
}

async function load(): Promise<Assets> {
  const { 'index.html': page = '', ...others } = await (isExecutable ? packedFiles() : buildApplication())
  return {
    page,
    files: new Map(Object.entries(others).map(([name, text]) => [name, assetOf(name, text)])),
  }
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

function assetOf(name: string, text: string): Asset {
  const bytes = new TextEncoder().encode(text)
  const type = TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
  return { type, bytes, gzipped: gzipSync(bytes, { level: 9 }) }
}
