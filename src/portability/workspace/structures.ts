import { type RecordData, valueIn } from '../../changes/record-change.ts'
import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { rowTable } from '../../db/row-tables.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { normalised } from '../../filter/record/values.ts'
import { isId } from '../../lib/ids.ts'
import { recordJson } from '../../records/present.ts'
import { insertRecord, loadRecords, updateRecord } from '../../records/store.ts'
import { refused } from '../../refusal.ts'
import { type Definition, definitionOf } from '../../structures/definition.ts'
import { presentStructure } from '../../structures/present.ts'
import { CreateStructureBody } from '../../structures/schema.ts'
import { createStructure, type NewStructure } from '../../structures/service.ts'
import { countInserts, insertLiveRow } from '../../structures/storage/live-rows.ts'
import { listStructureRows, type StructureRow } from '../../structures/store.ts'
import { asMade, asObject, idOf, instantOf, instantOrNull, type Kept, keptObject } from './objects.ts'

/** A structure's definition as it is kept in a file. */
export function exportStructure(row: StructureRow): object {
  const { record_count: _, fields, ...structure } = presentStructure(row)
  return { ...structure, fields }
}

/** Oldest first. */
export const listStructures = (reader: Reader, { workspacePk }: Caller): StructureRow[] =>
  listStructureRows(reader, workspacePk).sort(
    (left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1),
  )

const ROWS_AT_ONCE = 1_000

/** Every row, deleted ones too, in the order of their making, as JSON texts. */
export function* exportRows(reader: Reader, structure: number): Generator<string[]> {
  for (let last = 0; ; ) {
    const pks = reader.sql.column<number>(
      `SELECT pk FROM (
         SELECT pk FROM ${rowTable(structure)} UNION ALL
         SELECT pk FROM records WHERE structure = ? AND deleted_at IS NOT NULL
       ) WHERE pk > ? ORDER BY pk LIMIT ?`,
      structure,
      last,
      ROWS_AT_ONCE,
    )
    if (pks.length === 0) return
    last = pks.at(-1) ?? last
    yield loadRecords(reader, pks).map(recordJson)
  }
}

/** A record field may point to a structure that comes later, or that was deleted meanwhile. */
const anyStructure = (nameOrId: string) => (isId(nameOrId) ? nameOrId : undefined)

export function importStructure(tx: Tx, caller: Caller, value: unknown): { kept: Kept; row: StructureRow } {
  const kept = keptObject<NewStructure>(value, CreateStructureBody)
  return { kept, row: createStructure(asMade(tx, kept), caller, kept.input, anyStructure) }
}

/**
 * Keeps a row as it was, without an event. Values must fit their types and uniqueness holds; other rules may have
 * come after the row, and do not concern it.
 */
export function importRow(tx: Tx, structure: StructureRow, value: unknown): void {
  const sent = asObject(value)
  const definition = definitionOf(structure)
  const data = keptData(definition, asObject(sent.data))
  const row = {
    id: idOf(sent.id),
    structure: structure.pk,
    data: JSON.stringify(data),
    createdAt: instantOf(sent.created_at, 'created_at'),
    updatedAt: instantOf(sent.updated_at, 'updated_at'),
    deletedAt: instantOrNull(sent.deleted_at, 'deleted_at'),
  }
  const pk = insertRecord(tx, row)
  if (row.deletedAt === null) insertLiveRow(tx, structure.pk, definition, { ...row, pk, data })
  else updateRecord(tx, { ...row, pk })
  const live = row.deletedAt === null ? 1 : 0
  countInserts(tx, structure.pk, { live, createdAt: row.createdAt, firstId: row.id, lastId: row.id })
}

function keptData({ fields, byKey }: Definition, sent: Readonly<Record<string, unknown>>): RecordData {
  const unknown = Object.keys(sent).find((key) => !byKey.has(key))
  if (unknown !== undefined) throw refused(`"data" names "${unknown}", which is no field of the structure.`)
  const data: RecordData = {}
  for (const { key, type } of fields) {
    const value = valueIn(sent as RecordData, key)
    if (value === undefined) continue
    const kept = normalised(type, value)
    if (kept === undefined) throw refused(`The field "${key}" does not hold a value of type "${type}".`)
    data[key] = kept
  }
  return data
}
