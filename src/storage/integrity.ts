import { cannotRead, FailedRead, RESTORE, showsDamage } from './errors.ts'
import { listForeignParts } from './foreign-schema.ts'
import type { Reader } from './reader.ts'
import type { Tx } from './writes/transaction.ts'

/** One check of `daybook check`. Each feature checks its own tables; `operation/integrity.ts` lists all checks. */
export interface IntegrityCheck {
  /**
   * Yields each fault as a sentence of one line. Runs in a transaction that only reads and is rolled back; temporary
   * tables may be written. Derived data that is marked as stale is no fault.
   */
  faults(reader: Reader): Iterable<string>
  /** Rebuilds derived data; absent for checks without any. */
  repair?(tx: Tx): void
}

interface BrokenReference {
  table: string
  rowid: number | null
  parent: string
}

const MAX_PLACES = 100

/** The number of malformed pages and indexes that SQLite finds, up to 100. */
function damagedPlaces({ sql }: Reader): number {
  try {
    const places = sql.column<string>(`PRAGMA integrity_check(${MAX_PLACES})`).filter((line) => line !== 'ok')
    if (places.length > 0 && cannotRead(sql.database)) throw new FailedRead()
    return places.length
  } catch (error) {
    if (!showsDamage(error)) throw error
    return 1
  }
}

/** Runs SQLite's own checks: damaged pages and indexes, and dangling foreign keys. */
export const storageCheck: IntegrityCheck = {
  *faults({ sql }) {
    const places = damagedPlaces({ sql })
    if (places > 0) {
      yield `The file is damaged in ${places === MAX_PLACES ? `${places} places or more` : places === 1 ? 'one place' : `${places} places`}. ${RESTORE}`
      return
    }
    for (const { table, rowid, parent } of sql.all<BrokenReference>('PRAGMA foreign_key_check')) {
      yield `A row of ${table}${rowid === null ? '' : ` (${rowid})`} refers to a row of ${parent} that does not exist.`
    }
  },
}

/** Reports objects that other programs added to the schema. */
export const foreignSchemaCheck: IntegrityCheck = {
  *faults({ sql }) {
    for (const { part, isProgram } of listForeignParts(sql.database))
      yield `The ${part} is not daybook's${isProgram ? ' and runs inside its statements' : ''}; drop it.`
  },
}

/** The pks of all workspaces. Each has its own search tables, which are checked separately. */
export const listWorkspacePks = ({ sql }: Reader): number[] =>
  sql.column('SELECT pk FROM workspaces ORDER BY pk')
