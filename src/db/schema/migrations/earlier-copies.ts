import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The copy that is made before a program of this version changes the schema. */
export const copyBeforeUpgrade = (file: string, programVersion: string): string =>
  `${file}.before-${programVersion}`

const MAGIC = 'SQLite format 3\0'
/** Where the header of a database holds its `user_version`, as a big-endian number. */
const VERSION_AT = 60
const HEADER_BYTES = 100

/** The schema version of a database that is at rest; undefined for any other file. */
function versionOf(path: string): number | undefined {
  const descriptor = openSync(path, 'r')
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    const isWhole = readSync(descriptor, header, 0, HEADER_BYTES, 0) === HEADER_BYTES
    return isWhole && header.toString('latin1', 0, MAGIC.length) === MAGIC
      ? header.readUInt32BE(VERSION_AT)
      : undefined
  } finally {
    closeSync(descriptor)
  }
}

/** The newest copy made before an upgrade of this database whose schema a program of this schema version knows. */
export function findEarlierCopy(file: string, version: number): string | undefined {
  const folder = dirname(file)
  const start = copyBeforeUpgrade(basename(file), '')
  const copies = readdirSync(folder)
    .filter((name) =>
      /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(name.startsWith(start) ? name.slice(start.length) : ''),
    )
    .map((name) => join(folder, name))
    .filter((path) => (versionOf(path) ?? Number.POSITIVE_INFINITY) <= version)
  const madeAt = (path: string) => statSync(path).mtimeMs
  return copies.toSorted((left, right) => madeAt(right) - madeAt(left))[0]
}
