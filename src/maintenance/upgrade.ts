import { listWorkspacePks } from '../db/integrity.ts'
import type { Reader } from '../db/reader.ts'
import { pageTable } from '../files/search.ts'
import { refreshNoteTexts } from '../notes/integrity.ts'
import { fullTable, tagTable, titleTable } from '../notes/search/tables.ts'
import { hasTable, setMerging } from '../search/tables.ts'
import { replaceOldIndexes } from '../structures/storage/upgrade.ts'

/** Brings what is derived from the data in step with this program, in the transaction of an upgrade. */
export function upgradeDerived(reader: Reader): void {
  refreshNoteTexts(reader)
  replaceOldIndexes(reader)
  for (const workspace of listWorkspacePks(reader))
    for (const tableOf of [fullTable, titleTable, tagTable, pageTable])
      if (hasTable(reader, tableOf(workspace))) setMerging(reader, tableOf(workspace))
}
