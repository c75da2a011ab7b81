import { readSync } from 'node:fs'

/** A file of an archive or folder, whose content is read only when it is needed. */
export interface StoredFile {
  readonly path: string
  readonly bytes: number
  read(): Uint8Array
}

const DAMAGED = 'the archive is damaged'
const BLOCK = 512
/** No file system has longer paths. */
const MAX_NAME_BYTES = 65_536
const FIELDS = {
  name: [0, 100],
  size: [124, 12],
  type: [156, 1],
  magic: [257, 6],
  prefix: [345, 155],
} as const

const text = (bytes: Uint8Array): string => {
  const end = bytes.indexOf(0)
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end))
}

const fieldOf = (header: Uint8Array, [start, length]: readonly [number, number]): Uint8Array =>
  header.subarray(start, start + length)

/** The path in records of the PAX format: `27 path=notes/one.md`. */
const paxPath = (records: string): string | undefined => /(?:^|\n)\d+ path=([^\n]*)\n/.exec(records)?.[1]

function readAt(handle: number, at: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let done = 0; done < size; ) {
    const count = readSync(handle, bytes, done, size - done, at + done)
    if (count === 0) throw new Error(DAMAGED)
    done += count
  }
  return bytes
}

/**
 * The plain files of an open tar archive of `length` bytes (POSIX ustar, PAX and GNU long names). Throws for a damaged
 * archive and for one without an end, because the rest of its files would be missing.
 */
export function* tarEntries(handle: number, length: number): Generator<StoredFile> {
  let longName: string | undefined
  for (let at = 0; at + BLOCK <= length; ) {
    const header = readAt(handle, at, BLOCK)
    const size = Number.parseInt(text(fieldOf(header, FIELDS.size)).trim() || '0', 8)
    const type = text(fieldOf(header, FIELDS.type))
    if (header.every((byte) => byte === 0)) return
    if (Number.isNaN(size) || size < 0 || at + BLOCK + size > length) throw new Error(DAMAGED)
    const start = at + BLOCK
    at = start + Math.ceil(size / BLOCK) * BLOCK
    if (type === 'L' || type === 'x') {
      if (size > MAX_NAME_BYTES) throw new Error(DAMAGED)
      const name = text(readAt(handle, start, size))
      longName = type === 'L' ? name : (paxPath(name) ?? longName)
    } else {
      if (type === '0' || type === '')
        yield { path: longName ?? nameIn(header), bytes: size, read: () => readAt(handle, start, size) }
      longName = undefined
    }
  }
  throw new Error(DAMAGED)
}

function nameIn(header: Uint8Array): string {
  const hasPrefix = text(fieldOf(header, FIELDS.magic)).startsWith('ustar')
  const prefix = hasPrefix ? text(fieldOf(header, FIELDS.prefix)) : ''
  const name = text(fieldOf(header, FIELDS.name))
  return prefix === '' ? name : `${prefix}/${name}`
}
