import { existsSync } from 'node:fs'
import { UnusableDatabase } from '../errors.ts'
import type { Reader } from '../reader.ts'
import { refuseOtherPrograms, schemaVersion } from '../schema/migrations/migrate.ts'
import { Sql } from '../sql.ts'
import { refuseMismatchedLog } from './mismatched-log.ts'
import { openReadingConnection } from './open.ts'

/**
 * Runs `use` on a database of any schema version without changing it, also beside a server. Throws UnusableDatabase when
 * there is none, or when it belongs to another program.
 */
export function inspectDatabase<T>(file: string, use: (reader: Reader, schema: number) => T): T {
  if (!existsSync(file)) throw new UnusableDatabase(`There is no database at ${file}; --db names another.`)
  refuseMismatchedLog(file)
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
