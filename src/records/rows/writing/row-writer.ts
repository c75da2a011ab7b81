import type { Caller } from '../../../context.ts'
import { changedKeys, type RecordData, type RecordState } from '../../../lib/record-data.ts'
import { atFields, Refusal } from '../../../lib/refusal.ts'
import { counted, quoteList } from '../../../lib/text.ts'
import { logRestoredComments } from '../../../log/comments.ts'
import { syncDueTimes } from '../../../log/due.ts'
import {
  type Outbox,
  publishChange,
  publishCreated,
  type Subscription,
  subscriptionsOf,
} from '../../../log/outbox.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import * as live from '../../structures/storage/live-rows.ts'
import { markForTextIndex } from '../../structures/storage/text-index.ts'
import {
  type Definition,
  definitionOf,
  findStructureByPk,
  getStructure,
  type StructureRow,
  type UniqueSet,
} from '../../structures/store.ts'
import { recordJson } from '../present.ts'
import * as store from '../store.ts'
import { type FieldChanges, mergedData } from './field-values.ts'

/** The context for writing rows of one structure in one transaction. */
export interface RowWriter extends Outbox {
  readonly caller: Caller
  /** Its counters include everything written so far. */
  readonly structure: StructureRow
  readonly definition: Definition
  /** The subscriptions that derive moments from rows. */
  readonly scheduled: readonly Subscription[]
  /** The rows written so far, and their length as JSON in characters; they update cached totals. */
  readonly written: { readonly rows: store.RowVersions[]; size: number }
}

/** Begins to write rows of a structure in the caller's transaction. */
export function rowWriter(tx: Tx, caller: Caller, structure: StructureRow): RowWriter {
  const definition = definitionOf(structure)
  const subscriptions = subscriptionsOf(tx, structure, definition.byKey)
  const outbox = { tx, caller, structure, subscriptions, created: [], isNotifying: false }
  const scheduled = subscriptions.filter(({ schedule }) => schedule !== null)
  const writer = { ...outbox, definition, scheduled, written: { rows: [], size: 0 } }
  shareWrites(writer)
  return writer
}

/**
 * The row writers of a transaction, one per structure. A call that writes many rows shares them, so that each structure
 * is read once and its listeners are notified once.
 */
export class RowWriters {
  readonly #writers = new Map<number, RowWriter>()
  /** Keyed by the id or name that a call gave. */
  readonly #named = new Map<string, RowWriter>()

  constructor(
    readonly tx: Tx,
    readonly caller: Caller,
  ) {}

  /** The writer for rows of a structure; undefined for one that the caller may not see. */
  find(structurePk: number): RowWriter | undefined {
    const known = this.#writers.get(structurePk)
    if (known) return known
    const structure = findStructureByPk(this.tx, this.caller, structurePk)
    return structure && this.#add(structure)
  }

  /** The writer for new rows of a structure; refuses a structure to which the caller may not add rows. */
  named(nameOrId: string): RowWriter {
    const known = this.#named.get(nameOrId)
    if (known) return known
    const structure = getStructure(this.tx, this.caller, nameOrId, 'add')
    const writer = this.#writers.get(structure.pk) ?? this.#add(structure)
    this.#named.set(nameOrId, writer)
    return writer
  }

  #add(structure: StructureRow): RowWriter {
    const writer = rowWriter(this.tx, this.caller, structure)
    this.#writers.set(structure.pk, writer)
    return writer
  }
}

/** Passes the written rows on after the commit, to update cached totals (`query/total-cache.ts`). */
function shareWrites({ tx, structure, definition, written }: RowWriter): void {
  const { pk: structurePk, changes: from } = structure
  tx.afterCommit(() =>
    store.recentWrites(tx).add({ structurePk, definition, from, to: structure.changes, ...written }),
  )
}

/** Writes a row after a change: to its tables, the counters, the text index, the log and the outbox. */
function writeVersion(
  writer: RowWriter,
  before: store.RowVersion,
  { row, data }: store.RowVersion,
  changed: readonly string[] = [],
): store.RecordRow {
  const { tx, structure, definition, written } = writer
  const { pk, createdAt, updatedAt } = row
  const wasLive = before.row.deletedAt === null
  const isLive = row.deletedAt === null
  store.updateRecord(tx, row)
  if (!isLive) live.deleteLiveRow(tx, structure, pk)
  else if (!wasLive) live.insertLiveRows(tx, structure, definition, [{ pk, data, createdAt, updatedAt }])
  else {
    const fields = definition.fields.filter(({ key }) => changed.includes(key))
    live.updateLiveRow(tx, structure, definition, fields, { pk, data, updatedAt })
  }
  const difference = Number(isLive) - Number(wasLive)
  live.countChange(tx, structure.pk, difference)
  structure.live += difference
  structure.changes += 1
  if (structure.indexedTo !== null) markForTextIndex(tx, structure, pk)
  const states = {
    before: wasLive ? store.stateOf(before.row, before.data) : null,
    after: store.stateOf(row, data),
  }
  const versions = { pk, before: states.before, after: isLive ? states.after : null }
  written.rows.push(versions)
  if (writer.scheduled.length > 0) syncDueTimes(tx, writer.scheduled, versions)
  written.size += row.data.length + (isLive && wasLive ? before.row.data.length : 0)
  const kind = !isLive ? 'deleted' : wasLive ? 'updated' : 'created'
  const operation = kind === 'created' ? 'restored' : kind
  publishChange(writer, { ...states, kind, changed }, operation, () => recordJson(before.row))
  if (operation === 'restored') logRestoredComments(tx, writer.caller, 'record', pk, structure.id)
  return row
}

