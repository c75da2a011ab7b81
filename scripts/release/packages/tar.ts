import { promisify } from 'node:util'
import { gzip as zlibGzip } from 'node:zlib'

/** A file, folder or symbolic link in an archive, owned by root by default. */
export interface Entry {
  /** Without a leading slash; a folder ends with a slash. */
  readonly path: string
  readonly mode?: number
  readonly content?: string | Uint8Array
  readonly linkTo?: string
  /** The numeric id of its user and group. */
  readonly owner?: number
}

const BLOCK = 512
const FOLDER_MODE = 0o755
const FILE_MODE = 0o644
const LINK_MODE = 0o777

/** The time of every file, in seconds, as npm writes it: the same sources always give the same bytes. */
const TIME = 499_162_500

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
const isFolder = ({ path }: Entry) => path.endsWith('/')
const typeOf = (entry: Entry) => (entry.linkTo !== undefined ? '2' : isFolder(entry) ? '5' : '0')

function header(entry: Entry, size: number): Buffer {
  const { path, linkTo = '', owner = 0 } = entry
  if (path.length > 100 || linkTo.length > 100) throw new Error(`${path} is too long for an archive.`)
  const block = Buffer.alloc(BLOCK)
  const mode = entry.mode ?? (linkTo !== '' ? LINK_MODE : isFolder(entry) ? FOLDER_MODE : FILE_MODE)
  const fields: [number, string][] = [
    [0, path],
    [100, octal(mode, 8)],
    [108, octal(owner, 8)],
    [116, octal(owner, 8)],
    [124, octal(size, 12)],
    [136, octal(TIME, 12)],
    [148, ' '.repeat(8)],
    [156, typeOf(entry)],
    [157, linkTo],
    [257, 'ustar\x0000'],
    [265, owner === 0 ? 'root' : ''],
    [297, owner === 0 ? 'root' : ''],
  ]
  for (const [at, text] of fields) block.write(text, at, 'latin1')
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 7)} `, 148, 'latin1')
  return block
}

/** Returns a tar archive (ustar) that depends only on the entries. */
export function tar(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '')
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)
    return [header(entry, content.length), content, padding]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

const compress = promisify(zlibGzip)

/** Compresses in another thread; the header contains no time and no name. */
export const gzip = (bytes: Uint8Array, level = 6): Promise<Buffer> => compress(bytes, { level })

export const sha256 = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
