import { discardJson, prepareJson } from '../../changes/prepared-json.ts'
import { changedKeys, previousValues, type RecordData } from '../../changes/record-data.ts'
import type { InWorkspace } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { discardFolded, prepareFolded } from '../../structures/storage/folded-texts.ts'
import { findUpdatedAt } from '../../structures/storage/row-table-writes.ts'
import {
  type Definition,
  definitionOf,
  findStructureByPk,
  type StructureRow,
} from '../../structures/store.ts'
import * as store from '../store.ts'

/*
 * Reading and parsing a row of many megabytes, and writing it as JSON, takes as long as storing it. In a worker that is
 * done before the transaction, for which other writes wait, and again in it only if the row was changed meanwhile.
 */

interface LongRow {
  readonly row: store.RecordRow
  readonly data: RecordData
  /** The counter of writes of its structure. */
  readonly changes: number
}

let prepared: LongRow | undefined

/** Makes what a write will need of the row with this id, live or deleted; `dataAfter` is how it will be, if it is written. */
export function prepareRow(
  reader: Reader,
  { workspacePk }: InWorkspace,
  id: string,
  dataAfter: (definition: Definition, before: RecordData) => RecordData | undefined,
): void {
  // The structure comes first: a change between these reads has another number then.
  const of = store.structureOfRecord(reader, id)
  const structure = of === undefined ? undefined : findStructureByPk(reader, workspacePk, of)
  const row = structure && store.findRecord(reader, id)
  if (!row) return
  const data = store.dataOf(row)
  prepared = { row, data, changes: structure.changes }
  const after = dataAfter(definitionOf(structure), data)
  if (!after) return
  prepareJson(after)
  if (row.deletedAt === null) prepareJson(previousValues(changedKeys(data, after), data))
  else prepareFolded(after)
}

/** The row, if it was prepared and is as it was; that is known without reading it. */
export function findPrepared(
  reader: Reader,
  { workspacePk }: InWorkspace,
  id: string,
): store.RecordRow | undefined {
  if (prepared?.row.id !== id) return undefined
  const { row } = prepared
  const structure = findStructureByPk(reader, workspacePk, row.structure)
  return structure && isAsItWas(reader, structure, prepared) ? row : undefined
}

const isAsItWas = (reader: Reader, structure: StructureRow, { row, changes }: LongRow): boolean =>
  row.deletedAt === null
    ? findUpdatedAt(reader, structure.pk, row.pk) === row.updatedAt
    : structure.changes === changes

/** The values of a row that is about to be written. */
export const dataOf = (row: store.RecordRow): RecordData =>
  prepared?.row === row ? prepared.data : store.dataOf(row)

/** Forgets what was prepared. */
export function discardPrepared(): void {
  prepared = undefined
  discardJson()
  discardFolded()
}
