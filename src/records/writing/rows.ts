import { changedKeys, type RecordChange, type RecordData } from '../../changes/record-change.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { subscriptionsOf } from '../../delivery/outbox/match.ts'
import { type Outbox, publishChange } from '../../delivery/outbox/publish.ts'
import { quoteList } from '../../lib/text.ts'
import { Refusal } from '../../refusal.ts'
import * as live from '../../structures/storage/live-rows.ts'
import { markForTextIndex } from '../../structures/storage/text-index.ts'
import type { StructureRow } from '../../structures/store.ts'
import { type Definition, definitionOf, type UniqueSet } from '../../structures/store.ts'
import { type RowVersions, recentWritesOf } from '../recent-writes.ts'
import * as store from '../store.ts'
import { type FieldChanges, mergedData } from './values.ts'

/** What it takes to write rows of one structure in one transaction. */
export interface RowWriter {
  readonly tx: Tx
  readonly outbox: Outbox
  readonly caller: Caller
  /** With the counters as they are after what was written so far. */
  readonly structure: StructureRow
  readonly definition: Definition
  readonly written: { readonly rows: RowVersions[]; size: number }
}

export const rowWriter = (
  { bus }: Pick<AppContext, 'bus'>,
  tx: Tx,
  caller: Caller,
  structure: StructureRow,
): RowWriter => {
  const definition = definitionOf(structure)
  const subscriptions = subscriptionsOf(tx, structure, definition.byKey)
  const outbox = { tx, bus, workspaceId: caller.workspaceId, subscriptions }
  const writer = { tx, outbox, caller, structure, definition, written: { rows: [], size: 0 } }
  shareWrites(writer, bus)
  return writer
}

/** After the commit, those who have counted rows are told what was written (`recent-writes.ts`). */
function shareWrites({ tx, structure, definition, written }: RowWriter, bus: AppContext['bus']): void {
  const recent = recentWritesOf(bus)
  const { pk: structurePk, changes: from } = structure
  tx.afterCommit(() => recent?.add({ structurePk, definition, from, to: structure.changes, ...written }))
}

/** Records how a row changed; `size` is the length of its JSON text. */
function addWritten({ written }: RowWriter, versions: RowVersions, size: number): void {
  written.rows.push(versions)
  written.size += size
}

/** Adds to the count of live rows, in storage and in `writer.structure`. */
export function addLiveCount({ tx, structure }: RowWriter, difference: number): void {
  live.addLiveCount(tx, structure.pk, difference)
  structure.live += difference
  structure.changes += 1
}

function publish(
  { outbox, caller, structure }: RowWriter,
  change: Pick<RecordChange, 'kind' | 'before' | 'after'>,
  changed: readonly string[] = [],
): void {
  publishChange(outbox, {
    ...change,
    changed,
    workspacePk: caller.workspacePk,
    structure: { pk: structure.pk, id: structure.id, name: structure.name },
    source: { surface: caller.surface, keyId: caller.keyId },
  })
}

/** `updated_at` increases with every change, even within one millisecond. */
const nextUpdatedAt = (now: number, before: number) => Math.max(now, before + 1)

/** Inserts a row. The caller counts it, because it may insert many (`countInserts`). */
export function insertRow(writer: RowWriter, data: RecordData): store.RecordRow {
  const { tx, structure, definition } = writer
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
  live.insertLiveRow(tx, structure.pk, definition, { pk, data, createdAt, updatedAt })
  const after = store.stateOf(row, data)
  addWritten(writer, { before: null, after }, row.data.length)
  publish(writer, { kind: 'created', before: null, after })
  return row
}

