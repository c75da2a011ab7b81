import { isObject } from '../../lib/json.ts'
import { atPlace, fail, invalid, refused } from '../../lib/refusal.ts'
import { codePointLength, fold } from '../../lib/text.ts'
import { checkOperands } from '../operands.ts'
import { ALL_ROW_OPERATORS, OPERATORS, type RowOperator } from '../operators.ts'
import { MAX_VALUES, operatorsOf, type RowPart, rulesOf, type TypedField } from './field-types.ts'
import { type Operand, operandOf } from './values.ts'

/** A condition that was checked against a structure; its operands have the format of column values. */
export interface Condition {
  readonly target: TypedField | RowPart
  readonly op: RowOperator
  /** One for most operators, many for `in` and `not_in`, none for `is_empty` and `not_empty`. */
  readonly operands: readonly Operand[]
}

export type FieldsByKey = ReadonlyMap<string, TypedField>

/** A parsed condition, not yet checked against a structure. */
export interface RawCondition {
  field: string
  op: RowOperator
  value: unknown
}

export const MAX_CONDITIONS = 50
export const MAX_NEEDLE = 200
const MEMBERS = new Set(['field', 'op', 'value'])
const ROW_PARTS: readonly RowPart[] = ['created_at', 'updated_at', 'id', '*']

/** Parses a filter given as JSON text in a query string; see `parseConditions`. */
export function parseFilter(text: string): RawCondition[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid('"filter" must be a list of {field, op, value} encoded as JSON.', atPlace('filter'))
  }
  return parseConditions(value)
}

/**
 * Checks everything that needs no structure: at most 50 conditions with known operators, at most 500 values in each,
 * no text with a NUL character or lone surrogate, and the length of a text that is searched in the whole row.
 */
export function parseConditions(value: unknown): RawCondition[] {
  if (!Array.isArray(value))
    throw invalid('"filter" must be a list of {field, op, value}.', atPlace('filter'))
  if (value.length > MAX_CONDITIONS)
    throw invalid(
      `"filter" holds ${value.length} conditions; ${MAX_CONDITIONS} are allowed.`,
      atPlace('filter'),
    )
  return value.map(rawCondition)
}

/**
 * Checks a filter against a structure. Refusals of unknown fields, operators and values name their path. `me` is the
 * user that "me" means; without it, "me" is refused.
 */
export const checkFilter = (
  filter: readonly RawCondition[],
  fields: FieldsByKey,
  me?: string | undefined,
): Condition[] => filter.map((condition, at) => checkCondition(condition, `filter[${at}]`, fields, me))

function rawCondition(value: unknown, at: number): RawCondition {
  const place = `filter[${at}]`
  if (!isObject(value)) throw invalid(`"${place}" must be an object {field, op, value}.`, atPlace(place))
  const unknown = Object.keys(value).find((name) => !MEMBERS.has(name))
  if (unknown !== undefined)
    throw invalid(
      `"${place}.${unknown}" is not known here; a condition has field, op and value.`,
      atPlace(place, unknown),
    )
  const { field, op, value: operand } = value
  if (typeof field !== 'string')
    throw invalid(`"${place}.field" must be the key of a field.`, atPlace(`${place}.field`))
  const operator =
    ALL_ROW_OPERATORS.find((known) => known === op) ??
    fail(invalid(`"${place}.op" must be one of ${ALL_ROW_OPERATORS.join(', ')}.`, atPlace(`${place}.op`)))
  refuseWrongValue(operator, operand, `${place}.value`)
  if (field === '*' && operator === 'contains') refuseWrongSearch(operand, `${place}.value`)
  return { field, op: operator, value: operand }
}

function refuseWrongSearch(value: unknown, place: string): void {
  const length = typeof value === 'string' ? codePointLength(value) : 0
  if (length < 1 || length > MAX_NEEDLE)
    throw invalid(`"${place}" must be a text of 1 to ${MAX_NEEDLE} characters.`, atPlace(place))
}

