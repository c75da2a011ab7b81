import { logChange } from '../../changes/log.ts'
import { type RecordData, valueIn } from '../../changes/record-data.ts'
import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { structures } from '../../db/schema/structures.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { normalised } from '../../filter/record/values.ts'
import { isId } from '../../lib/ids.ts'
import { insertRecord, updateRecord } from '../../records/store.ts'
import { refused } from '../../refusal.ts'
import { presentStructure } from '../../structures/present.ts'
import { CreateStructureBody } from '../../structures/schema.ts'
import { createStructure, type NewStructure } from '../../structures/service.ts'
import { countInserts, insertLiveRow } from '../../structures/storage/row-table-writes.ts'
import {
  type Definition,
  definitionOf,
  listStructureRows,
  type StructureRow,
} from '../../structures/store.ts'
import {
  asObject,
  idOf,
  instantOf,
  instantOrNull,
  parseExported,
  restoreUpdatedAt,
  txForOriginal,
} from './exported-object.ts'

/** The definition of a structure, without its rows. */
export function exportStructure(row: StructureRow): object {
  const { record_count: _, fields, ...structure } = presentStructure(row)
  return { ...structure, fields }
}

/** Oldest first. */
export const listStructures = (reader: Reader, caller: Caller): StructureRow[] =>
  listStructureRows(reader, caller).sort(
    (left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1),
  )

/** A record field may refer to a structure that is imported later, or that no longer exists. */
const anyStructure = (nameOrId: string) => (isId(nameOrId) ? nameOrId : undefined)

export function importStructure(tx: Tx, caller: Caller, value: unknown): StructureRow {
  const original = parseExported<NewStructure>(value, CreateStructureBody)
  const row = createStructure(txForOriginal(tx, original), caller, original.input, anyStructure)
  restoreUpdatedAt(tx, structures, original)
  return row
}

/**
 * Inserts a row with its id and times, without an event. Values must have the types of their fields and be unique where
 * that is required; other rules are not applied, because they may be newer than the row.
 */
export function importRow(tx: Tx, caller: Caller, structure: StructureRow, value: unknown): void {
  const sent = asObject(value)
  const definition = definitionOf(structure)
  const data = checkedData(definition, asObject(sent.data))
  const row = {
    id: idOf(sent.id),
    structure: structure.pk,
    data: JSON.stringify(data),
    createdAt: instantOf(sent.created_at, 'created_at'),
    updatedAt: instantOf(sent.updated_at, 'updated_at'),
    deletedAt: instantOrNull(sent.deleted_at, 'deleted_at'),
  }
  const pk = insertRecord(tx, row)
  if (row.deletedAt === null) insertLiveRow(tx, structure, definition, { ...row, pk, data })
  else updateRecord(tx, { ...row, pk })
  const object = { kind: 'record', id: row.id, structureId: structure.id } as const
  logChange(tx, caller, object, 'created')
  if (row.deletedAt !== null) logChange(tx, caller, object, 'deleted')
  const live = row.deletedAt === null ? 1 : 0
  countInserts(tx, structure.pk, { live, createdAt: row.createdAt, firstId: row.id, lastId: row.id })
}

function checkedData({ fields, byKey }: Definition, sent: Readonly<Record<string, unknown>>): RecordData {
  const unknown = Object.keys(sent).find((key) => !byKey.has(key))
  if (unknown !== undefined)
    throw refused(`"data" names "${unknown}", which is not a field of the structure.`)
  const data: RecordData = {}
  for (const { key, type } of fields) {
    const value = valueIn(sent as RecordData, key)
    if (value === undefined) continue
    const stored = normalised(type, value)
    if (stored === undefined) throw refused(`The field "${key}" does not hold a value of type "${type}".`)
    data[key] = stored
  }
  return data
}
