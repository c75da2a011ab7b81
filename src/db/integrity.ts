import type { Db } from './database.ts'
import { RESTORE, showsDamage } from './errors.ts'
import type { Reader } from './reader.ts'
import type { Tx } from './writes/write-queue.ts'

/**
 * One thing that `daybook check` looks at. Every feature brings those of what it keeps or derives; the list
 * is in `upkeep/check.ts`.
 */
export interface IntegrityCheck {
  /** Finishes work that was put off, in short writes, so that what is derived can be judged. */
  settle?(db: Db): Promise<void>
  /** False when something was put off again since; then it is settled again. */
  isSettled?(reader: Reader): boolean
  /** Each fault as a sentence of one line. Runs in a transaction that is rolled back. */
  faults(reader: Reader): Iterable<string>
  /** Makes what is derived anew from what it is derived from; absent where nothing is derived. */
  repair?(tx: Tx): void
}

interface BrokenReference {
  table: string
  rowid: number | null
  parent: string
}

const MOST_PLACES = 100

/** In how many places pages or indexes cannot be what they should, up to 100. */
function damagedPlaces({ sql }: Pick<Reader, 'sql'>): number {
  try {
    const lines = sql.column<string>(`PRAGMA integrity_check(${MOST_PLACES})`)
    return lines.filter((line) => line !== 'ok').length
  } catch (error) {
    if (!showsDamage(error)) throw error
    return 1
  }
}

/** What SQLite itself can tell: damaged pages and indexes, and references that lead nowhere. */
export const storageCheck: IntegrityCheck = {
  *faults({ sql }) {
    const places = damagedPlaces({ sql })
    if (places > 0) {
      yield `The file is damaged in ${places === MOST_PLACES ? `${places} places or more` : places === 1 ? 'one place' : `${places} places`}. ${RESTORE}`
      return
    }
    for (const { table, rowid, parent } of sql.all<BrokenReference>('PRAGMA foreign_key_check')) {
      yield `A row of ${table}${rowid === null ? '' : ` (${rowid})`} refers to a row of ${parent} that does not exist.`
    }
  },
}

/** Every workspace by creation; each has search tables of its own, which a check goes through. */
export const listWorkspacePks = ({ sql }: Reader): number[] =>
  sql.column('SELECT pk FROM workspaces ORDER BY pk')
