/** A file in a tar archive. */
export interface TarEntry {
  readonly path: string
  readonly bytes: Uint8Array
}

const DAMAGED = 'the archive is damaged'
const BLOCK = 512
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

/**
 * The plain files of a tar archive (POSIX ustar, PAX and GNU long names). Throws for a damaged archive, because the rest
 * of its files would be missing.
 */
export function* tarEntries(archive: Uint8Array): Generator<TarEntry> {
  let longName: string | undefined
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK)
    const size = Number.parseInt(text(fieldOf(header, FIELDS.size)).trim() || '0', 8)
    const type = text(fieldOf(header, FIELDS.type))
    if (header.every((byte) => byte === 0)) return
    if (Number.isNaN(size) || size < 0 || at + BLOCK + size > archive.length) throw new Error(DAMAGED)
    const bytes = archive.subarray(at + BLOCK, at + BLOCK + size)
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
    if (type === 'L') longName = text(bytes)
    else if (type === 'x') longName = paxPath(text(bytes)) ?? longName
    else {
      const prefix = text(fieldOf(header, FIELDS.magic)).startsWith('ustar')
        ? text(fieldOf(header, FIELDS.prefix))
        : ''
      const name = text(fieldOf(header, FIELDS.name))
      if (type === '0' || type === '')
        yield { path: longName ?? (prefix === '' ? name : `${prefix}/${name}`), bytes }
      longName = undefined
    }
  }
}
