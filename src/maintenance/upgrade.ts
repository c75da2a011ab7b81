import { listWorkspacePks } from '../db/integrity.ts'
import type { Reader } from '../db/reader.ts'
import { pageTable } from '../files/search.ts'
import { refreshNoteTexts } from '../notes/integrity.ts'
import { searchTables } from '../notes/search/tables.ts'
import { hasTable, setMerging } from '../search/tables.ts'
import { replaceOldIndexes } from '../structures/storage/upgrade.ts'

/** Brings what is derived from the data in step with this program, in the transaction of an upgrade. */
export function upgradeDerived(reader: Reader): void {
  refreshNoteTexts(reader)
  replaceOldIndexes(reader)
  for (const workspace of listWorkspacePks(reader)) {
    const files = { name: pageTable(workspace), merging: 'itself' } as const
    for (const { name, merging } of [...searchTables(workspace), files])
      if (hasTable(reader, name)) setMerging(reader, name, merging)
  }
}
