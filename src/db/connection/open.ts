import { Database } from 'bun:sqlite'

const LOCK_WAIT_MS = 5_000
const CACHE_KIB = 65_536

/** A connection that only reads, beside those that write. */
export function openReadingConnection(file: string): Database {
  const database = new Database(file, { readonly: true, strict: true })
  database.run(`PRAGMA cache_size = -${CACHE_KIB}`)
  database.run('PRAGMA temp_store = MEMORY')
  return database
}

/** For every connection that writes: a commit is on the disk, references lead somewhere, and locks are waited for. */
export function prepareWriting(database: Database): void {
  database.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`)
  database.run('PRAGMA synchronous = FULL')
  database.run('PRAGMA foreign_keys = ON')
  database.run(`PRAGMA cache_size = -${CACHE_KIB}`)
}

/** Empties the page cache, which otherwise stays as large as it once was. */
export function shrinkMemory(database: Database): void {
  database.run('PRAGMA shrink_memory')
}
