import { wholeWorkspace } from '../../context.ts'
import { structures as table } from '../../db/schema/structures.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { placeholderOf } from '../../objects/objects.ts'
import { columnsShown } from '../../objects/shown-columns.ts'
import { markSourcesRemovedOf } from '../../sources/deletion.ts'
import { type FieldInput, fieldDefinitions, lostFields } from '../../structures/fields.ts'
import { changeRows, dropRows, startRows } from '../../structures/storage/small-structures.ts'
import {
  type Definition,
  definitionOf,
  findStructureById,
  insertStructure,
  type StructureRow,
  uniqueSetsOf,
  updateStructure,
} from '../../structures/store.ts'
import { markWebhooksRemovedOf } from '../../webhooks/deletion.ts'
import type { Restorer } from './copy-transaction.ts'

interface Structure {
  readonly id: string
  readonly fields: FieldInput[]
  readonly unique_together: readonly (readonly string[])[]
}

/**
 * Removed structures are hidden at once; their rows are deleted afterwards, in chunks (`structures/deletion.ts`). The rows
 * that change must not be in the row tables meanwhile: they may collide with what becomes unique.
 */
export const structures: Restorer<Structure> = {
  kind: 'structure',
  remove: ({ tx, workspacePk }, ids) => {
    for (const id of ids) {
      const structure = findStructureById(tx, wholeWorkspace(workspacePk), id)
      if (!structure) continue
      tx.sql.run('UPDATE structures SET name_fold = NULL WHERE pk = ?', structure.pk)
      markWebhooksRemovedOf(tx, structure.pk)
      markSourcesRemovedOf(tx, structure.pk)
    }
  },
  setAside: ({ tx }, id) => {
    const name = 'UPDATE structures SET name_fold = ? WHERE id = ? AND name_fold IS NOT NULL'
    tx.sql.run(name, placeholderOf(id), id)
  },
  write: ({ tx, workspacePk: workspace }, structure) => {
    const { id, unique_together } = structure
    const known = findStructureById(tx, wholeWorkspace(workspace), id)
    // The structures that record fields name may come later.
    const fields = fieldDefinitions(
      structure.fields,
      known ? definitionOf(known).fields : [],
      (named) => named,
    )
    const definition = { fields, uniqueSets: uniqueSetsOf(fields, unique_together) }
    const shown = columnsShown(table, structure) as Omit<StructureRow, 'fields'>
    const columns = { ...shown, fields: JSON.stringify(fields) }
    if (known) {
      changeTable(tx, known, definition)
      updateStructure(tx, known.pk, columns)
    } else {
      const pk = insertStructure(tx, { ...columns, id, workspace } as never)
      startRows(tx, pk, definition)
    }
  },
}

/** Fields are lost only while the remote has had no row; then the copy has none either. */
function changeTable(
  tx: Tx,
  structure: StructureRow,
  after: Pick<Definition, 'fields' | 'uniqueSets'>,
): void {
  const before = definitionOf(structure)
  if (lostFields(before.fields, after.fields).length === 0) {
    changeRows(tx, structure, before, after)
    return
  }
  if (structure.live > 0) throw new Error(`the structure ${structure.id} lost a field while it has rows`)
  dropRows(tx, structure.pk)
  startRows(tx, structure.pk, after)
}
