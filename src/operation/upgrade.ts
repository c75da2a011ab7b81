import { pageTable } from '../files/search.ts'
import { refreshNoteTexts } from '../notes/integrity.ts'
import { convertSomeSearch, countUnconverted, indexMissingTags } from '../notes/search/upgrade.ts'
import { refreshNameKeys } from '../people/accounts/workspaces.ts'
import { convertSomeRowTables, countOldRowTables } from '../records/structures/storage/upgrade.ts'
import { listSearchTables, setMerging } from '../search/tables.ts'
import type { UpgradeSteps } from '../storage/connection/open.ts'
import { listWorkspacePks } from '../storage/integrity.ts'
import type { Reader } from '../storage/reader.ts'

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
}

/**
 * Later steps in separate transactions, because they take long with many notes or structures. They are no jobs: all
 * readers know one format of the tables, so the database is used after the last step.
 */
export const upgradeSteps: UpgradeSteps = {
  left: (reader) => countUnconverted(reader) + countOldRowTables(reader),
  doSome: (reader) => (countUnconverted(reader) > 0 ? convertSomeSearch : convertSomeRowTables)(reader),
}
