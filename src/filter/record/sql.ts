import { foldedText, numberText, valueColumn } from '../../storage/row-table-names.ts'
import type { SqlValue } from '../../storage/sql.ts'
import { allOf, type SqlPart } from '../../storage/sql.ts'
import type { RowOperator } from '../operators.ts'
import { rulesOf, type TypedField, valueMark, valueTypeOf } from './field-types.ts'
import type { Condition } from './parse.ts'
import { DAY_LENGTH, dayOf, isPoint, type Operand } from './values.ts'

const part = (text: string, ...values: SqlValue[]): SqlPart => ({ text, values })

/** A list is bound as one JSON value, so that lists of different lengths share a statement. */
const list = (values: readonly unknown[]) => JSON.stringify(values)

/** Integers beyond 2^53 must be compared as REAL, as they are stored. */
const LISTED = "SELECT iif(type = 'integer', CAST(value AS REAL), value) FROM json_each(?)"

/**
 * SQLite evaluates such a list once per statement; a test that refers to the row within the list would evaluate it
 * once per row.
 */
const among = (column: string, values: readonly unknown[]) => part(`${column} IN (${LISTED})`, list(values))

/** Only datetime fields accept lists with ranges, and these are whole days. */
function membership(column: string, operands: readonly Operand[]): SqlPart {
  const points = operands.filter(isPoint).map(({ low }) => low)
  if (points.length === operands.length) return among(column, points)
  const days = operands.filter((operand) => !isPoint(operand)).map(dayOf)
  const inDays = among(`substr(${column}, 1, ${DAY_LENGTH})`, days)
  return points.length === 0 ? inDays : anyOf([among(column, points), inDays])
}

const anyOf = (parts: readonly SqlPart[]): SqlPart => ({
  text: `(${parts.map(({ text }) => text).join(' OR ')})`,
  values: parts.flatMap(({ values }) => values),
})

function without({ text, values }: SqlPart, column: string): SqlPart {
  return { text: `(${column} IS NULL OR NOT ${text})`, values }
}

/** Up to this many values, searching the text of the column for each is faster than parsing it. */
const FEW_VALUES = 8

/** Whether the column, a JSON array with one value per line, holds any, or all, of the values. */
function holds(column: string, wanted: 'any' | 'all', operands: readonly Operand[]): SqlPart {
  const values = [...new Set(operands.map(({ low }) => String(low)))]
  if (values.length <= FEW_VALUES) {
    const texts = values.map(() => `instr(${column}, ?) > 0`)
    return part(`(${texts.join(wanted === 'any' ? ' OR ' : ' AND ')})`, ...values.map(valueMark))
  }
  const found = `FROM json_each(${column}) WHERE value IN (SELECT value FROM json_each(?))`
  return wanted === 'any'
    ? part(`EXISTS (SELECT 1 ${found})`, list(values))
    : part(`(SELECT count(*) ${found}) = ?`, list(values), values.length)
}

type ColumnTest = (column: string, operands: readonly Operand[]) => SqlPart

/** Tests the column with the only operand. */
const comparison =
  (test: (column: string, operand: Operand) => SqlPart): ColumnTest =>
  (column, [operand]) => {
    if (!operand) throw new Error('a comparison was given no operand')
    return test(column, operand)
  }

