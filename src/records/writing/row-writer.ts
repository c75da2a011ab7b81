import type { RecordChange } from '../../changes/bus.ts'
import type { ChangeOperation } from '../../changes/entries.ts'
import { changedKeys, type FieldValue, type RecordData } from '../../changes/record-data.ts'
import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { WriteListeners } from '../../db/worker/client.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { type Outbox, openOutbox, publishChange, subscriptionsOf } from '../../delivery/outbox.ts'
import { findFile } from '../../files/store.ts'
import type { FieldType } from '../../filter/record/operators.ts'
import { normalised, TYPE_WORDS } from '../../filter/record/values.ts'
import { codePointLength, quoteList } from '../../lib/text.ts'
import { fail, Refusal, refused } from '../../refusal.ts'
import * as live from '../../structures/storage/row-table-writes.ts'
import { markForTextIndex } from '../../structures/storage/text-index.ts'
import {
  type Definition,
  definitionOf,
  type FieldDefinition,
  findStructureByPk,
  type StructureRow,
  type UniqueSet,
} from '../../structures/store.ts'
import { type RowVersions, recentWrites } from '../query/total-cache.ts'
import * as store from '../store.ts'
import { findRecordHead } from '../store.ts'

/** What it takes to write rows of one structure in one transaction. */
export interface RowWriter {
  readonly tx: Tx
  readonly outbox: Outbox
  readonly caller: Caller
  /** With the counters as they are after what was written so far. */
  readonly structure: StructureRow
  readonly definition: Definition
  /** The rows written so far, and the characters of them as JSON, by which cached totals are brought up to date. */
  readonly written: { readonly rows: RowVersions[]; size: number }
}

/** Begins to write rows of a structure in the caller's transaction. */
export const rowWriter = (
  listeners: WriteListeners,
  tx: Tx,
  caller: Caller,
  structure: StructureRow,
): RowWriter => {
  const definition = definitionOf(structure)
  const subscriptions = subscriptionsOf(tx, structure, definition.byKey)
  const outbox = openOutbox({ tx, listeners, author: caller, workspaceId: caller.workspaceId, subscriptions })
  const writer = { tx, outbox, caller, structure, definition, written: { rows: [], size: 0 } }
  shareWrites(writer)
  return writer
}

/** After the commit, the written rows are passed on to bring cached totals up to date (`query/total-cache.ts`). */
function shareWrites({ tx, structure, definition, written }: RowWriter): void {
  const { pk: structurePk, changes: from } = structure
  tx.afterCommit(() =>
    recentWrites(tx).add({ structurePk, definition, from, to: structure.changes, ...written }),
  )
}

/** Records how a row changed; `size` is the length of its JSON text. */
function addWritten({ written }: RowWriter, versions: RowVersions, size: number): void {
  written.rows.push(versions)
  written.size += size
}

/** Adds to the count of live rows, in storage and in `writer.structure`. */
function addLiveCount({ tx, structure }: RowWriter, difference: number): void {
  live.addLiveCount(tx, structure.pk, difference)
  structure.live += difference
  structure.changes += 1
}

function publish(
  { outbox, caller, structure }: RowWriter,
  change: Pick<RecordChange, 'kind' | 'before' | 'after'>,
  changed: readonly string[] = [],
  operation?: ChangeOperation,
): void {
  publishChange(
    outbox,
    {
      ...change,
      changed,
      workspacePk: caller.workspacePk,
      structure: { pk: structure.pk, id: structure.id, name: structure.name },
      source: { surface: caller.surface, keyId: caller.keyId },
    },
    operation,
  )
}

/** `updated_at` increases with every change, even within one millisecond. */
const nextUpdatedAt = (now: number, before: number) => Math.max(now, before + 1)

/** Inserts a row. The caller counts it, because it may insert many (`countInserts`). */
export function insertRecord(writer: RowWriter, data: RecordData): store.RecordRow {
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
  const updatedAt = nextUpdatedAt(tx.now, before.updatedAt)
  const row = { ...before, data: JSON.stringify(data), updatedAt }
  store.updateRecord(tx, row)
  namingHolder(
    () => live.updateLiveRow(tx, structure.pk, definition, fields, { pk: row.pk, data, updatedAt }),
    () => refuseDuplicate(writer, changedSets, data, row.pk),
  )
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
  publish(writer, { kind: 'created', before: null, after }, [], 'restored')
  return row
}

/** Refuses data whose values in one of the sets another live row, not `except`, already has. */
export function refuseDuplicate(
  { tx, structure, definition }: RowWriter,
  sets: readonly UniqueSet[],
  data: RecordData,
  except?: number,
): void {
  const holders = live.findHolders(tx, structure.pk, definition, data, sets)
  const held = holders.find(({ pk }) => pk !== except)
  if (held) throw duplicate(held.set, `the record ${store.findRecordId(tx, held.pk)}`)
}

