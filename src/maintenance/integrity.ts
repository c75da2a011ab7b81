import type { Db } from '../db/database.ts'
import { type IntegrityCheck, storageCheck } from '../db/integrity.ts'
import { fileCheck, fileSearchCheck } from '../files/integrity.ts'
import { noteCountCheck, noteTextCheck } from '../notes/integrity.ts'
import { searchCheck } from '../notes/search/integrity.ts'
import { unavailable } from '../refusal.ts'
import { rowTableCheck, textIndexCheck } from '../structures/storage/check.ts'
import { tagCheck } from '../tags/integrity.ts'
import { webhookCheck } from '../webhooks/integrity.ts'

/** All checks of derived data, in the order of the report. */
const CHECKS: readonly IntegrityCheck[] = [
  noteCountCheck,
  noteTextCheck,
  tagCheck,
  rowTableCheck,
  textIndexCheck,
  webhookCheck,
  searchCheck,
  fileCheck,
  fileSearchCheck,
]

const MAX_TRIES = 50

/** Begins a read transaction in which no work is deferred, although another process may write at any time. */
async function beginSettled(db: Db): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    for (const check of CHECKS) await check.settle?.(db)
    db.sql.run('BEGIN')
    if (CHECKS.every((check) => check.isSettled?.(db) ?? true)) return
    db.sql.run('ROLLBACK')
  }
  throw unavailable('The database is written to so fast that it cannot be checked now; try again.')
}

/**
 * Returns every fault as a sentence of one line. If the file is damaged, returns only that damage, because nothing else
 * can be checked. Reads in one transaction, also while a server runs.
 */
export async function findFaults(db: Db): Promise<string[]> {
  const damage = [...storageCheck.faults(db)]
  if (damage.length > 0) return damage
  // The compared data is as large as the search tables: too large for memory.
  db.sql.script('PRAGMA temp_store = FILE')
  await beginSettled(db)
  try {
    return CHECKS.flatMap((check) => [...check.faults(db)])
  } finally {
    db.sql.run('ROLLBACK')
  }
}

/** Rebuilds all derived data in one transaction. */
export const repairDerived = (db: Db): Promise<void> =>
  db.write((tx) => {
    for (const check of CHECKS) check.repair?.(tx)
  })
