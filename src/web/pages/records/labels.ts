import { signal } from '@preact/signals'
import { api } from '../../data/api.ts'
import { onChange } from '../../data/live.ts'
import { address } from '../../router.ts'
import { type Field, type Row, rowLabel, type Structure } from './model.ts'
import { addressOfRow } from './view.ts'

/** What a reference leads to. */
export interface Target {
  readonly label: string
  readonly href: string | undefined
}

const GONE = 'no longer there'
const KEPT = 5_000

const targets = signal<ReadonlyMap<string, Target>>(new Map())
const asked = new Set<string>()
let waiting: { field: Field; id: string }[] = []

/** Labels change with what they name. */
onChange(({ kind, id }) => {
  if (kind !== 'note' && kind !== 'file' && kind !== 'record') return
  if (asked.delete(id)) forget([id])
})

function forget(ids: readonly string[]): void {
  const next = new Map(targets.peek())
  for (const id of ids) next.delete(id)
  targets.value = next
}

/** The label and the address of what a reference names, once they are known. */
export function targetOf(field: Field, id: string): Target | undefined {
  const found = targets.value.get(id)
  if (!found && !asked.has(id)) ask(field, id)
  return found
}

function ask(field: Field, id: string): void {
  if (asked.size > KEPT) {
    asked.clear()
    targets.value = new Map()
  }
  asked.add(id)
  if (waiting.length === 0) setTimeout(() => void resolveWaiting())
  waiting.push({ field, id })
}

function know(found: Iterable<readonly [string, Target]>): void {
  targets.value = new Map([...targets.peek(), ...found])
}

async function resolveWaiting(): Promise<void> {
  const batch = waiting
  waiting = []
  const single = batch.filter(({ field }) => field.type !== 'record' || field.structure === null)
  const byStructure = new Map<string, string[]>()
  for (const { field, id } of batch) {
    if (field.type !== 'record' || field.structure === null) continue
    byStructure.set(field.structure, [...(byStructure.get(field.structure) ?? []), id])
  }
  await Promise.all([
    ...single.map(({ field, id }) => resolveOne(field, id)),
    ...[...byStructure].map(([structure, ids]) => resolveRows(structure, ids)),
  ]).catch(() => {})
}

/** Rows of one structure are read together. */
async function resolveRows(nameOrId: string, ids: readonly string[]): Promise<void> {
  const { structure } = await api.get('/v1/records/structures/{nameOrId}', { params: { nameOrId } })
  for (let start = 0; start < ids.length; start += 200) {
    const some = ids.slice(start, start + 200)
    const filter = JSON.stringify([{ field: 'id', op: 'in', value: some }])
    const { records } = await api.get('/v1/records', {
      query: { structure: structure.id, filter, limit: 500 },
    })
    const found = new Map((records as Row[]).map((row) => [row.id, row]))
    know(some.map((id) => [id, targetOfRow(structure, id, found.get(id))] as const))
  }
}

const targetOfRow = (structure: Structure, id: string, row: Row | undefined): Target =>
  row
    ? { label: rowLabel(structure, row), href: addressOfRow(structure.id, id) }
    : { label: GONE, href: undefined }

async function resolveOne(field: Field, id: string): Promise<void> {
  const target = await readTarget(field, id).catch(() => ({ label: GONE, href: undefined }))
  know([[id, target]])
}

async function readTarget(field: Field, id: string): Promise<Target> {
  if (field.type === 'note') {
    const { note } = await api.get('/v1/notes/{id}', { params: { id } })
    return { label: note.title, href: address(['notes', id]) }
  }
  if (field.type === 'file') {
    const { file } = await api.get('/v1/files/{id}', { params: { id } })
    return { label: file.file_name, href: address(['files', id]) }
  }
  const { record, structure_id } = await api.get('/v1/records/{id}', { params: { id } })
  const nameOrId = structure_id
  const { structure } = await api.get('/v1/records/structures/{nameOrId}', { params: { nameOrId } })
  return targetOfRow(structure, id, record as Row)
}

export interface Suggestion {
  readonly id: string
  readonly label: string
}

const OFFERED = 12

/** What a reference may name, by what was typed. */
export async function suggest(field: Field, text: string): Promise<readonly Suggestion[]> {
  const limit = OFFERED
  if (field.type === 'note') {
    const search = text.trim() === '' ? {} : { search: `${text.trim()}*` }
    const { notes } = await api.get('/v1/notes', { query: { ...search, limit } })
    return notes.map(({ id, title }) => ({ id, label: title }))
  }
  if (field.type === 'file') {
    const { files } = await api.get('/v1/files', {})
    const part = text.trim().toLowerCase()
    return files
      .filter(({ file_name }) => file_name.toLowerCase().includes(part))
      .slice(0, OFFERED)
      .map(({ id, file_name }) => ({ id, label: file_name }))
  }
  if (field.structure === null) return []
  return suggestRows(field.structure, text.trim())
}

async function suggestRows(nameOrId: string, text: string): Promise<readonly Suggestion[]> {
  const { structure } = await api.get('/v1/records/structures/{nameOrId}', { params: { nameOrId } })
  const filter = JSON.stringify([{ field: '*', op: 'contains', value: text.slice(0, 200) }])
  const { records } = await api.get('/v1/records', {
    query: { structure: structure.id, limit: OFFERED, ...(text !== '' && { filter }) },
  })
  return (records as Row[]).map((row) => ({ id: row.id, label: rowLabel(structure, row) }))
}

export const isReference = ({ type }: Pick<Field, 'type'>): boolean =>
  type === 'record' || type === 'note' || type === 'file'
