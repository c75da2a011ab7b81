import { foldedText, numberText, valueColumn } from '../../db/row-tables.ts'
import type { SqlValue } from '../../db/sql.ts'
import { allOf, type SqlPart } from '../../db/sql-part.ts'
import type { Operand } from './operands.ts'
import type { Operator, TypedField } from './operators.ts'
import type { Condition } from './parse.ts'

type Comparison = (column: string, operand: Operand) => SqlPart

const part = (text: string, ...values: SqlValue[]): SqlPart => ({ text, values })
const isPoint = ({ low, high }: Operand) => low === high

/** `in` lists travel as one JSON value, so that their length never makes another statement. */
const list = (values: readonly unknown[]) => JSON.stringify(values)

const COMPARISONS: Record<'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte', Comparison> = {
  eq: (column, operand) =>
    isPoint(operand)
      ? part(`${column} = ?`, operand.low)
      : part(`${column} BETWEEN ? AND ?`, operand.low, operand.high),
  neq: (column, operand) =>
    isPoint(operand)
      ? part(`${column} IS NOT ?`, operand.low)
      : part(`(${column} IS NULL OR ${column} NOT BETWEEN ? AND ?)`, operand.low, operand.high),
  gt: (column, { high }) => part(`${column} > ?`, high),
  gte: (column, { low }) => part(`${column} >= ?`, low),
  lt: (column, { low }) => part(`${column} < ?`, low),
  lte: (column, { high }) => part(`${column} <= ?`, high),
}

/** A whole number beyond 2^53 is another one once it is read from JSON as an integer. */
const LISTED = "SELECT iif(type = 'integer', CAST(value AS REAL), value) FROM json_each(?)"

function membership(column: string, operands: readonly Operand[]): SqlPart {
  if (operands.every(isPoint)) {
    const values = list(operands.map(({ low }) => low))
    return part(`${column} IN (${LISTED})`, values)
  }
  const ranges = list(operands.map(({ low, high }) => [low, high]))
  return part(
    `EXISTS (SELECT 1 FROM json_each(?) v WHERE ${column} BETWEEN v.value ->> 0 AND v.value ->> 1)`,
    ranges,
  )
}

function without({ text, values }: SqlPart, column: string): SqlPart {
  return { text: `(${column} IS NULL OR NOT ${text})`, values }
}

function columnCondition(column: string, op: Operator, operands: readonly Operand[]): SqlPart {
  if (op === 'is_empty') return part(`${column} IS NULL`)
  if (op === 'not_empty') return part(`${column} IS NOT NULL`)
  if (op === 'in') return membership(column, operands)
  if (op === 'not_in') return without(membership(column, operands), column)
  const [operand] = operands
  if (!operand || op === 'contains') throw new Error(`the operator ${op} was given no operand`)
  return COMPARISONS[op](column, operand)
}

/** Ids are not in the rows' table: they become pks. */
function idCondition(op: Operator, operands: readonly Operand[]): SqlPart {
  const ids = list(operands.map(({ low }) => low))
  const pks = 'SELECT pk FROM records WHERE id IN (SELECT value FROM json_each(?))'
  return part(`pk ${op === 'eq' || op === 'in' ? 'IN' : 'NOT IN'} (${pks})`, ids)
}

/** Which values of a type can hold a text at all, judged by the characters they are written in. */
const WRITTEN_WITH: Partial<Record<TypedField['type'], RegExp>> = {
  number: /^[-+.e\d]*$/,
  date: /^[-\d]*$/,
  time: /^[:\d]*$/,
  datetime: /^[-:.tz\d]*$/,
  bool: /^[aeflrstu]*$/,
  note: /^[-a-f\d]*$/,
  file: /^[-a-f\d]*$/,
  record: /^[-a-f\d]*$/,
}

function searchedText({ type, column }: TypedField): string {
  if (type === 'text' || type === 'select') return foldedText(column)
  if (type === 'number') return numberText(column)
  if (type === 'bool') return `iif(${valueColumn(column)}, 'true', 'false')`
  return type === 'datetime' ? `lower(${valueColumn(column)})` : valueColumn(column)
}

/** `iif` makes 'false' of a yes/no without a value, which holds no text. */
const guarded = ({ type, column }: TypedField, test: string) =>
  type === 'bool' ? `(${valueColumn(column)} IS NOT NULL AND ${test})` : test

/** Everything of a row that a `*` search looks at as one text, a line break behind each value. */
export function rowText(fields: Iterable<TypedField>): string {
  const lines = Array.from(fields, (field) => {
    const text = searchedText(field)
    return `coalesce(${field.type === 'bool' ? `iif(${valueColumn(field.column)} IS NULL, NULL, ${text})` : text} || char(10), '')`
  })
  return lines.join(' || ')
}

function contains(field: TypedField, needle: SqlValue): SqlPart {
  return part(guarded(field, `instr(${searchedText(field)}, ?) > 0`), needle)
}

function searchCondition(fields: Iterable<TypedField>, [operand]: readonly Operand[]): SqlPart {
  const needle = String(operand?.low)
  const able = [...fields].filter(({ type }) => WRITTEN_WITH[type]?.test(needle) ?? true)
  if (able.length === 0) return part('0')
  const tests = able.map((field) => contains(field, needle))
  return {
    text: `(${tests.map(({ text }) => text).join(' OR ')})`,
    values: tests.flatMap(({ values }) => values),
  }
}

function conditionSql({ target, op, operands }: Condition, fields: Iterable<TypedField>): SqlPart {
  if (target === '*') return searchCondition(fields, operands)
  if (target === 'id') return idCondition(op, operands)
  if (typeof target === 'string') return columnCondition(target, op, operands)
  if (op === 'contains') return contains(target, operands[0]?.low ?? '')
  return columnCondition(valueColumn(target.column), op, operands)
}

/** The conditions over a structure's row table, joined by AND; undefined when there are none. */
export function filterSql(
  conditions: readonly Condition[],
  fields: Iterable<TypedField>,
): SqlPart | undefined {
  if (conditions.length === 0) return undefined
  const all = [...fields]
  return allOf(conditions.map((condition) => conditionSql(condition, all)))
}
