import { may } from '../../access/rights.ts'
import { keepRemote } from '../../changes/mirror-guard.ts'
import { changedKeys, type FieldValue, type RecordData } from '../../changes/record-data.ts'
import { type Caller, type InWorkspace, placeFor } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { WriteListeners } from '../../db/worker/client.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { keepMoments } from '../../delivery/due.ts'
import { type Outbox, publishChange, subscriptionsOf } from '../../delivery/outbox.ts'
import { findFile } from '../../files/store.ts'
import type { FieldType } from '../../filter/record/operators.ts'
import { normalised, TYPE_WORDS } from '../../filter/record/values.ts'
import { knownNames } from '../../lib/near-miss.ts'
import { codePointLength, counted, quoteList } from '../../lib/text.ts'
import { atFields, fail, Refusal, refused } from '../../refusal.ts'
import * as live from '../../structures/storage/live-rows.ts'
import { markForTextIndex } from '../../structures/storage/text-index.ts'
import {
  type Definition,
  definitionOf,
  type FieldDefinition,
  findStructureByPk,
  type StructureRow,
  type UniqueSet,
} from '../../structures/store.ts'
import { recordJson } from '../present.ts'
import { type RowVersions, recentWrites } from '../query/total-cache.ts'
import * as store from '../store.ts'
import { findRecordHead } from '../store.ts'

/* How the values of a row are checked, and how it is written. */

/** The fields that a write sends: each with its new value, or null to remove it. */
export type FieldChanges = ReadonlyMap<FieldDefinition, FieldValue | null>

/** Checks the values that are sent against their fields; null and an absent key both mean no value. */
export function checkedChanges(
  definition: Definition,
  sent: Readonly<Record<string, unknown>>,
): FieldChanges {
  const changes = new Map<FieldDefinition, FieldValue | null>()
  for (const key of Object.keys(sent)) {
    const field = definition.byKey.get(key) ?? fail(unknownField(key, definition))
    const value = sent[key]
    changes.set(field, value === null ? checkedNull(field) : checkedValue(field, value))
  }
  return changes
}

const unknownField = (key: string, { fields }: Definition): Refusal => {
  const known = fields.map((field) => field.key)
  return refused(`"${key}" is not a field of this structure; ${knownNames(key, known)}`, {
    ...atFields(key),
    reason: 'unknown_name',
  })
}

function checkedNull({ key, required }: FieldDefinition): null {
  if (required)
    throw refused(`"${key}" is required and cannot be without a value.`, {
      ...atFields(key),
      reason: 'missing',
    })
  return null
}

/** Refuses a whole row that lacks a required field. */
export function refuseMissing({ fields }: Definition, data: RecordData): void {
  for (const { key, required } of fields) {
    if (required && !Object.hasOwn(data, key))
      throw refused(`"${key}" is required; give it a value.`, { ...atFields(key), reason: 'missing' })
  }
}

/** The value in its stored form; refuses one that does not fit the field's type, options or bounds. */
export function checkedValue(
  field: FieldDefinition,
  sent: unknown,
  name = `The field "${field.key}"`,
): FieldValue {
  const { key, type, options } = field
  const value = normalised(type, sent) ?? fail(refused(`${name} must be ${TYPE_WORDS[type]}.`, atFields(key)))
  if (options !== null && !options.includes(String(value)))
    throw refused(`${name} must be one of ${quoteList(options)}.`, atFields(key))
  if (field.min !== null || field.max !== null) refuseOutOfBounds(field, value, name)
  return value
}

