import { pageTable } from '../files/search.ts'
import { finishUpgrade } from '../kernel/job-steps.ts'
import { storeUpgradeJobs } from '../kernel/jobs.ts'
import { refreshNoteTexts } from '../notes/integrity.ts'
import { indexMissingTags, searchConversion } from '../notes/search/upgrade.ts'
import { refreshNameKeys } from '../people/accounts/workspaces.ts'
import { rowTableConversion } from '../records/structures/storage/upgrade.ts'
import { listSearchTables, setMerging } from '../search/tables.ts'
import type { OpenOptions } from '../storage/connection/open.ts'
import { type Db, openDatabase } from '../storage/database.ts'
import { asUnusable } from '../storage/errors.ts'
import { listWorkspacePks } from '../storage/integrity.ts'
import type { Reader } from '../storage/reader.ts'

/** The jobs of upgrades, in order. */
const upgradeJobs = [searchConversion, rowTableConversion]

/** Updates derived data for this program, in the transaction of an upgrade. */
export function upgradeDerived(reader: Reader): void {
  refreshNameKeys(reader)
  refreshNoteTexts(reader)
  indexMissingTags(reader)
  const existing = listSearchTables(reader)
  for (const workspace of listWorkspacePks(reader)) {
    const files = pageTable(workspace)
    if (existing.has(files)) setMerging(reader, files, 'itself')
  }
  storeUpgradeJobs(reader, upgradeJobs)
}

/** Opens a database and finishes its upgrade, so that it can be used. Throws UnusableDatabase. */
export async function openUpgraded(options: Omit<OpenOptions, 'afterUpgrade'>): Promise<Db> {
  const db = openDatabase({ ...options, afterUpgrade: upgradeDerived })
  try {
    await finishUpgrade({ ...options, db }, upgradeJobs)
  } catch (error) {
    // A command has no checkpoint thread, and would wait for the lock of another process again.
    if (options.role === 'server') await db.finishCheckpoint()
    db.close()
    throw asUnusable(error, options.file)
  }
  return db
}
