import type { FieldKind, FieldType } from '../../filter/record/field-types.ts'
import { compile, type Formula } from '../../lib/formula/compile.ts'
import { evaluate, workFor } from '../../lib/formula/evaluate.ts'
import { tokensOf } from '../../lib/formula/tokens.ts'
import { FormulaError, type FormulaValue, type ResultType } from '../../lib/formula/values.ts'
import { type RecordData, valueIn } from '../../lib/record-data.ts'
import { atPlace, Refusal, refused } from '../../lib/refusal.ts'
import { quoteList } from '../../lib/text.ts'
import type { Check } from './fields.ts'
import type { Definition, FieldDefinition } from './store.ts'

/*
 * Formula fields: their expressions, and their values in a row. Every write computes them, so `data` always holds them.
 * A new or changed expression is computed for the existing rows by a job (`storage/formula-values.ts`).
 */

/** The types of fields in expressions; ids are texts. Computed fields cannot be used. */
const EXPRESSION_TYPES: Partial<Record<FieldType, ResultType>> = {
  number: 'number',
  text: 'text',
  select: 'text',
  time: 'text',
  note: 'text',
  file: 'text',
  record: 'text',
  user: 'text',
  bool: 'bool',
  date: 'date',
  datetime: 'datetime',
}

type Known = FieldKind & { readonly key: string }

const compileFor = (expression: string, fields: readonly Known[]): Formula =>
  compile(expression, (key) => {
    const field = fields.find((one) => one.key === key)
    return field?.multiple ? undefined : field && EXPRESSION_TYPES[field.type]
  })

/** The formula with its result; `at` is the index of the field. */
function completeFormula(
  field: FieldDefinition,
  at: number,
  fields: readonly FieldDefinition[],
): FieldDefinition {
  const { expression = '' } = field
  try {
    return { ...field, result: compileFor(expression, fields).result }
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    const place = `fields[${at}].expression`
    throw refused(`"${place}": ${error.message} (position ${error.position}).`, {
      ...atPlace(place),
      position: error.position,
    })
  }
}

/**
 * Every change of a result takes another column of the row table, because values of both types exist meanwhile. SQLite
 * allows 2,000 columns, and a field may have two.
 */
const MAX_COLUMN = 900

interface Earlier {
  readonly fields: readonly FieldDefinition[]
  readonly hasRows: boolean
}

/**
 * Adds the results to the formulas of a new definition. A job must compute those that are then `computing`. Refuses
 * expressions with mistakes.
 */
export function completeFormulas(
  fields: readonly FieldDefinition[],
  { fields: before, hasRows }: Earlier,
  check: Check = (_, run) => run(),
): FieldDefinition[] {
  let lastColumn = Math.max(0, ...[...before, ...fields].map(({ column }) => column))
  return fields.map((field, at) => {
    if (field.expression === undefined) return field
    const complete = check(field.key, () => completeFormula(field, at, fields)) ?? field
    const known = before.find(({ key, type }) => key === field.key && type === field.type)
    const isRetyped = known !== undefined && known.result !== complete.result
    if (isRetyped && lastColumn >= MAX_COLUMN)
      throw refused(
        `The results of this structure's formulas changed their types too often; add "${field.key}" under another key.`,
        atPlace(`fields[${at}]`),
      )
    const column = isRetyped ? ++lastColumn : field.column
    const isNew = known === undefined || isRetyped || known.expression !== field.expression
    const computing = hasRows && (isNew || known.computing)
    return { ...complete, column, ...(computing && { computing: true as const }) }
  })
}

/** The keys of the fields that an expression names, also of one with mistakes. */
export function keysIn(expression: string): Set<string> {
  try {
    return new Set(tokensOf(expression).flatMap((token) => (token.kind === 'field' ? [token.key] : [])))
  } catch {
    return new Set()
  }
}

/** Refuses to remove or retype fields that formulas of the new definition use. */
export function refuseLossOfOperand({ key }: FieldDefinition, after: readonly FieldDefinition[]): void {
  const users = after.filter(({ expression }) => expression !== undefined && keysIn(expression).has(key))
  if (users.length === 0) return
  throw new Refusal(
    'in_use',
    `The field "${key}" is used by the formula of ${quoteList(users.map((user) => user.key))} and cannot be removed, renamed or retyped; change the formula first.`,
  )
}

/** A formula, ready to be evaluated. */
export interface CompiledField {
  readonly key: string
  /** Undefined for an expression that only a newer program understands; its values are blank. */
  readonly formula: Formula | undefined
}

export const compiledFields = (fields: readonly FieldDefinition[]): CompiledField[] =>
  fields.flatMap(({ key, expression }): CompiledField[] => {
    if (expression === undefined) return []
    try {
      return [{ key, formula: compileFor(expression, fields) }]
    } catch (error) {
      if (error instanceof FormulaError) return [{ key, formula: undefined }]
      throw error
    }
  })

/** The total length of the texts of a row that formulas can read. */
const lengthOf = (fields: readonly FieldDefinition[], data: RecordData): number =>
  fields.reduce((sum, { key, expression }) => {
    const value = expression === undefined ? valueIn(data, key) : undefined
    return sum + (typeof value === 'string' ? value.length : 0)
  }, 0)

/** The values of a row with those of its formulas, in the order of the fields. */
export function withFormulas({ fields, formulas }: Definition, data: RecordData): RecordData {
  const read = (key: string) => (valueIn(data, key) ?? null) as FormulaValue
  const left = workFor(lengthOf(fields, data))
  const computed = (formula: Formula | undefined) => (formula ? evaluate(formula, read, left) : null)
  const values = new Map(formulas.map(({ key, formula }) => [key, computed(formula)]))
  const all: RecordData = {}
  for (const { key } of fields) {
    const value = values.has(key) ? values.get(key) : valueIn(data, key)
    if (value !== undefined && value !== null) all[key] = value
  }
  return all
}
