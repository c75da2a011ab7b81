import type { SQLiteError } from 'bun:sqlite'
import { type FieldValue, type RecordData, type RecordState, valueIn } from '../changes/record-change.ts'
import type { Reader } from '../db/reader.ts'
import { companionColumn, rowTable, valueColumn } from '../db/row-tables.ts'
import type { SqlValue } from '../db/sql.ts'
import { columnValue } from '../filter/record/values.ts'
import { fold } from '../lib/text.ts'
import { Refusal } from '../refusal.ts'
import type { Definition, FieldDefinition, UniqueSet } from '../structures/definition.ts'
import { hasCompanion } from '../structures/storage/row-table.ts'

/** A record as it stands in storage. */
export interface RecordRow {
  pk: number
  id: string
  structure: number
  data: string
  createdAt: number
  updatedAt: number
  deletedAt: number | null
}

const COLUMNS = `r.pk, r.id, r.structure, r.data, r.created_at AS createdAt, r.updated_at AS updatedAt,
  r.deleted_at AS deletedAt`

/** A record by id, live or deleted, of any workspace. */
export const findRecord = ({ sql }: Reader, id: string): RecordRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM records r WHERE r.id = ?`, id)

export const findRecordByPk = ({ sql }: Reader, pk: number): RecordRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM records r WHERE r.pk = ?`, pk)

/**
 * What an answer needs of the records of a page, in the order of the given pks. The limit keeps the list a query
 * of its own: joined plainly, the statement would be prepared anew at every run.
 */
export const loadRecords = ({ sql }: Reader, pks: readonly number[]): RecordRow[] =>
  sql.all(
    `SELECT ${COLUMNS} FROM (SELECT value FROM json_each(?) LIMIT -1) AS page
     CROSS JOIN records r ON r.pk = page.value`,
    JSON.stringify(pks),
  )

/** A live row that stands alone under `max_rows: 1`. */
export const findAnyLive = (reader: Reader, structurePk: number): RecordRow | undefined => {
  const [pk] = reader.sql.column<number>(`SELECT pk FROM ${rowTable(structurePk)} LIMIT 1`)
  return pk === undefined ? undefined : findRecordByPk(reader, pk)
}

export const dataOf = (row: RecordRow): RecordData => JSON.parse(row.data) as RecordData

/** The record as changes tell of it; `data` is what the row's JSON text says. */
export const stateOf = (row: RecordRow, data: RecordData): RecordState => ({
  id: row.id,
  data,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  deletedAt: row.deletedAt,
})

const MAY_FOLD = /[A-Z\u0080-\uffff]/

/** What the companion column holds (`db/row-tables.ts`). */
function companionOf(value: FieldValue): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? null : JSON.stringify(value)
  // Most texts are as they are folded, and to see that is quicker than to fold them.
  if (!MAY_FOLD.test(String(value))) return null
  const folded = fold(String(value))
  return folded === value ? null : folded
}

function columnNames({ column, type }: FieldDefinition): string[] {
  return hasCompanion(type) ? [valueColumn(column), companionColumn(column)] : [valueColumn(column)]
}

/** What the columns of these fields hold; a loop, as it is made for every row that is written. */
function columnValues(fields: readonly FieldDefinition[], data: RecordData): SqlValue[] {
  const values: SqlValue[] = []
  for (const { key, type } of fields) {
    const value = valueIn(data, key)
    values.push(value === undefined ? null : columnValue(value))
    if (hasCompanion(type)) values.push(value === undefined ? null : companionOf(value))
  }
  return values
}

/** Every column of a structure's table of live rows. */
export const liveColumns = ({ fields }: Definition): string[] => [
  'pk',
  'created_at',
  'updated_at',
  ...fields.flatMap(columnNames),
]

const insertTexts = new WeakMap<Definition, { structurePk: number; text: string }>()

function insertText(structurePk: number, definition: Definition): string {
  const known = insertTexts.get(definition)
  if (known?.structurePk === structurePk) return known.text
  const names = liveColumns(definition)
  const marks = names.map(() => '?').join(', ')
  const text = `INSERT INTO ${rowTable(structurePk)} (${names.join(', ')}) VALUES (${marks})`
  insertTexts.set(definition, { structurePk, text })
  return text
}

