import { effect, signal } from '@preact/signals'
import { joinedValues, splitValues } from '../../../lib/csv-cells.ts'
import { fileAddress, noteAddress, recordAddress } from '../addresses.ts'
import { api } from '../api.ts'
import { onChange, onMissed } from '../live.ts'
import { isRetryable, Refused, retryDelayOf } from '../request.ts'
import { sessionKey } from '../session-key.ts'
import { readMembers } from './members.ts'
import { type Field, type Row, rowLabel, type Structure, type Value } from './model.ts'
import { isId, isReference } from './references.ts'
import { showValue } from './values.ts'

/** The label and address of a referenced object. */
export interface ReferenceTarget {
  readonly label: string
  readonly href: string | undefined
}

const MISSING: ReferenceTarget = { label: 'deleted', href: undefined }
const MAX_CACHED = 5_000

const targets = signal<ReadonlyMap<string, ReferenceTarget>>(new Map())
const requested = new Set<string>()

type ReferenceField = Pick<Field, 'type' | 'structure'>

/** A reference to resolve. */
interface Reference {
  readonly field: ReferenceField
  readonly id: string
}

let pending: Reference[] = []

/** Labels change with their objects. */
onChange(({ kind, id }) => {
  if (kind !== 'note' && kind !== 'file' && kind !== 'record') return
  if (requested.delete(id)) requestAgain()
})
onMissed(() => {
  requested.clear()
  requestAgain()
})

/** Makes visible references request their labels again. Known labels stay until then, even in an edited field. */
function requestAgain(): void {
  targets.value = new Map(targets.peek())
}

function forgetAll(): void {
  requested.clear()
  targets.value = new Map()
}

effect(() => {
  void sessionKey.value
  forgetAll()
})

/** The target of a reference, once known. Typed text that is not an id is its own label. */
export function targetOf(field: ReferenceField, id: string): ReferenceTarget | undefined {
  if (!isId(id)) return { label: id, href: undefined }
  const found = targets.value.get(id)
  if (!requested.has(id)) request(field, id)
  return found
}

/** The labels of several references as editable text; ids that are not resolved yet stay. */
export const labelsOf = (field: ReferenceField, text: string): string =>
  joinedValues(splitValues(text).map((id) => targetOf(field, id)?.label ?? id))

/** A value as display text, references by label. */
export function valueText(field: Field, value: Value): string {
  if (value === undefined) return 'no value'
  if (!isReference(field)) return showValue(field, value)
  const labels = [value].flat().map((id) => targetOf(field, String(id))?.label ?? '…')
  return labels.join(', ')
}

function request(field: ReferenceField, id: string): void {
  if (targets.peek().size > MAX_CACHED) forgetAll()
  requested.add(id)
  if (pending.length === 0) setTimeout(() => void resolvePending())
  pending.push({ field, id })
}

function store(found: Iterable<readonly [string, ReferenceTarget]>): void {
  targets.value = new Map([...targets.peek(), ...found])
}

async function resolvePending(): Promise<void> {
  const batch = pending
  pending = []
  const isRowReference = ({ field }: Reference) => field.type === 'record' && field.structure !== null
  const rows = Map.groupBy(batch.filter(isRowReference), ({ field }) => field.structure ?? '')
  const others = batch.filter((reference) => !isRowReference(reference))
  await Promise.all([
    ...others.map((reference) =>
      resolveOne(reference).catch((error: Error) => handleFailure([reference], error)),
    ),
    ...[...rows].map(([structure, references]) =>
      resolveRows(structure, references).catch((error: Error) => handleFailure(references, error)),
    ),
  ])
}

/** Marks references as deleted only on 404; other failures are retried. */
function handleFailure(references: readonly Reference[], error: Error): void {
  if (error instanceof Refused && error.status === 404) {
    store(references.map(({ id }) => [id, MISSING]))
    return
  }
  for (const { id } of references) requested.delete(id)
  const retry = () => {
    for (const { field, id } of references) targetOf(field, id)
  }
  if (isRetryable(error)) setTimeout(retry, retryDelayOf(error))
}

/** Reads the rows of one structure in batches of 200. */
async function resolveRows(nameOrId: string, all: readonly Reference[]): Promise<void> {
  const ids = all.map(({ id }) => id)
  const { structure } = await api.get('/v1/records/structures/{nameOrId}', { params: { nameOrId } })
  for (let start = 0; start < ids.length; start += 200) {
    const batch = ids.slice(start, start + 200)
    const filter = JSON.stringify([{ field: 'id', op: 'in', value: batch }])
    const { records } = await api.get('/v1/records', {
      query: { structure: structure.id, filter, limit: 500 },
    })
    const found = new Map((records as Row[]).map((row) => [row.id, row]))
    store(batch.map((id) => [id, targetOfRow(structure, id, found.get(id))] as const))
  }
}

const targetOfRow = (structure: Structure, id: string, row: Row | undefined): ReferenceTarget =>
  row ? { label: rowLabel(structure, row), href: recordAddress(structure.id, id) } : MISSING

async function resolveOne({ field, id }: Reference): Promise<void> {
  store([[id, await readTarget(field, id)]])
}

async function readTarget(field: ReferenceField, id: string): Promise<ReferenceTarget> {
  if (field.type === 'note') {
    const { note } = await api.get('/v1/notes/{id}', { params: { id } })
    return { label: note.title, href: noteAddress(id) }
  }
  if (field.type === 'file') {
    const { file } = await api.get('/v1/files/{id}', { params: { id } })
    return { label: file.file_name, href: fileAddress(id) }
  }
  if (field.type === 'user') {
    const member = (await readMembers()).find((known) => known.id === id)
    return { label: member?.name ?? 'former member', href: undefined }
  }
  const { record, structure_id } = await api.get('/v1/records/{id}', { params: { id } })
  const nameOrId = structure_id
  const { structure } = await api.get('/v1/records/structures/{nameOrId}', { params: { nameOrId } })
  return targetOfRow(structure, id, record as Row)
}
