import { type Caller, wholeWorkspace } from '../context.ts'
import { removeSourcesOf } from '../events/sources/deletion.ts'
import { removeWebhooksOf } from '../events/webhooks/deletion.ts'
import { isId } from '../lib/ids.ts'
import { placeholderOf } from '../log/objects/objects.ts'
import { columnsShown } from '../log/objects/statements.ts'
import { removeStructure } from '../records/structures/deletion.ts'
import { type FieldInput, fieldDefinitions, lostFields } from '../records/structures/fields.ts'
import { completeFormulas } from '../records/structures/formulas.ts'
import { CreateStructureBody } from '../records/structures/schema.ts'
import { createStructure, type NewStructure } from '../records/structures/service.ts'
import { changeRows, dropRows, startRows } from '../records/structures/storage/changed-definition.ts'
import { enqueueFormulas } from '../records/structures/storage/formula-values.ts'
import {
  type Definition,
  definitionOf,
  findStructureById,
  insertStructure,
  listStructureRows,
  presentStructure,
  presentStructureTo,
  type StructureRow,
  uniqueSetsOf,
  updateStructure,
} from '../records/structures/store.ts'
import type { Reader } from '../storage/reader.ts'
import { structures as table } from '../storage/schema/structures.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { parseExported, restoreUpdatedAt, txForOriginal } from './exported.ts'
import type { RestoredKind } from './kind.ts'

interface Structure {
  readonly id: string
  readonly fields: FieldInput[]
  readonly unique_together: readonly (readonly string[])[]
}

/** The column values of a structure without these attributes. */
const ABSENT: Partial<StructureRow> = { icon: null, color: null }

/**
 * The rows of removed structures are deleted later (`records/structures/deletion.ts`). Rows that change must not be in
 * the row tables meanwhile, because they may violate new unique constraints.
 */
export const structures: RestoredKind<Structure> = {
  kind: 'structure',
  table: 'structures',
  label: 'name',
  find: (reader, caller, id) => {
    const structure = findStructureById(reader, caller, id)
    return structure && presentStructureTo(caller, structure)
  },
  remove: ({ tx, workspacePk }, ids) => {
    for (const id of ids) {
      const structure = findStructureById(tx, wholeWorkspace(workspacePk), id)
      if (!structure) continue
      removeWebhooksOf(tx, structure.pk)
      removeSourcesOf(tx, structure.pk)
      removeStructure(tx, structure.pk)
    }
  },
  setAside: ({ tx }, id) => {
    const name = 'UPDATE structures SET name_fold = ? WHERE id = ?'
    tx.sql.run(name, placeholderOf(id), id)
  },
  write: ({ tx, workspacePk: workspace }, structure) => {
    const { id, unique_together } = structure
    const known = findStructureById(tx, wholeWorkspace(workspace), id)
    // Record fields may refer to structures that come later.
    const before = known ? definitionOf(known).fields : []
    const defined = fieldDefinitions(
      // Without a format, a known field would keep its own.
      structure.fields.map((field) => ({ format: null, ...field })),
      before,
      (named) => named,
    )
    const fields = completeFormulas(defined, { fields: before, hasRows: (known?.live ?? 0) > 0 })
    const definition = { fields, uniqueSets: uniqueSetsOf(fields, unique_together) }
    const shown = columnsShown(table, structure) as Omit<StructureRow, 'fields'>
    const columns = { ...ABSENT, ...shown, fields: JSON.stringify(fields) }
    if (known) {
      changeTable(tx, known, definition)
      if (fields.some(({ computing }) => computing)) enqueueFormulas(tx, known, fields)
      updateStructure(tx, known.pk, columns)
    } else {
      const pk = insertStructure(tx, { ...columns, id, workspace } as never)
      startRows(tx, pk, definition)
    }
  },
}

/** Fields disappear only while the remote has no rows; then the copy has none either. */
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

/** The definition of a structure, without its rows. */
export function exportStructure(row: StructureRow): object {
  const { record_count: _, fields, ...structure } = presentStructure(row)
  return { ...structure, fields }
}

/** Oldest first. */
export const listStructures = (reader: Reader, caller: Caller): StructureRow[] =>
  listStructureRows(reader, caller).sort(
    (left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1),
  )

/** A record field may refer to a structure that is imported later, or that no longer exists. */
const anyStructure = (nameOrId: string) => (isId(nameOrId) ? nameOrId : undefined)

export function importStructure(tx: Tx, caller: Caller, value: unknown): StructureRow {
  const original = parseExported<NewStructure>(value, CreateStructureBody)
  const row = createStructure(txForOriginal(tx, original), caller, original.input, anyStructure)
  restoreUpdatedAt(tx, table, original)
  return row
}