/** The index is the guarantee; whoever writes has looked before, and can name the row and the field. */
function guarded<Result>(write: () => Result): Result {
  try {
    return write()
  } catch (error) {
    if ((error as SQLiteError).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error
    throw new Refusal(
      'unique_violation',
      'A row with these unique values exists already; nothing was written.',
    )
  }
}

/** Puts a live row into its structure's own table. */
export function insertLive(
  { sql }: Reader,
  structurePk: number,
  definition: Definition,
  { pk, data, createdAt, updatedAt }: { pk: number; data: RecordData; createdAt: number; updatedAt: number },
): void {
  const values = columnValues(definition.fields, data)
  guarded(() => sql.run(insertText(structurePk, definition), pk, createdAt, updatedAt, ...values))
}

/** Answers the new pk. */
export const insertRecord = ({ sql }: Reader, row: Omit<RecordRow, 'pk'>): number =>
  sql.run(
    'INSERT INTO records (id, structure, data, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
    row.id,
    row.structure,
    row.data,
    row.createdAt,
    row.updatedAt,
  ).lastInsertRowid

/** Writes everything of a record that can change. */
export const updateRecord = ({ sql }: Reader, { pk, data, updatedAt, deletedAt }: RecordRow) =>
  sql.run(
    'UPDATE records SET data = ?, updated_at = ?, deleted_at = ? WHERE pk = ?',
    data,
    updatedAt,
    deletedAt,
    pk,
  )

/** Writes the fields that changed into a live row. */
export function updateLive(
  { sql }: Reader,
  structurePk: number,
  pk: number,
  fields: readonly FieldDefinition[],
  { data, updatedAt }: { data: RecordData; updatedAt: number },
): void {
  const sets = ['updated_at', ...fields.flatMap(columnNames)].map((name) => `${name} = ?`)
  const values = columnValues(fields, data)
  const text = `UPDATE ${rowTable(structurePk)} SET ${sets.join(', ')} WHERE pk = ?`
  guarded(() => sql.run(text, updatedAt, ...values, pk))
}

export const deleteLive = ({ sql }: Reader, structurePk: number, pk: number) =>
  sql.run(`DELETE FROM ${rowTable(structurePk)} WHERE pk = ?`, pk)

/** The live rows that hold these values in every field of the set; at most one, as the index guarantees. */
export function findHolder(
  { sql }: Reader,
  structurePk: number,
  set: UniqueSet,
  data: RecordData,
): number | undefined {
  const values: SqlValue[] = []
  for (const { key } of set) {
    const value = valueIn(data, key)
    if (value === undefined) return undefined
    values.push(columnValue(value))
  }
  const tests = set.map(({ column }) => `${valueColumn(column)} = ?`).join(' AND ')
  return sql.get<{ pk: number }>(`SELECT pk FROM ${rowTable(structurePk)} WHERE ${tests}`, ...values)?.pk
}

/** Moves the maintained count of live rows. */
export const countLive = ({ sql }: Reader, structurePk: number, step: number) =>
  sql.run(
    'UPDATE structure_rows SET live = live + ?, changes = changes + 1 WHERE structure = ?',
    step,
    structurePk,
  )

/** Notes that rows changed while none came or went. */
export const countChange = ({ sql }: Reader, structurePk: number) =>
  sql.run('UPDATE structure_rows SET changes = changes + 1 WHERE structure = ?', structurePk)

/** Counts new rows in, and notes whether the order of pks is still that of creation and of ids. */
export const countNew = (
  { sql }: Reader,
  structurePk: number,
  { live, createdAt, firstId, lastId }: { live: number; createdAt: number; firstId: string; lastId: string },
) =>
  sql.run(
    `UPDATE structure_rows SET live = live + ?1, changes = changes + 1,
       in_order = in_order AND (last_id IS NULL OR (last_created_at <= ?2 AND last_id < ?3)),
       last_created_at = max(?2, coalesce(last_created_at, ?2)), last_id = max(?4, coalesce(last_id, ?4))
     WHERE structure = ?5`,
    live,
    createdAt,
    firstId,
    lastId,
    structurePk,
  )