function refuseOutOfBounds({ key, type, min, max }: FieldDefinition, value: FieldValue, name: string): void {
  const measured = type === 'text' ? codePointLength(String(value)) : value
  const unit = type === 'text' ? ' characters' : ''
  if (min !== null && measured < min) throw refused(`${name} must be at least ${min}${unit}.`, atFields(key))
  if (max !== null && measured > max) throw refused(`${name} must be at most ${max}${unit}.`, atFields(key))
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

type Exists = (reader: Reader, caller: InWorkspace, id: string, field: FieldDefinition) => boolean

/** How the object that a reference names is looked up, by the type of the field. */
const REFERENCES: Partial<Record<FieldType, Exists>> = {
  note: ({ sql }, caller, id) =>
    sql.get(
      'SELECT 1 FROM notes WHERE id = ? AND workspace = ? AND deleted_at IS NULL',
      id,
      placeFor(caller, 'notes').workspacePk,
    ) !== undefined,
  record: (reader, caller, id, { structure: required }) => {
    const row = findRecordHead(reader, id)
    const structure = row?.deletedAt === null ? findStructureByPk(reader, caller, row.structure) : undefined
    if (structure === undefined || !may(caller.rights, structure.id, 'read')) return false
    return required === null || structure.id === required
  },
  file: (reader, caller, id) => findFile(reader, caller, id) !== undefined,
}

/**
 * Refuses a reference to something that is not in the workspace, or is trashed or deleted. `found` collects the
 * references that exist, so that a batch looks each up once.
 */
export function refuseBrokenReferences(
  reader: Reader,
  caller: InWorkspace,
  changes: FieldChanges,
  found = new Set<string>(),
): void {
  for (const [field, value] of changes) {
    const exists = REFERENCES[field.type]
    if (!exists || value === null) continue
    const reference = `${field.column} ${value}`
    if (found.has(reference)) continue
    if (!exists(reader, caller, String(value), field)) throw brokenReference(field, String(value))
    found.add(reference)
  }
}

function brokenReference({ key, type, structure }: FieldDefinition, id: string): Refusal {
  const kind = type === 'record' && structure !== null ? 'live record of its structure' : type
  return refused(
    `The field "${key}" names ${id}, and there is no such ${kind} in this workspace.`,
    atFields(key),
  )
}

/** What it takes to write rows of one structure in one transaction. */
export interface RowWriter extends Outbox {
  readonly caller: Caller
  /** With the counters as they are after what was written so far. */
  readonly structure: StructureRow
  readonly definition: Definition
  /** The rows written so far, and the characters of them as JSON, by which cached totals are brought up to date. */
  readonly written: { readonly rows: RowVersions[]; size: number }
}

/** Begins to write rows of a structure in the caller's transaction. */
export function rowWriter(
  listeners: WriteListeners,
  tx: Tx,
  caller: Caller,
  structure: StructureRow,
): RowWriter {
  const definition = definitionOf(structure)
  const subscriptions = subscriptionsOf(tx, structure, definition.byKey)
  const outbox = { tx, listeners, caller, structure, subscriptions, created: [], wakes: false }
  const writer = { ...outbox, definition, written: { rows: [], size: 0 } }
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

interface Version {
  readonly row: store.RecordRow
  readonly data: RecordData
}

/**
 * Writes a row as it is after a change: in `records`, the row table, the counters, the text index, the log and the
 * outbox. Without `before` it is a new one, which the caller counts, because it may insert many (`countInserts`).
 */
function writeVersion(
  writer: RowWriter,
  before: Version | undefined,
  { row, data }: Version,
  changed: readonly string[] = [],
): store.RecordRow {
  const { tx, structure, definition, written } = writer
  const wasLive = before?.row.deletedAt === null
  const isLive = row.deletedAt === null
  keepRemote(tx, writer.caller, { kind: 'record', id: row.id, structureId: structure.id }, () =>
    wasLive ? recordJson(before.row) : null,
  )
  if (before) store.updateRecord(tx, row)
  else row.pk = store.insertRecord(tx, row)
  const { pk, createdAt, updatedAt } = row
  if (!isLive) live.deleteLiveRow(tx, structure, pk)
  else if (!wasLive) live.insertLiveRow(tx, structure, definition, { pk, data, createdAt, updatedAt })
  else {
    const fields = definition.fields.filter(({ key }) => changed.includes(key))
    live.updateLiveRow(tx, structure, definition, fields, { pk, data, updatedAt })
  }
  if (before) {
    const difference = Number(isLive) - Number(wasLive)
    live.countChange(tx, structure.pk, difference)
    structure.live += difference
    structure.changes += 1
  }
  markForTextIndex(tx, structure, pk)
  const states = {
    before: before && wasLive ? store.stateOf(before.row, before.data) : null,
    after: store.stateOf(row, data),
  }
  const versions = { pk, before: states.before, after: isLive ? states.after : null }
  written.rows.push(versions)
  keepMoments(tx, writer.subscriptions, versions)
  written.size += row.data.length + (isLive && wasLive ? before.row.data.length : 0)
  const kind = !isLive ? 'deleted' : wasLive ? 'updated' : 'created'
  publishChange(writer, { ...states, kind, changed }, kind === 'created' && before ? 'restored' : kind)
  return row
}

/** `updated_at` increases with every change, even within one millisecond. */
const nextUpdatedAt = (now: number, before: number) => Math.max(now, before + 1)

/** Inserts a row. The caller counts it, because it may insert many (`countInserts`). */
export function insertRow(writer: RowWriter, data: RecordData, id = writer.tx.newId()): store.RecordRow {
  const { tx, structure } = writer
  const row = {
    pk: 0,
    id,
    structure: structure.pk,
    data: JSON.stringify(data),
    createdAt: tx.now,
    updatedAt: tx.now,
    deletedAt: null,
  }
  return writeVersion(writer, undefined, { row, data })
}

/** Merges changes into a live row. If they change nothing, nothing is written and no event is sent. */
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

/** Refuses data whose values in one of the sets another live row, not the one that is updated, already has. */
export function refuseDuplicate(
  { tx, structure, definition }: RowWriter,
  sets: readonly UniqueSet[],
  data: RecordData,
  updated?: { readonly pk: number; readonly changed: readonly string[] },
): void {
  const holders = live.findHolders(tx, structure, definition, data, sets)
  const held = holders.find(({ pk }) => pk !== updated?.pk)
  if (held) throw duplicate(held.set, `the record ${store.findRecordId(tx, held.pk)}`, updated?.changed)
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
export function duplicate(set: UniqueSet, holder: string, changed: readonly string[] = []): Refusal {
  const keys = set.map(({ key }) => key)
  const [blamed = ''] = [...keys.filter((key) => changed.includes(key)), ...keys]
  const names = quoteList(keys)
  const what = set.length === 1 ? `The field ${names} is unique` : `The fields ${names} are unique together`
  const values = set.length === 1 ? 'this value' : 'these values'
  return new Refusal(
    'unique_violation',
    `${what}, and ${holder} already has ${values}; change one of the two.`,
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