/** `updated_at` increases with every change, even within one millisecond. */
const nextUpdatedAt = (now: number, before: number) => Math.max(now, before + 1)

/** A new row for `insertRows`, with this data. It counts towards `max_rows` immediately. */
export function newRow({ tx, structure }: RowWriter, data: RecordData, id = tx.newId()): store.RecordRow {
  const { now } = tx
  structure.live += 1
  const times = { createdAt: now, updatedAt: now, deletedAt: null }
  return { pk: 0, id, structure: structure.pk, data: JSON.stringify(data), ...times }
}

/** Inserts new rows in this order. Refuses rows whose unique values another row has, without naming that row. */
export function insertRows(writer: RowWriter, rows: readonly store.RowVersion[]): void {
  const { tx, structure, scheduled, written } = writer
  store.insertRecords(tx, structure, rows)
  structure.changes += 1
  const states: RecordState[] = []
  for (const { row, data } of rows) {
    const version = { pk: row.pk, before: null, after: store.stateOf(row, data) }
    if (scheduled.length > 0) syncDueTimes(tx, scheduled, version)
    written.size += row.data.length
    written.rows.push(version)
    states.push(version.after)
  }
  publishCreated(writer, states)
}

/** Merges changes into a live row. Changes without effect write nothing and send no event. */
export function updateRow(writer: RowWriter, row: store.RecordRow, changes: FieldChanges): store.RecordRow {
  const { tx, definition } = writer
  const before = { row, data: store.dataOf(row) }
  const data = mergedData(definition, before.data, changes)
  const changed = changedKeys(before.data, data)
  if (changed.length === 0) return row
  const changedSets = definition.uniqueSets.filter((set) => set.some(({ key }) => changed.includes(key)))
  const updatedAt = nextUpdatedAt(tx.now, row.updatedAt)
  const after = { row: { ...row, data: JSON.stringify(data), updatedAt }, data }
  return namingHolder(
    () => writeVersion(writer, before, after, changed),
    () => refuseDuplicate(writer, changedSets, data, { pk: row.pk, changed }),
  )
}

/** Marks a live row as deleted and removes it from the row table. */
export function deleteRow(writer: RowWriter, row: store.RecordRow): void {
  const data = store.dataOf(row)
  const now = nextUpdatedAt(writer.tx.now, row.updatedAt)
  writeVersion(writer, { row, data }, { row: { ...row, updatedAt: now, deletedAt: now }, data })
}

/** Makes a deleted row live again. */
export function restoreRow(writer: RowWriter, row: store.RecordRow, data: RecordData): store.RecordRow {
  const updatedAt = nextUpdatedAt(writer.tx.now, row.updatedAt)
  const after = { ...row, data: JSON.stringify(data), updatedAt, deletedAt: null }
  return writeVersion(writer, { row, data }, { row: after, data })
}

/** Refuses data if another live row has the same values in one of the sets. */
export function refuseDuplicate(
  { tx, structure, definition }: RowWriter,
  sets: readonly UniqueSet[],
  data: RecordData,
  updated?: { readonly pk: number; readonly changed: readonly string[] },
): void {
  const holders = live.findHolders(tx, structure, definition, data, sets)
  const holder = holders.find(({ pk }) => pk !== updated?.pk)
  if (holder) throw duplicate(holder.set, `the record ${store.findRecordId(tx, holder.pk)}`, updated?.changed)
}

/**
 * Looks up the holder of unique values only after the indexes refuse a write; `refuse` throws the refusal that names
 * it.
 */
export function namingHolder<Result>(write: () => Result, refuse: () => void): Result {
  try {
    return write()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'unique_violation') refuse()
    throw error
  }
}

/** `holder` names the row with the same values: "the record …" or "row 2 of this call". */
export function duplicate(set: UniqueSet, holder: string, changed: readonly string[] = []): Refusal {
  const keys = set.map(({ key }) => key)
  const [blamed = ''] = [...keys.filter((key) => changed.includes(key)), ...keys]
  const names = quoteList(keys)
  const subject =
    set.length === 1 ? `The field ${names} is unique` : `The fields ${names} are unique together`
  const values = set.length === 1 ? 'this value' : 'these values'
  return new Refusal(
    'unique_violation',
    `${subject}, and ${holder} already has ${values}; change one of the two.`,
    { ...atFields(blamed), fields: keys },
  )
}

export function refuseImmutable({ immutable, name }: StructureRow): void {
  if (immutable === 0) return
  throw new Refusal(
    'immutable',
    `The rows of "${name}" are immutable: they can be written and deleted, never edited. Write a new row, or switch "immutable" off.`,
  )
}

export const isFull = ({ maxRows, live: rows }: StructureRow): boolean => maxRows !== null && rows >= maxRows

export function refuseFull(structure: StructureRow): void {
  if (!isFull(structure)) return
  const { maxRows, live: rows, name } = structure
  throw new Refusal(
    'max_rows_reached',
    `"${name}" holds ${rows} of at most ${counted(maxRows ?? 0, 'row')}; delete a row or raise "max_rows".`,
  )
}