/** The limits of a list that is compared with several values of a field. */
const OF_SEVERAL = { least: 1, most: MAX_VALUES }
const HINT = { hint: '; is_empty finds rows without a value' }

function refuseWrongValue(op: RowOperator, value: unknown, place: string): void {
  refuseUnusableText(value, place)
  checkOperands(op, value, place, op.startsWith('has_') ? OF_SEVERAL : HINT)
  if (Array.isArray(value) && OPERATORS[op].takes === 'list')
    for (const member of value) refuseUnusableText(member, place)
}

function refuseUnusableText(value: unknown, place: string): void {
  if (typeof value !== 'string' || (!value.includes('\0') && value.isWellFormed())) return
  throw invalid(
    `"${place}" holds a NUL character or a lone surrogate, which texts cannot contain.`,
    atPlace(place),
  )
}

function checkCondition(
  { field, op, value }: RawCondition,
  place: string,
  fields: FieldsByKey,
  me: string | undefined,
): Condition {
  const target = targetOf(field, place, fields)
  if (typeof target !== 'string' && target.type === 'rollup')
    throw refused(
      `"${place}.field" names "${field}", a roll-up; rows cannot be filtered by it.`,
      atPlace(`${place}.field`),
    )
  const operators = operatorsOf(target)
  if (!operators.includes(op)) {
    throw refused(
      `"${place}.op" is "${op}", and ${targetWords(target)} allows only ${operators.join(', ')}.`,
      atPlace(`${place}.op`),
    )
  }
  const meant = meantValue(target, op, value, `${place}.value`, me)
  return { target, op, operands: operandsFor(target, op, meant, `${place}.value`) }
}

const isUserField = (target: TypedField | RowPart): boolean =>
  typeof target !== 'string' && rulesOf(target).references === 'user'

/** Replaces "me" by the caller's user. */
function meantValue(
  target: TypedField | RowPart,
  op: RowOperator,
  value: unknown,
  place: string,
  me: string | undefined,
): unknown {
  if (!isUserField(target)) return value
  const isMe = value === 'me' || (Array.isArray(value) && value.includes('me'))
  if (!isMe) return value
  if (me === undefined)
    throw refused(
      `"${place}" cannot be "me": only queries and views have a caller; give the id of a member.`,
      atPlace(place),
    )
  if (op === 'eq' || op === 'neq') return me
  throw refused(`"${place}": "me" goes only with eq and neq; give the ids of members.`, atPlace(place))
}

const targetWords = (target: TypedField | RowPart) =>
  typeof target === 'string'
    ? `"${target}"`
    : `"${target.key}", of type ${target.type}${target.multiple ? ' with several values' : ''},`

function targetOf(field: string, place: string, fields: FieldsByKey): TypedField | RowPart {
  const part = ROW_PARTS.find((known) => known === field)
  if (part) return part
  return (
    fields.get(field) ??
    fail(
      refused(
        `"${place}.field" names "${field}", and the structure has no such field.`,
        atPlace(`${place}.field`),
      ),
    )
  )
}

function operandsFor(
  target: TypedField | RowPart,
  op: RowOperator,
  value: unknown,
  place: string,
): Operand[] {
  const count = OPERATORS[op].takes
  if (count === 'none') return []
  if (op === 'contains') return [needle(value, place)]
  if (!Array.isArray(value)) return [single(target, value, place)]
  if (count !== 'list') throw refused(`"${place}" must be one value with ${op}, not a list.`, atPlace(place))
  return value.map((member, at) => single(target, member, `${place}[${at}]`))
}

function single(target: TypedField | RowPart, value: unknown, place: string): Operand {
  const { operand, words } = operandOf(target, value)
  return operand ?? fail(refused(`"${place}" must be ${words}.`, atPlace(place)))
}

function needle(value: unknown, place: string): Operand {
  if (typeof value !== 'string') throw refused(`"${place}" must be a text.`, atPlace(place))
  const folded = fold(value)
  return { low: folded, high: folded }
}