/** The tests of a column, which is NULL without a value. */
const TESTS: Record<Exclude<RowOperator, 'contains'>, ColumnTest> = {
  eq: comparison((column, operand) =>
    isPoint(operand)
      ? part(`${column} = ?`, operand.low)
      : part(`${column} BETWEEN ? AND ?`, operand.low, operand.high),
  ),
  neq: comparison((column, operand) =>
    isPoint(operand)
      ? part(`${column} IS NOT ?`, operand.low)
      : part(`(${column} IS NULL OR ${column} NOT BETWEEN ? AND ?)`, operand.low, operand.high),
  ),
  gt: comparison((column, { high }) => part(`${column} > ?`, high)),
  gte: comparison((column, { low }) => part(`${column} >= ?`, low)),
  lt: comparison((column, { low }) => part(`${column} < ?`, low)),
  lte: comparison((column, { high }) => part(`${column} <= ?`, high)),
  in: membership,
  not_in: (column, operands) => without(membership(column, operands), column),
  is_empty: (column) => part(`${column} IS NULL`),
  not_empty: (column) => part(`${column} IS NOT NULL`),
  has_any: (column, operands) => holds(column, 'any', operands),
  has_none: (column, operands) => without(holds(column, 'any', operands), column),
  has_all: (column, operands) => {
    const { text, values } = holds(column, 'all', operands)
    return part(`(${column} IS NOT NULL AND ${text})`, ...values)
  },
}

export function columnCondition(column: string, op: RowOperator, operands: readonly Operand[]): SqlPart {
  if (op === 'contains') throw new Error('contains tests the text of a field, not its column')
  return TESTS[op](column, operands)
}

/** Row tables have no ids; they are translated to pks. */
function idCondition(op: RowOperator, operands: readonly Operand[]): SqlPart {
  const ids = list(operands.map(({ low }) => low))
  const pks = 'SELECT pk FROM records WHERE id IN (SELECT value FROM json_each(?))'
  return part(`pk ${op === 'eq' || op === 'in' ? 'IN' : 'NOT IN'} (${pks})`, ids)
}

function searchedText(field: TypedField): string {
  const { companion, storage, each } = rulesOf(field)
  const { column } = field
  if (companion === 'folded') return foldedText(column)
  if (companion === 'json') return numberText(column)
  if (storage === 'INTEGER') return `iif(${valueColumn(column)}, 'true', 'false')`
  if (each)
    return `replace(trim(${valueColumn(column)}, '["]' || char(10)), '",' || char(10) || '"', char(10))`
  return valueTypeOf(field) === 'datetime' ? `lower(${valueColumn(column)})` : valueColumn(column)
}

/** `iif` would turn a boolean field without a value into 'false'. */
const ifPresent = (field: TypedField, test: string) =>
  valueTypeOf(field) === 'bool' ? `(${valueColumn(field.column)} IS NOT NULL AND ${test})` : test

/** The text of a row that `*` searches: all values, each followed by a line break. */
export function rowText(fields: Iterable<TypedField>): string {
  const lines = Array.from(fields, (field) => {
    const text = searchedText(field)
    return `coalesce(${valueTypeOf(field) === 'bool' ? `iif(${valueColumn(field.column)} IS NULL, NULL, ${text})` : text} || char(10), '')`
  })
  return lines.join(' || ')
}

function contains(field: TypedField, needle: SqlValue): SqlPart {
  return part(ifPresent(field, `instr(${searchedText(field)}, ?) > 0`), needle)
}

function searchCondition(fields: Iterable<TypedField>, [operand]: readonly Operand[]): SqlPart {
  const needle = String(operand?.low)
  const possible = [...fields].filter((field) => rulesOf(field).characters?.test(needle) ?? true)
  if (possible.length === 0) return part('0')
  return anyOf(possible.map((field) => contains(field, needle)))
}

function conditionSql({ target, op, operands }: Condition, fields: Iterable<TypedField>): SqlPart {
  if (target === '*') return searchCondition(fields, operands)
  if (target === 'id') return idCondition(op, operands)
  if (typeof target === 'string') return columnCondition(target, op, operands)
  if (op === 'contains') return contains(target, operands[0]?.low ?? '')
  return columnCondition(valueColumn(target.column), op, operands)
}

/** The conditions on a row table, at least one, joined by AND. */
export function filterSql(conditions: readonly Condition[], fields: Iterable<TypedField>): SqlPart {
  const all = [...fields]
  return allOf(conditions.map((condition) => conditionSql(condition, all)))
}
