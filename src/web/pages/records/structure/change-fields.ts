import { api } from '../../../data/api.ts'
import { refetch } from '../../../data/cache.ts'
import type { Structure } from '../../../data/records/model.ts'
import { ACCEPT, Refused, refusalOf } from '../../../data/request.ts'
import { fieldsInAddress, hasSelectedColumns, showColumns } from '../views/model.ts'
import { bodyOf, draftOf, type FieldDraft, keyFor, keyOf, newField } from './draft.ts'

/* Changes of single fields, from the head of a table. */

/** Attempts while others change the same structure. */
const MAX_TRIES = 5

/** Changes the fields of a structure as the server has it, again if others change it meanwhile. */
async function changeFields(id: string, change: (fields: readonly FieldDraft[]) => FieldDraft[]) {
  const params = { nameOrId: id }
  for (let attempt = 1; ; attempt++) {
    const { structure, tag } = await readTagged(id)
    const draft = draftOf(structure)
    const { fields } = bodyOf({ ...draft, fields: change(draft.fields) })
    try {
      await api.patch('/v1/records/structures/{nameOrId}', {
        params,
        body: { fields },
        headers: { 'If-Match': tag },
      })
      break
    } catch (error) {
      const isStale = error instanceof Refused && error.code === 'precondition_failed'
      if (!isStale || attempt === MAX_TRIES) throw error
    }
  }
  await refetch({ queryKey: ['structure record', 'structures'] })
}

/** A structure with its entity tag. */
async function readTagged(id: string): Promise<{ structure: Structure; tag: string }> {
  const headers = { Accept: ACCEPT }
  const response = await fetch(`/v1/records/structures/${id}`, { headers, cache: 'no-store' })
  if (!response.ok) throw await refusalOf(response)
  const { structure } = (await response.json()) as { structure: Structure }
  return { structure, tag: response.headers.get('etag') ?? '*' }
}

/** Changes the definition of a field. */
export const changeField = (id: string, key: string, changed: FieldDraft) =>
  changeFields(id, (fields) => fields.map((field) => (keyOf(field) === key ? changed : field)))

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