/** Looks for who has the unique values only when the indexes refuse a write; `refuse` throws the refusal that says so. */
export function namingHolder<Result>(write: () => Result, refuse: () => void): Result {
  try {
    return write()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'unique_violation') refuse()
    throw error
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

export const isFull = ({ maxRows, live: rows }: StructureRow): boolean => maxRows !== null && rows >= maxRows

export function refuseFull(structure: StructureRow): void {
  if (!isFull(structure)) return
  const { maxRows, live: rows, name } = structure
  throw new Refusal(
    'max_rows_reached',
    `"${name}" holds ${rows} of at most ${maxRows} rows; delete a row or raise "max_rows".`,
  )
}

/** The fields that a write sends: each with its new value, or null to remove it. */
export type FieldChanges = ReadonlyMap<FieldDefinition, FieldValue | null>

/** Checks the values that are sent against their fields; null and an absent key both mean no value. */
export function checkedChanges(
  definition: Definition,
  sent: Readonly<Record<string, unknown>>,
): FieldChanges {
  const changes = new Map<FieldDefinition, FieldValue | null>()
  for (const key of Object.keys(sent)) {
    const field =
      definition.byKey.get(key) ??
      fail(refused(`"${key}" is not a field of this structure; remove it or check its spelling.`))
    const value = sent[key]
    changes.set(field, value === null ? checkedNull(field) : checkedValue(field, value))
  }
  return changes
}

function checkedNull({ key, required }: FieldDefinition): null {
  if (required) throw refused(`"${key}" is required and cannot be without a value.`)
  return null
}

/** Refuses a whole row that lacks a required field. */
export function refuseMissing({ fields }: Definition, data: RecordData): void {
  for (const { key, required } of fields) {
    if (required && !Object.hasOwn(data, key)) throw refused(`"${key}" is required; give it a value.`)
  }
}

/** The value in its stored form; refuses one that does not fit the field's type, options or bounds. */
function checkedValue(field: FieldDefinition, sent: unknown): FieldValue {
  const { key, type, options } = field
  const value = normalised(type, sent) ?? fail(refused(`The field "${key}" must be ${TYPE_WORDS[type]}.`))
  if (options !== null && !options.includes(String(value)))
    throw refused(`The field "${key}" must be one of ${quoteList(options)}.`)
  if (field.min !== null || field.max !== null) refuseOutOfBounds(field, value)
  return value
}

function refuseOutOfBounds({ key, type, min, max }: FieldDefinition, value: FieldValue): void {
  const measured = type === 'text' ? codePointLength(String(value)) : value
  const unit = type === 'text' ? ' characters' : ''
  if (min !== null && measured < min) throw refused(`The field "${key}" must be at least ${min}${unit}.`)
  if (max !== null && measured > max) throw refused(`The field "${key}" must be at most ${max}${unit}.`)
}

/** The row after the changes, its keys in the order of the fields. */
export function mergedData({ fields }: Definition, before: RecordData, changes: FieldChanges): RecordData {
  const data: RecordData = {}
  for (const field of fields) {
    const { key } = field
    const change = changes.get(field)
    const value = change === undefined ? (Object.hasOwn(before, key) ? before[key] : undefined) : change
    if (value !== undefined && value !== null) data[key] = value
  }
  return data
}

type Exists = (reader: Reader, workspace: number, id: string, field: FieldDefinition) => boolean

/** How the object that a reference names is looked up, by the type of the field. */
const REFERENCES: Partial<Record<FieldType, Exists>> = {
  note: ({ sql }, workspace, id) =>
    sql.get('SELECT 1 FROM notes WHERE id = ? AND workspace = ? AND deleted_at IS NULL', id, workspace) !==
    undefined,
  record: (reader, workspace, id, { structure: required }) => {
    const row = findRecordHead(reader, id)
    const structure =
      row?.deletedAt === null ? findStructureByPk(reader, workspace, row.structure) : undefined
    return structure !== undefined && (required === null || structure.id === required)
  },
  file: (reader, workspace, id) => findFile(reader, workspace, id) !== undefined,
}

/**
 * Refuses a reference to something that is not in the workspace, or is trashed or deleted. `found` collects the
 * references that exist, so that a batch looks each up once.
 */
export function refuseBrokenReferences(
  reader: Reader,
  { workspacePk }: Caller,
  changes: FieldChanges,
  found = new Set<string>(),
): void {
  for (const [field, value] of changes) {
    const exists = REFERENCES[field.type]
    if (!exists || value === null) continue
    const reference = `${field.column} ${value}`
    if (found.has(reference)) continue
    if (!exists(reader, workspacePk, String(value), field)) throw brokenReference(field, String(value))
    found.add(reference)
  }
}

function brokenReference({ key, type, structure }: FieldDefinition, id: string): Refusal {
  const kind = type === 'record' && structure !== null ? 'live record of its structure' : type
  return refused(`The field "${key}" names ${id}, and there is no such ${kind} in this workspace.`)
}
