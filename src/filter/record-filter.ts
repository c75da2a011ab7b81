import { codePointLength, fold } from '../lib/text.ts'
import { fail, invalid, refused } from '../refusal.ts'
import {
  type FieldType,
  OPERATORS,
  OPERATORS_OF,
  type Operator,
  type RowPart,
  type TypedField,
} from './kinds.ts'
import { type Operand, operandOf } from './operands.ts'

/** A condition that was checked against a structure: its operands are in the form columns hold. */
export interface Condition {
  readonly target: TypedField | RowPart
  readonly op: Operator
  /** One for most operators, many for `in` and `not_in`, none for `is_empty` and `not_empty`. */
  readonly operands: readonly Operand[]
}

export type FieldsByKey = ReadonlyMap<string, TypedField>

interface RawCondition {
  field: string
  op: Operator
  value: unknown
}

const MAX_CONDITIONS = 50
const MAX_VALUES = 500
const MAX_NEEDLE = 200
const MEMBERS = new Set(['field', 'op', 'value'])
const ROW_PARTS: Record<string, RowPart> = {
  created_at: 'created_at',
  updated_at: 'updated_at',
  id: 'id',
  '*': '*',
}

/**
 * Reads a filter given as JSON text in a query; see `checkFilter`. Refuses malformed JSON, and text that no
 * value can hold (NUL, lone surrogates).
 */
export function parseFilter(text: string, fields: FieldsByKey): Condition[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid('"filter" must be a list of {field, op, value} encoded as JSON.')
  }
  return checkFilter(value, fields)
}

/**
 * Checks a flat filter against a structure's fields (`service.md`, Record filter): at most 50 conditions, at
 * most 500 values in one. The form is `invalid_request`; a field, an operator or a value that the structure
 * cannot answer is `refused`, with the condition's place.
 */
export function checkFilter(value: unknown, fields: FieldsByKey): Condition[] {
  if (!Array.isArray(value)) throw invalid('"filter" must be a list of {field, op, value}.')
  if (value.length > MAX_CONDITIONS) {
    throw invalid(`"filter" holds ${value.length} conditions; ${MAX_CONDITIONS} are allowed.`)
  }
  const raw = value.map(rawCondition)
  return raw.map((condition, at) => checked(condition, `filter[${at}]`, fields))
}

function rawCondition(value: unknown, at: number): RawCondition {
  const place = `filter[${at}]`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(`"${place}" must be an object {field, op, value}.`)
  }
  const unknown = Object.keys(value).find((name) => !MEMBERS.has(name))
  if (unknown !== undefined)
    throw invalid(`"${place}.${unknown}" is not known here; a condition has field, op and value.`)
  const { field, op, value: operand } = value as Record<string, unknown>
  if (typeof field !== 'string') throw invalid(`"${place}.field" must be the key of a field.`)
  const operator = OPERATORS.find((known) => known === op)
  if (!operator) throw invalid(`"${place}.op" must be one of ${OPERATORS.join(', ')}.`)
  return { field, op: operator, value: operand }
}

function checked({ field, op, value }: RawCondition, place: string, fields: FieldsByKey): Condition {
  const target = targetOf(field, place, fields)
  const kind = typeof target === 'string' ? target : target.type
  if (!OPERATORS_OF[kind].includes(op)) {
    throw refused(
      `"${place}.op" is "${op}", and ${kindWords(field, kind)} answers ${OPERATORS_OF[kind].join(', ')}.`,
    )
  }
  return { target, op, operands: operandsFor(kind, op, value, place) }
}

const kindWords = (field: string, kind: FieldType | RowPart) =>
  field === kind ? `"${field}"` : `"${field}", of type ${kind},`

function targetOf(field: string, place: string, fields: FieldsByKey): TypedField | RowPart {
  if (Object.hasOwn(ROW_PARTS, field)) return ROW_PARTS[field] ?? '*'
  return (
    fields.get(field) ??
    fail(refused(`"${place}.field" names "${field}", and the structure has no such field.`))
  )
}

function operandsFor(kind: FieldType | RowPart, op: Operator, value: unknown, place: string): Operand[] {
  if (op === 'is_empty' || op === 'not_empty') {
    if (value !== undefined && value !== null) throw refused(`"${place}.value" must be left out with ${op}.`)
    return []
  }
  if (op === 'contains') return [needle(kind, value, place)]
  if (op !== 'in' && op !== 'not_in') return [single(kind, value, `${place}.value`)]
  if (!Array.isArray(value)) throw invalid(`"${place}.value" must be a list with ${op}.`)
  if (value.length > MAX_VALUES)
    throw invalid(`"${place}.value" holds ${value.length} values; ${MAX_VALUES} are allowed.`)
  return value.map((member, at) => single(kind, member, `${place}.value[${at}]`))
}

function single(kind: FieldType | RowPart, value: unknown, place: string): Operand {
  refuseUnusableText(value, place)
  const { operand, words } = operandOf(kind, value)
  return operand ?? fail(refused(`"${place}" must be ${words}.`))
}

function needle(kind: FieldType | RowPart, value: unknown, place: string): Operand {
  refuseUnusableText(value, `${place}.value`)
  const isSearch = kind === '*'
  const length = typeof value === 'string' ? codePointLength(value) : -1
  if (typeof value === 'string' && (isSearch ? length >= 1 && length <= MAX_NEEDLE : length >= 0)) {
    const folded = fold(value)
    return { low: folded, high: folded }
  }
  throw refused(
    isSearch
      ? `"${place}.value" must be a text of 1 to ${MAX_NEEDLE} characters.`
      : `"${place}.value" must be a text.`,
  )
}

function refuseUnusableText(value: unknown, place: string): void {
  if (typeof value !== 'string' || (!value.includes('\0') && value.isWellFormed())) return
  throw invalid(`"${place}" holds a NUL character or a lone surrogate; no text may.`)
}
