import { api } from '../../../data/api.ts'
import { refetch } from '../../../data/cache.ts'
import type { Structure } from '../../../data/records/model.ts'
import { fieldsInAddress, hasSelectedColumns, showColumns } from '../views/model.ts'
import { bodyOf, draftOf, type FieldDraft, keyFor, keyOf, newField } from './draft.ts'

/* Changes of single fields, from the head of a table. */

/** Changes the fields of a structure as the server has it: others may have changed them meanwhile. */
async function changeFields(id: string, change: (fields: readonly FieldDraft[]) => FieldDraft[]) {
  const params = { nameOrId: id }
  const { structure } = await api.get('/v1/records/structures/{nameOrId}', { params })
  const draft = draftOf(structure)
  const { fields } = bodyOf({ ...draft, fields: change(draft.fields) })
  await api.patch('/v1/records/structures/{nameOrId}', { params, body: { fields } })
  await refetch({ queryKey: ['structure record', 'structures'] })
}

export const renameField = (id: string, key: string, label: string) =>
  changeFields(id, (fields) => fields.map((field) => (keyOf(field) === key ? { ...field, label } : field)))

/** Hides a field in every view; its values stay. */
export const hideField = (id: string, key: string) =>
  changeFields(id, (fields) =>
    fields.map((field) => (keyOf(field) === key ? { ...field, hidden: true } : field)),
  )

/** Removes a field, which the server refuses once there were rows. */
export const deleteField = (id: string, key: string) =>
  changeFields(id, (fields) => fields.filter((field) => keyOf(field) !== key))

interface NewField {
  readonly label: string
  readonly type: string
  readonly options: string
}

/** Adds a field, shown at an index of the columns. */
export async function addField(structure: Structure, index: number, added: NewField): Promise<void> {
  const taken = new Set(structure.fields.map((field) => field.key))
  const plain = keyFor(added.label) || 'field'
  let key = plain
  for (let number = 2; taken.has(key); number++) key = `${plain.slice(0, 60)}_${number}`
  const shown = fieldsInAddress(structure).map((field) => field.key)
  await changeFields(structure.id, (fields) => [...fields, { ...newField(), ...added, key }])
  if (index < shown.length || hasSelectedColumns(structure))
    showColumns(structure, shown.toSpliced(index, 0, key))
}
