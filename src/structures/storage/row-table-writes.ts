import { type FieldValue, type RecordData, valueIn } from '../../changes/record-data.ts'
import type { Reader } from '../../db/reader.ts'
import { companionColumn, rowTable, valueColumn } from '../../db/row-table-names.ts'
import type { SqlValue } from '../../db/sql.ts'
import { columnValue } from '../../filter/record/values.ts'
import { memoize, memoizeByObject } from '../../lib/bounded-cache.ts'
import { fold } from '../../lib/text.ts'
import { Refusal } from '../../refusal.ts'
import type { Definition, FieldDefinition, UniqueSet } from '../store.ts'
import { hasCompanion, isCollision, uniqueColumn, uniqueTable } from './row-table-schema.ts'

/** The content of the companion column (`db/row-table-names.ts`). */
function companionOf(value: FieldValue): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? null : JSON.stringify(value)
  return differentFold(String(value))
}

const MAY_FOLD = /[A-Z\u0080-\uffff]/

/** The folded form if it differs; most texts equal theirs, and testing that is faster than folding them. */
function differentFold(text: string): string | null {
  if (!MAY_FOLD.test(text)) return null
  const folded = fold(text)
  return folded === text ? null : folded
}

function columnNames({ column, type }: FieldDefinition): string[] {
  return hasCompanion(type) ? [valueColumn(column), companionColumn(column)] : [valueColumn(column)]
}

/** The contents of the columns of these fields; a plain loop, because every written row passes through it. */
function columnValues(fields: readonly FieldDefinition[], data: RecordData): SqlValue[] {
  const values: SqlValue[] = []
  for (const { key, type } of fields) {
    const value = valueIn(data, key)
    values.push(value === undefined ? null : columnValue(value))
    if (hasCompanion(type)) values.push(value === undefined ? null : companionOf(value))
  }
  return values
}

/** A live row, as its row table holds it. */
export interface LiveRow {
  readonly pk: number
  readonly data: RecordData
  readonly createdAt: number
  readonly updatedAt: number
}

/** The contents of all columns of a row (`rowTableColumns`). */
export const rowValues = (
  { fields }: Definition,
  { pk, createdAt, updatedAt, data }: LiveRow,
): SqlValue[] => [pk, createdAt, updatedAt, ...columnValues(fields, data)]

/** Every column of a structure's row table. */
export const rowTableColumns = ({ fields }: Definition): string[] => [
  'pk',
  'created_at',
  'updated_at',
  ...fields.flatMap(columnNames),
]

const insertTexts = memoizeByObject((definition: Definition) =>
  memoize((structurePk: number): string => {
    const names = rowTableColumns(definition)
    const placeholders = names.map(() => '?').join(', ')
    return `INSERT INTO ${rowTable(structurePk)} (${names.join(', ')}) VALUES (${placeholders})`
  }),
)

/** The index is the guarantee; callers name the row and the field with `findHolders`. */
function refusingDuplicates<Result>(write: () => Result): Result {
  try {
    return write()
  } catch (error) {
    if (!isCollision(error)) throw error
    throw new Refusal(
      'unique_violation',
      'A row with these unique values exists already; nothing was written.',
    )
  }
}

/** Inserts a row into its structure's row table. */
export function insertLiveRow(
  { sql }: Reader,
  structurePk: number,
  definition: Definition,
  row: LiveRow,
): void {
  const values = rowValues(definition, row)
  refusingDuplicates(() => sql.run(insertTexts(definition)(structurePk), ...values))
}

/**
 * With more unique sets than this, every update writes all columns. Each choice of columns is a statement of its own, and
 * preparing one with the triggers of many sets takes longer than running it.
 */
const FEW_SETS = 10

/** Writes the columns of the fields that changed, and `updated_at`. */
export function updateLiveRow(
  { sql }: Reader,
  structurePk: number,
  definition: Definition,
  changed: readonly FieldDefinition[],
  { pk, data, updatedAt }: Omit<LiveRow, 'createdAt'>,
): void {
  const fields = definition.uniqueSets.length > FEW_SETS ? definition.fields : changed
  const assignments = ['updated_at', ...fields.flatMap(columnNames)].map((name) => `${name} = ?`)
  const values = columnValues(fields, data)
  const text = `UPDATE ${rowTable(structurePk)} SET ${assignments.join(', ')} WHERE pk = ?`
  refusingDuplicates(() => sql.run(text, updatedAt, ...values, pk))
}