/** Merges changes into a live row. If they change nothing, nothing is written and no event is sent. */
export function updateRow(
  writer: RowWriter,
  before: store.RecordRow,
  changes: FieldChanges,
): store.RecordRow {
  const { tx, structure, definition } = writer
  const oldData = store.dataOf(before)
  const data = mergedData(definition, oldData, changes)
  const changed = changedKeys(oldData, data)
  if (changed.length === 0) return before
  const fields = definition.fields.filter(({ key }) => changed.includes(key))
  const changedSets = definition.uniqueSets.filter((set) => set.some((field) => fields.includes(field)))
  refuseDuplicate(writer, changedSets, data, before.pk)
  const updatedAt = nextUpdatedAt(tx.now, before.updatedAt)
  const row = { ...before, data: JSON.stringify(data), updatedAt }
  store.updateRecord(tx, row)
  live.updateLiveRow(tx, structure.pk, row.pk, fields, { data, updatedAt })
  live.countUpdate(tx, structure.pk)
  structure.changes += 1
  markForTextIndex(tx, structure, row.pk)
  const states = { before: store.stateOf(before, oldData), after: store.stateOf(row, data) }
  addWritten(writer, states, before.data.length + row.data.length)
  publish(writer, { kind: 'updated', ...states }, changed)
  return row
}

/** Marks a live row as deleted and removes it from the row table. */
export function deleteRow(writer: RowWriter, before: store.RecordRow): void {
  const { tx, structure } = writer
  const data = store.dataOf(before)
  const now = nextUpdatedAt(tx.now, before.updatedAt)
  const row = { ...before, updatedAt: now, deletedAt: now }
  store.updateRecord(tx, row)
  live.deleteLiveRow(tx, structure.pk, row.pk)
  addLiveCount(writer, -1)
  markForTextIndex(tx, structure, row.pk)
  const states = { before: store.stateOf(before, data), after: store.stateOf(row, data) }
  addWritten(writer, { before: states.before, after: null }, row.data.length)
  publish(writer, { kind: 'deleted', ...states })
}

/** Makes a deleted row live again. */
export function restoreRow(writer: RowWriter, before: store.RecordRow, data: RecordData): store.RecordRow {
  const { tx, structure, definition } = writer
  const row = {
    ...before,
    data: JSON.stringify(data),
    updatedAt: nextUpdatedAt(tx.now, before.updatedAt),
    deletedAt: null,
  }
  store.updateRecord(tx, row)
  live.insertLiveRow(tx, structure.pk, definition, { ...row, data })
  addLiveCount(writer, 1)
  markForTextIndex(tx, structure, row.pk)
  const after = store.stateOf(row, data)
  addWritten(writer, { before: null, after }, row.data.length)
  publish(writer, { kind: 'created', before: null, after })
  return row
}

/** Refuses data whose values in one of the sets another live row, not `except`, already has. */
export function refuseDuplicate(
  { tx, structure }: RowWriter,
  sets: readonly UniqueSet[],
  data: RecordData,
  except?: number,
): void {
  for (const set of sets) {
    const holder = live.findHolder(tx, structure.pk, set, data)
    if (holder === undefined || holder === except) continue
    throw duplicate(set, `the record ${store.findRecordByPk(tx, holder)?.id}`)
  }
}

/** `holder` names the row that has the values: "the record …" or "row 2 of this call". */
export function duplicate(set: UniqueSet, holder: string): Refusal {
  const keys = quoteList(set.map(({ key }) => key))
  const what = set.length === 1 ? `The field ${keys} is unique` : `The fields ${keys} are unique together`
  const values = set.length === 1 ? 'this value' : 'these values'
  return new Refusal(
    'unique_violation',
    `${what}, and ${holder} already has ${values}; change one of the two.`,
  )
}

export function refuseImmutable({ immutable, name }: StructureRow): void {
  if (immutable === 0) return
  throw new Refusal(
    'immutable',
    `The rows of "${name}" are immutable: they can be written and deleted, never edited. Write a new row, or switch "immutable" off.`,
  )
}

export function refuseFull({ maxRows, live: rows, name }: StructureRow): void {
  if (maxRows === null || rows < maxRows) return
  throw new Refusal(
    'max_rows_reached',
    `"${name}" holds ${rows} of at most ${maxRows} rows; delete a row or raise "max_rows".`,
  )
}
