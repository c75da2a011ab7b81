import type { Tx } from '../../db/writes/transaction.ts'
import { fold } from '../../lib/text.ts'
import { lostFields } from '../../structures/fields.ts'
import {
  addColumns,
  changeUniqueSets,
  createRowTable,
  dropRowTable,
} from '../../structures/storage/row-table-schema.ts'
import {
  type Definition,
  definitionOf,
  type FieldDefinition,
  findStructureById,
  insertStructure,
  type StructureRow,
  uniqueSetsOf,
  updateStructure,
} from '../../structures/store.ts'
import { markWebhooksRemovedOf } from '../../webhooks/deletion.ts'
import type { RemoteObject } from '../remote-objects.ts'
import {
  type CopyTransaction,
  flagOf,
  gone,
  instantsOf,
  placeholderOf,
  present,
  type Timestamps,
} from './copy-transaction.ts'

interface RemoteStructure extends RemoteObject, Timestamps {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly fields: readonly (Omit<FieldDefinition, 'column' | 'label'> & { readonly label: string })[]
  readonly label_field: string | null
  readonly unique_together: readonly (readonly string[])[]
  readonly max_rows: number | null
  readonly immutable: boolean
}

/** Hides them at once; their rows are deleted afterwards, in chunks (`structures/deletion.ts`). */
export function removeStructures(copy: CopyTransaction): void {
  const { tx, workspacePk } = copy
  for (const id of gone(copy, 'structure')) {
    const structure = findStructureById(tx, workspacePk, id)
    if (!structure) continue
    tx.sql.run('UPDATE structures SET name_fold = NULL WHERE pk = ?', structure.pk)
    markWebhooksRemovedOf(tx, structure.pk)
  }
}

/** The rows that change must not be in the row tables meanwhile: they may collide with what becomes unique. */
export function applyStructures(copy: CopyTransaction): void {
  const { workspacePk: workspace } = copy
  const { tx } = copy
  for (const { id } of present<RemoteStructure>(copy, 'structure'))
    tx.sql.run(
      'UPDATE structures SET name_fold = ? WHERE id = ? AND name_fold IS NOT NULL',
      placeholderOf(id),
      id,
    )
  for (const structure of present<RemoteStructure>(copy, 'structure')) {
    const known = findStructureById(tx, workspace, structure.id)
    const definition = definitionIn(structure, known)
    if (known) {
      changeTable(tx, known, definition)
      updateStructure(tx, known.pk, columnsOf(structure, definition))
    } else {
      const pk = insertStructure(tx, { ...columnsOf(structure, definition), id: structure.id, workspace })
      createRowTable(tx, pk, definition.fields)
      changeUniqueSets(tx, pk, { before: [], after: definition.uniqueSets, isEmpty: true })
    }
  }
}

const columnsOf = (structure: RemoteStructure, { fields }: Pick<Definition, 'fields'>) => ({
  name: structure.name,
  nameFold: fold(structure.name),
  description: structure.description,
  fields: JSON.stringify(fields),
  labelField: structure.label_field,
  uniqueTogether: JSON.stringify(structure.unique_together),
  maxRows: structure.max_rows,
  immutable: flagOf(structure.immutable),
  ...instantsOf(structure),
})

/** Fields keep their columns; new ones get the next. */
function definitionIn(
  { fields: remote, unique_together }: RemoteStructure,
  known: StructureRow | undefined,
): Pick<Definition, 'fields' | 'uniqueSets'> {
  const before = known ? definitionOf(known).fields : []
  let next = before.reduce((highest, { column }) => Math.max(highest, column), 0) + 1
  const fields = remote.map(({ key, type, label, ...field }): FieldDefinition => {
    const existing = before.find((one) => one.key === key && one.type === type)
    const column = existing?.column ?? next++
    const { required, unit, hidden, unique, min, max, options, structure } = field
    return {
      key,
      type,
      label: label === key ? null : label,
      required,
      unit,
      hidden,
      unique,
      min,
      max,
      options,
      structure,
      column,
    }
  })
  return { fields, uniqueSets: uniqueSetsOf(fields, unique_together) }
}

/** Fields are lost only while the remote has had no row; then the copy has none either. */
function changeTable(
  tx: Tx,
  structure: StructureRow,
  after: Pick<Definition, 'fields' | 'uniqueSets'>,
): void {
  const { pk } = structure
  const before = definitionOf(structure)
  if (lostFields(before.fields, after.fields).length > 0) {
    if (structure.live > 0) throw new Error(`the structure ${structure.id} lost a field while it has rows`)
    dropRowTable(tx, pk)
    createRowTable(tx, pk, after.fields)
    changeUniqueSets(tx, pk, { before: [], after: after.uniqueSets, isEmpty: true })
    return
  }
  const isNew = ({ column }: FieldDefinition) => !before.fields.some((old) => old.column === column)
  addColumns(tx, pk, after.fields.filter(isNew))
  changeUniqueSets(tx, pk, { before: before.uniqueSets, after: after.uniqueSets })
}
