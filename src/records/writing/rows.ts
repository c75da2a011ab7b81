import { changedKeys, type RecordData } from '../../changes/record-change.ts'
import { quoteList } from '../../lib/text.ts'
import { Refusal } from '../../refusal.ts'
import type { UniqueSet } from '../../structures/definition.ts'
import { markForSearch } from '../../structures/storage/text-index.ts'
import * as store from '../store.ts'
import { publish, type Target } from './target.ts'
import { type FieldChanges, mergedData } from './values.ts'

/** Grows strictly, also within one millisecond. */
const movedOn = (now: number, before: number) => Math.max(now, before + 1)

/** Writes a new row. Its count is up to the caller, who may write many (`countNew`). */
export function insertRow(target: Target, data: RecordData): store.RecordRow {
  const { tx, structure, definition } = target
  const row = {
    pk: 0,
    id: tx.newId(),
    structure: structure.pk,
    data: JSON.stringify(data),
    createdAt: tx.now,
    updatedAt: tx.now,
    deletedAt: null,
  }
  row.pk = store.insertRecord(tx, row)
  const { pk, createdAt, updatedAt } = row
  store.insertLive(tx, structure.pk, definition, { pk, data, createdAt, updatedAt })
  publish(target, { kind: 'created', before: null, after: store.stateOf(row, data) })
  return row
}

/** Merges changes into a live row. One that changes nothing writes nothing and tells nobody. */
export function changeRow(target: Target, before: store.RecordRow, changes: FieldChanges): store.RecordRow {
  const { tx, structure, definition } = target
  const oldData = store.dataOf(before)
  const data = mergedData(definition, oldData, changes)
  const changed = changedKeys(oldData, data)
  if (changed.length === 0) return before
  const fields = definition.fields.filter(({ key }) => changed.includes(key))
  const touched = definition.uniqueSets.filter((set) => set.some((field) => fields.includes(field)))
  refuseCollision(target, touched, data, before.pk)
  const updatedAt = movedOn(tx.now, before.updatedAt)
  const row = { ...before, data: JSON.stringify(data), updatedAt }
  store.updateRecord(tx, row)
  store.updateLive(tx, structure.pk, row.pk, fields, { data, updatedAt })
  store.countChange(tx, structure.pk)
  markForSearch(tx, structure, row.pk)
  const states = { before: store.stateOf(before, oldData), after: store.stateOf(row, data) }
  publish(target, { kind: 'updated', ...states }, changed)
  return row
}

/** Takes a live row away; it is kept as deleted. Its count is up to the caller. */
export function deleteRow(target: Target, before: store.RecordRow): void {
  const { tx, structure } = target
  const data = store.dataOf(before)
  const now = movedOn(tx.now, before.updatedAt)
  const row = { ...before, updatedAt: now, deletedAt: now }
  store.updateRecord(tx, row)
  store.deleteLive(tx, structure.pk, row.pk)
  markForSearch(tx, structure, row.pk)
  const states = { before: store.stateOf(before, data), after: store.stateOf(row, data) }
  publish(target, { kind: 'deleted', ...states })
}

/** Brings a deleted row back to life. Its count is up to the caller. */
export function reviveRow(target: Target, before: store.RecordRow, data: RecordData): store.RecordRow {
  const { tx, structure, definition } = target
  const row = {
    ...before,
    data: JSON.stringify(data),
    updatedAt: movedOn(tx.now, before.updatedAt),
    deletedAt: null,
  }
  store.updateRecord(tx, row)
  store.insertLive(tx, structure.pk, definition, { ...row, data })
  markForSearch(tx, structure, row.pk)
  publish(target, { kind: 'created', before: null, after: store.stateOf(row, data) })
  return row
}

/** Refuses data that another live row holds already in a field or set that must be unique. */
export function refuseCollision(
  { tx, structure }: Target,
  sets: readonly UniqueSet[],
  data: RecordData,
  except?: number,
): void {
  for (const set of sets) {
    const holder = store.findHolder(tx, structure.pk, set, data)
    if (holder === undefined || holder === except) continue
    throw collision(set, `the record ${store.findRecordByPk(tx, holder)?.id}`)
  }
}

/** `holder` names the row in the way: "the record …" or "row 2 of this call". */
export function collision(set: UniqueSet, holder: string): Refusal {
  const keys = quoteList(set.map(({ key }) => key))
  const what = set.length === 1 ? `The field ${keys} is unique` : `The fields ${keys} are unique together`
  const held = set.length === 1 ? 'this value' : 'these values'
  return new Refusal(
    'unique_violation',
    `${what}, and ${holder} holds ${held} already; change one of the two.`,
  )
}