/** Takes away the values of these fields, which collide with none until others are written. */
export function clearLiveValues(
  { sql }: Reader,
  structurePk: number,
  fields: readonly FieldDefinition[],
  pk: number,
): void {
  if (fields.length === 0) return
  const assignments = fields.map(({ column }) => `${valueColumn(column)} = NULL`).join(', ')
  sql.run(`UPDATE ${rowTable(structurePk)} SET ${assignments} WHERE pk = ?`, pk)
}

export const deleteLiveRow = ({ sql }: Reader, structurePk: number, pk: number) =>
  sql.run(`DELETE FROM ${rowTable(structurePk)} WHERE pk = ?`, pk)

/** The pk of some live row; the only one under `max_rows: 1`. */
export const findAnyLiveRow = ({ sql }: Reader, structurePk: number): number | undefined =>
  sql.column<number>(`SELECT pk FROM ${rowTable(structurePk)} LIMIT 1`)[0]

/** A statement that looks a row up in the indexes of all unique sets at once, for which it is sent each value once. */
interface HolderQuery {
  readonly text: string
  /** The fields whose values it is sent. */
  readonly fields: readonly FieldDefinition[]
}

const holderQueries = memoizeByObject((definition: Definition) =>
  memoize((structurePk: number) => holderQuery(structurePk, definition)),
)

function holderQuery(structurePk: number, definition: Definition): HolderQuery {
  const fields = [...new Set(definition.uniqueSets.flat())]
  const numbers = new Map(fields.map((field, at) => [field, at + 1]))
  const lookups = definition.uniqueSets.map((set) => {
    const tests = set.map((field) => `${uniqueColumn(valueColumn(field.column))} = ?${numbers.get(field)}`)
    return `(SELECT pk FROM ${uniqueTable(structurePk, set).name} WHERE ${tests.join(' AND ')})`
  })
  return { text: `SELECT ${lookups.join(', ')}`, fields }
}

/**
 * The live rows that have the same values in every field of one of the unique sets `among`, which are all by default:
 * with each set the pk of the row, of which its unique index allows only one.
 */
export function findHolders(
  { sql }: Reader,
  structurePk: number,
  definition: Definition,
  data: RecordData,
  among: readonly UniqueSet[] = definition.uniqueSets,
): { readonly set: UniqueSet; readonly pk: number }[] {
  if (among.length === 0) return []
  const { text, fields } = holderQueries(definition)(structurePk)
  const isAsked = among === definition.uniqueSets ? undefined : new Set(among.flat())
  const values = fields.map((field) => {
    const value = isAsked?.has(field) === false ? undefined : valueIn(data, field.key)
    return value === undefined ? null : columnValue(value)
  })
  const [pks = []] = sql.rows<(number | null)[]>(text, ...values)
  return definition.uniqueSets.flatMap((set, at) => {
    const pk = pks[at] ?? null
    return pk !== null && among.includes(set) ? [{ set, pk }] : []
  })
}

/** Counts a change of the rows, which adds to the maintained count of live ones. */
export const countChange = ({ sql }: Reader, structurePk: number, difference: number) =>
  sql.run(
    'UPDATE structure_stats SET live = live + ?, changes = changes + 1 WHERE structure = ?',
    difference,
    structurePk,
  )

/** Counts inserted rows, and records whether pks still have the order of creation and of ids. */
export const countInserts = (
  { sql }: Reader,
  structurePk: number,
  { live, createdAt, firstId, lastId }: { live: number; createdAt: number; firstId: string; lastId: string },
) =>
  sql.run(
    `UPDATE structure_stats SET live = live + ?1, changes = changes + 1,
       in_order = in_order AND (last_id IS NULL OR (last_created_at <= ?2 AND last_id < ?3)),
       last_created_at = max(?2, coalesce(last_created_at, ?2)), last_id = max(?4, coalesce(last_id, ?4))
     WHERE structure = ?5`,
    live,
    createdAt,
    firstId,
    lastId,
    structurePk,
  )
