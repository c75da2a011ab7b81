import type { Database } from 'bun:sqlite'
import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { reach } from '../../lib/failure-points.ts'
import { copyVerified } from '../copy.ts'
import { isStorageFailure, UnusableDatabase } from '../errors.ts'
import { BASELINE, MIGRATIONS } from '../schema/migrations/migrations.ts'

/** The `application_id` of a daybook database: "dybk". */
const APPLICATION_ID = 0x6479626b

const pragma = (database: Database, name: string): number => {
  const row = database.query(`PRAGMA ${name}`).get() as Record<string, number>
  return Object.values(row)[0] ?? 0
}

const isEmpty = (database: Database): boolean => {
  const row = database.query('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number }
  return row.tables === 0
}

/** The number of migrations that were applied to the database. */
export const schemaVersion = (database: Database): number => pragma(database, 'user_version')

/** Throws UnusableDatabase for a database of another program. */
export function refuseOtherPrograms(database: Database): void {
  if (pragma(database, 'application_id') !== APPLICATION_ID && !isEmpty(database)) {
    throw new UnusableDatabase('This file is an SQLite database of another program; choose another --db.')
  }
}

/** Throws UnusableDatabase for a database of another program or of a newer daybook. */
export function refuseUnknownSchema(
  database: Database,
  migrations: readonly { name: string }[] = MIGRATIONS,
): void {
  refuseOtherPrograms(database)
  const version = schemaVersion(database)
  if (version <= migrations.length) return
  throw new UnusableDatabase(
    `This database was written by a newer daybook (schema ${version}; this program knows up to ${migrations.length}). Upgrade the program, or ${downgradeAdvice(database.filename, migrations.length)}`,
  )
}

function downgradeAdvice(file: string, version: number): string {
  const copy = findEarlierCopy(file, version)
  return copy === undefined
    ? 'restore a backup that was made before the upgrade.'
    : `go back to the copy made before the upgrade, which lacks what was written since: daybook restore --db ${file} ${copy}`
}

/**
 * Whether the schema is older than that of this program. Throws UnusableDatabase for a file of another program or a
 * newer daybook.
 */
export function needsMigration(
  database: Database,
  migrations: readonly { name: string }[] = MIGRATIONS,
): boolean {
  refuseUnknownSchema(database, migrations)
  return pragma(database, 'user_version') < migrations.length
}

/** False for a new database. */
export const hasSchema = (database: Database): boolean => pragma(database, 'user_version') > 0

/**
 * Brings the database to the newest schema in one transaction, in which `afterUpgrade` then changes what SQL alone
 * cannot. A database with data is first copied, verified, to `<file>.before-<version>`. Throws UnusableDatabase for a
 * file of another program or a newer daybook.
 */
export function migrate(
  database: Database,
  file: string,
  programVersion: string,
  migrations: readonly { name: string; sql: string }[] = MIGRATIONS,
  afterUpgrade: (database: Database) => void = () => {},
): void {
  if (!needsMigration(database, migrations)) return
  const version = schemaVersion(database)
  if (version > 0 && file !== ':memory:') {
    removeUnfinishedCopies(file)
    copyVerified(database, copyBeforeUpgrade(file, programVersion, version), { model: { beside: file } })
  }
  database.run('PRAGMA foreign_keys = OFF')
  database.run('BEGIN IMMEDIATE')
  try {
    applyPending(database, migrations)
    if (version > 0) afterUpgrade(database)
    database.run('COMMIT')
  } catch (error) {
    if (database.inTransaction) database.run('ROLLBACK')
    throw error
  } finally {
    database.run('PRAGMA foreign_keys = ON')
  }
}

/** Reads the version again under the lock, because another process may have migrated meanwhile. */
function applyPending(database: Database, migrations: readonly { name: string; sql: string }[]): void {
  // A new database of this program; the steps would take ten times as long.
  const isNew = migrations === MIGRATIONS && isEmpty(database)
  const scripts = isNew
    ? [{ name: 'baseline', sql: BASELINE }]
    : migrations.slice(pragma(database, 'user_version'))
  for (const script of scripts) {
    apply(database, script)
    reach('migrated')
  }
  database.run(`PRAGMA application_id = ${APPLICATION_ID}`)
  database.run(`PRAGMA user_version = ${migrations.length}`)
}

function apply(database: Database, { name, sql }: { name: string; sql: string }): void {
  try {
    database.run(sql)
  } catch (error) {
    if (isStorageFailure(error)) throw error
    throw new UnusableDatabase(
      `This database could not be upgraded, and was left as it was: ${name} failed with "${(error as Error).message}". Go on with the program that wrote it.`,
      { cause: error },
    )
  }
}

/**
 * The path of the copy that precedes a change of the schema by this version. An earlier copy of another schema, by a
 * build with the same version, stays unchanged.
 */
export function copyBeforeUpgrade(file: string, programVersion: string, schema: number): string {
  const named = `${startOfCopies(file)}${programVersion}`
  for (let count = 1; ; count++) {
    const path = count === 1 ? named : `${named}-${count}`
    const found = copyAt(path)
    if (found === undefined || found.schemaVersion === schema) return path
  }
}

const startOfCopies = (file: string): string => `${file}.before-`

/** Removes incomplete copies of interrupted upgrades. Only the upgrading process may call it. */
function removeUnfinishedCopies(file: string): void {
  const start = startOfCopies(basename(file))
  for (const name of namesIn(dirname(file)))
    if (name.startsWith(start) && /\.partial-\d+(?:-journal)?$/.test(name)) rmSync(join(dirname(file), name))
}

const MAGIC = 'SQLite format 3\0'
/** The offset of `user_version` in the header of a database, a big-endian number. */
const VERSION_AT = 60
const HEADER_BYTES = 100

interface Copy {
  readonly path: string
  readonly schemaVersion: number
  readonly madeAt: number
}

/** Reads a database at rest; undefined for anything else, and for unreadable files. */
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
 * The newest copy made before an upgrade of this database whose schema is known to a program of this schema version;
 * undefined if there is none or it is unreadable.
 */
export function findEarlierCopy(file: string, version: number): string | undefined {
  const folder = dirname(file)
  const start = startOfCopies(basename(file))
  return namesIn(folder)
    .filter((name) =>
      /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(name.startsWith(start) ? name.slice(start.length) : ''),
    )
    .map((name) => copyAt(join(folder, name)))
    .filter((copy) => copy !== undefined)
    .filter(({ schemaVersion }) => schemaVersion <= version)
    .toSorted((left, right) => right.madeAt - left.madeAt)[0]?.path
}
