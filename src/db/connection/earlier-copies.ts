import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The copy that is made before a program of this version changes the schema. */
export const copyBeforeUpgrade = (file: string, programVersion: string): string =>
  `${file}.before-${programVersion}`

/** Removes the incomplete copies of upgrades that were killed. To be called by the one process that upgrades. */
export function removeUnfinishedCopies(file: string): void {
  const start = copyBeforeUpgrade(basename(file), '')
  for (const name of namesIn(dirname(file)))
    if (name.startsWith(start) && /\.partial-\d+(?:-journal)?$/.test(name)) rmSync(join(dirname(file), name))
}

const MAGIC = 'SQLite format 3\0'
/** Where the header of a database holds its `user_version`, as a big-endian number. */
const VERSION_AT = 60
const HEADER_BYTES = 100

interface Copy {
  readonly path: string
  readonly schemaVersion: number
  readonly madeAt: number
}

/** A database that is at rest; undefined for anything else, and for what cannot be read. */
function copyAt(path: string): Copy | undefined {
  const header = Buffer.alloc(HEADER_BYTES)
  try {
    const descriptor = openSync(path, 'r')
    try {
      if (readSync(descriptor, header, 0, HEADER_BYTES, 0) !== HEADER_BYTES) return undefined
      if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined
      return { path, schemaVersion: header.readUInt32BE(VERSION_AT), madeAt: fstatSync(descriptor).mtimeMs }
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * The newest copy made before an upgrade of this database whose schema a program of this schema version knows;
 * undefined also where it cannot be read.
 */
export function findEarlierCopy(file: string, version: number): string | undefined {
  const folder = dirname(file)
  const start = copyBeforeUpgrade(basename(file), '')
  return namesIn(folder)
    .filter((name) =>
      /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(name.startsWith(start) ? name.slice(start.length) : ''),
    )
    .map((name) => copyAt(join(folder, name)))
    .filter((copy) => copy !== undefined)
    .filter(({ schemaVersion }) => schemaVersion <= version)
    .toSorted((left, right) => right.madeAt - left.madeAt)[0]?.path
}
