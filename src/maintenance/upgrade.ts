import { refreshNameKeys } from '../account/workspaces.ts'
import type { UpgradeSteps } from '../db/connection/open.ts'
import { listWorkspacePks } from '../db/integrity.ts'
import type { Reader } from '../db/reader.ts'
import { pageTable } from '../files/search.ts'
import { refreshNoteTexts } from '../notes/integrity.ts'
import { countOldTables, dropSomeOldTables, searchTables } from '../notes/search/tables.ts'
import { listSearchTables, setMerging } from '../search/tables.ts'
import { convertSomeRowTables, countOldRowTables } from '../structures/storage/upgrade.ts'

/** Brings what is derived from the data in step with this program, in the transaction of an upgrade. */
export function upgradeDerived(reader: Reader): void {
  refreshNameKeys(reader)
  refreshNoteTexts(reader)
  const existing = listSearchTables(reader)
  for (const workspace of listWorkspacePks(reader)) {
    const files = { name: pageTable(workspace), merging: 'itself' } as const
    for (const { name, merging } of [...searchTables(workspace), files])
      if (existing.has(name)) setMerging(reader, name, merging)
  }
}

/** What is done after that in transactions of its own, because it takes long where there are many workspaces. */
export const upgradeSteps: UpgradeSteps = {
  left: (reader) => countOldTables(reader) + countOldRowTables(reader),
  doSome: (reader) => (countOldTables(reader) > 0 ? dropSomeOldTables : convertSomeRowTables)(reader),
}
