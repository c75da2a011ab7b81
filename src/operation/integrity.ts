import { sourceCheck } from '../events/sources/integrity.ts'
import { webhookCheck } from '../events/webhooks/integrity.ts'
import { fileCheck, fileSearchCheck } from '../files/integrity.ts'
import { refused } from '../lib/refusal.ts'
import { noteCountCheck, noteTextCheck, searchCheck } from '../notes/integrity.ts'
import { propertyCheck } from '../notes/properties/integrity.ts'
import { tagCheck } from '../notes/tags/integrity.ts'
import { rowTableCheck, textIndexCheck } from '../records/structures/storage/integrity.ts'
import type { Db } from '../storage/database.ts'
import { faultOf } from '../storage/errors.ts'
import { foreignSchemaCheck, type IntegrityCheck, storageCheck } from '../storage/integrity.ts'

/** All checks after the storage check, in the order of the report. */
const CHECKS: readonly IntegrityCheck[] = [
  foreignSchemaCheck,
  noteCountCheck,
  noteTextCheck,
  tagCheck,
  propertyCheck,
  rowTableCheck,
  textIndexCheck,
  webhookCheck,
  sourceCheck,
  searchCheck,
  fileCheck,
  fileSearchCheck,
]

const noTemporarySpace = () =>
  refused(
    'There is no space for the temporary files of the check, which need as much as the search tables; free space in the folder for such files, or name another one in the variable SQLITE_TMPDIR.',
  )

/**
 * Returns each fault as a sentence on one line. If the file is damaged, returns only that damage, because nothing else
 * can be checked. It only reads, in one transaction, so that it never delays the writes of a server.
 */
export function findFaults(db: Db): string[] {
  const damage = [...storageCheck.faults(db)]
  if (damage.length > 0) return damage
  // Rows may be very long, and comparing many at once could exceed the memory.
  db.sql.script('PRAGMA temp_store = FILE')
  db.sql.run('BEGIN')
  try {
    return CHECKS.flatMap((check) => [...check.faults(db)])
  } catch (error) {
    throw faultOf(error) === 'full' ? noTemporarySpace() : error
  } finally {
    if (db.sql.database.inTransaction) db.sql.run('ROLLBACK')
  }
}

/** Rebuilds all derived data in one transaction. */
export const repairDerived = (db: Db): Promise<void> =>
  db.write((tx) => {
    for (const check of CHECKS) check.repair?.(tx)
  })
