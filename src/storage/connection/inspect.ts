import { existsSync, statSync } from 'node:fs'
import {
  asSystemError,
  asUnusable,
  faultOf,
  isStorageFailure,
  showsDamage,
  UnusableDatabase,
} from '../errors.ts'
import { accessProblem } from '../file-access.ts'
import type { Reader } from '../reader.ts'
import { Sql } from '../sql.ts'
import { refuseForeignWal } from './foreign-wal.ts'
import { refuseOtherPrograms, schemaVersion } from './migrate.ts'
import { noDatabase } from './missing.ts'
import { openReadingConnection } from './open.ts'
import { realFile } from './server-lock.ts'

/**
 * Runs `use` on a database of any schema version without changing it, also beside a server. Throws UnusableDatabase
 * if there is no database or it belongs to another program.
 */
export function inspectDatabase<T>(file: string, use: (reader: Reader, schema: number) => T): T {
  try {
    if (!statSync(file, { throwIfNoEntry: false })) throw noDatabase(file)
    refuseForeignWal(file)
    return readDatabase(file, use)
  } catch (error) {
    if (asSystemError(error)) throw asUnusable(error, file)
    if (!isStorageFailure(error) || showsDamage(error)) throw error
    if (faultOf(error) === 'failing') throw asUnusable(error, file)
    throw new UnusableDatabase(unreadable(file))
  }
}

function readDatabase<T>(file: string, use: (reader: Reader, schema: number) => T): T {
  const database = openReadingConnection(file)
  try {
    refuseOtherPrograms(database)
    const sql = new Sql(database)
    try {
      return use({ sql }, schemaVersion(database))
    } finally {
      sql.finalize()
    }
  } finally {
    database.close()
  }
}

/** Without write access SQLite can neither roll back an interrupted write nor read a WAL whose index is missing. */
const unreadable = (file: string): string =>
  existsSync(`${realFile(file)}-journal`)
    ? `A write to ${file} was interrupted (${file}-journal is there); "daybook check --db ${file}" rolls it back, then try again.`
    : `The database ${file} cannot be read. ${accessProblem(file) ?? 'Check the disk and its permissions.'}`
