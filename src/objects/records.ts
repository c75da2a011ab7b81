import type { Static } from '@sinclair/typebox'
import { type Caller, wholeWorkspace } from '../context.ts'
import { isComputed, rulesOf } from '../filter/record/field-types.ts'
import { type RecordData, type RecordState, valueIn } from '../lib/record-data.ts'
import { refused } from '../lib/refusal.ts'
import { logChange, logCreatedRecords } from '../log/log.ts'
import type { RecordObject } from '../records/rows/schema.ts'
import { findRecord, putRecords, type RecordRow } from '../records/rows/store.ts'
import { freeRowIds } from '../records/structures/deletion.ts'
import { countChange, deleteLiveRow } from '../records/structures/storage/live-rows.ts'
import { markForTextIndex } from '../records/structures/storage/text-index.ts'
import {
  type Definition,
  definitionOf,
  findStructureById,
  findStructureByPk,
  type StructureRow,
} from '../records/structures/store.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { type Copy, instantsOf } from './copy.ts'
import { type Attributes, asObject, idOf, instantOf, instantOrNull } from './exported.ts'
import type { KindCopying } from './kind.ts'

export type StoredRecord = Static<typeof RecordObject> & { readonly data: RecordData }

interface PendingRecord {
  readonly record: StoredRecord
  readonly structureId: string
}

const ROWS_AT_ONCE = 200

/** Writes the records of one transaction of a copy. */
export class Records implements KindCopying<StoredRecord> {
  readonly kind = 'record'
  /**
   * Structures before the transaction by pk, within it by id. Undefined while a structure is being deleted together
   * with its rows.
   */
  readonly #structures = new Map<number | string, StructureRow | undefined>()
  /** The pending records, all of one structure. */
  readonly #pending: PendingRecord[] = []

  remove(copy: Copy, ids: Iterable<string>): void {
    for (const id of ids) {
      const pk = this.#takeOut(copy, id)
      if (pk !== undefined) copy.tx.sql.run('DELETE FROM records WHERE pk = ?', pk)
    }
  }

  /** Rows leave the row tables while values move between them, so that no two rows collide. */
  setAside(copy: Copy, id: string): void {
    this.#takeOut(copy, id)
  }

  #takeOut({ tx, workspacePk }: Copy, id: string): number | undefined {
    const row = findRecord(tx, id)
    const structure =
      row &&
      this.#structure(row.structure, () => findStructureByPk(tx, wholeWorkspace(workspacePk), row.structure))
    if (!row || !structure) return undefined
    // In a writable mirror it may be deleted.
    if (row.deletedAt !== null) return row.pk
    deleteLiveRow(tx, structure, row.pk)
    markForTextIndex(tx, structure, row.pk)
    countChange(tx, structure.pk, -1)
    return row.pk
  }

  write(copy: Copy, record: StoredRecord, structureId: string): void {
    const [first] = this.#pending
    if (this.#pending.length === ROWS_AT_ONCE || (first && first.structureId !== structureId))
      this.finish(copy)
    this.#pending.push({ record, structureId })
  }

  /** Writes the pending records, which are of one structure. */
  finish({ tx, workspacePk, isFresh }: Copy): void {
    const pending = this.#pending.splice(0)
    const [first] = pending
    if (!first) return
    const structure = this.#structure(first.structureId, () =>
      findStructureById(tx, wholeWorkspace(workspacePk), first.structureId),
    )
    if (!structure) return
    const known = isFresh ? undefined : knownRecords(tx, pending)
    const records = pending.map(({ record }) => {
      const { id, data } = record
      return { id, data, ...instantsOf(record), deletedAt: null, known: known?.get(id) }
    })
    putRecords(tx, structure, records)
  }

  #structure(key: number | string, find: () => StructureRow | undefined): StructureRow | undefined {
    const known = this.#structures.get(key)
    if (known || this.#structures.has(key)) return known
    const found = find()
    this.#structures.set(key, found)
    return found
  }
}

/** The records of the copy, by id. */
function knownRecords(
  tx: Tx,
  pending: readonly PendingRecord[],
): Map<string, Pick<RecordRow, 'pk' | 'createdAt'>> {
  const ids = pending.map(({ record }) => record.id)
  freeRowIds(tx, ids)
  const known = tx.sql.all<Pick<RecordRow, 'id' | 'pk' | 'createdAt'>>(
    'SELECT id, pk, created_at AS createdAt FROM records WHERE id IN (SELECT value FROM json_each(?))',
    JSON.stringify(ids),
  )
  return new Map(known.map(({ id, ...row }) => [id, row]))
}

/**
 * Inserts rows with their ids and times, without events. Values must match the types of their fields, and be unique
 * where required. Other rules are not applied, because they may be newer than the rows.
 */
export function importRows(
  tx: Tx,
  caller: Caller,
  structure: StructureRow,
  values: readonly unknown[],
): void {
  const definition = definitionOf(structure)
  const records = values.map((value) => readRow(definition, asObject(value)))
  freeRowIds(
    tx,
    records.map(({ id }) => id),
  )
  putRecords(tx, structure, records)
  const created: string[] = []
  for (const { id, deletedAt } of records) {
    created.push(id)
    if (deletedAt === null) continue
    logCreatedRecords(tx, caller, structure.id, created.splice(0))
    logChange(tx, caller, { kind: 'record', id, structureId: structure.id }, 'deleted')
  }
  logCreatedRecords(tx, caller, structure.id, created)
}

const readRow = (definition: Definition, sent: Attributes): RecordState => ({
  id: idOf(sent.id),
  data: checkedData(definition, asObject(sent.data)),
  createdAt: instantOf(sent.created_at, 'created_at'),
  updatedAt: instantOf(sent.updated_at, 'updated_at'),
  deletedAt: instantOrNull(sent.deleted_at, 'deleted_at'),
})

function checkedData({ fields, byKey }: Definition, sent: Readonly<Record<string, unknown>>): RecordData {
  const unknown = Object.keys(sent).find((key) => !byKey.has(key))
  if (unknown !== undefined)
    throw refused(`"data" names "${unknown}", which is not a field of the structure.`)
  const data: RecordData = {}
  for (const field of fields) {
    const { key, type } = field
    const value = valueIn(sent as RecordData, key)
    // Computed again: a deleted row may hold values of an earlier expression.
    if (value === undefined || isComputed(field)) continue
    const stored = rulesOf(field).normalise(value)
    if (stored === undefined) throw refused(`The field "${key}" does not hold a value of type "${type}".`)
    data[key] = stored
  }
  return data
}
