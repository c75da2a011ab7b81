import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError } from '@sinclair/typebox/value'
import { getTableName } from 'drizzle-orm'
import type { RuleSchema } from '../http/schema/types.ts'
import { validationRefusal } from '../http/validation.ts'
import { parseInstant } from '../lib/dates.ts'
import { isId } from '../lib/ids.ts'
import { isObject } from '../lib/json.ts'
import { refused } from '../lib/refusal.ts'
import { isInvisibleName } from '../lib/text.ts'
import type { ObjectTable } from '../log/objects/statements.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/* The parts of exported objects that are the same in all kinds. */

/** Attributes that the service assigned to an object and that an import keeps. */
export interface Identity {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

export type Attributes = Readonly<Record<string, unknown>>

/**
 * Parses an object of an exported file. Refuses it if `input`, the part that a caller would send, does not match the
 * schema of the API.
 */
export function parseExported<Input>(value: unknown, schema: TSchema): Identity & { readonly input: Input } {
  const { id, created_at, updated_at, ...input } = asObject(value)
  const createdAt = instantOf(created_at, 'created_at')
  const updatedAt = updated_at === undefined ? createdAt : instantOf(updated_at, 'updated_at')
  checkInput(schema, input)
  return { id: idOf(id), createdAt, updatedAt, input: input as Input }
}

export function asObject(value: unknown): Attributes {
  if (isObject(value)) return value
  throw refused('it must be a JSON object.')
}

export function checkInput(schema: TSchema, input: unknown): void {
  if (Value.Check(schema, input) || errorsIn(schema, input).next().done) return
  throw validationRefusal('body', errorsIn(schema, input))
}

/** All schema errors except invisible names, which earlier versions allowed. */
function* errorsIn(schema: TSchema, input: unknown): Generator<ValueError> {
  for (const error of Value.Errors(schema, input))
    if (!isInvisibleName((error.schema as Partial<RuleSchema>).rules ?? {}, error.value)) yield error
}

export function idOf(value: unknown): string {
  if (typeof value === 'string' && isId(value)) return value
  throw refused('"id" must be an id in the format that this service generates.')
}

/** A timestamp with an offset may fall outside the four-digit years, and could not be written back. */
const MIN_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')
const INSTANT_LIMIT = Date.parse('9999-12-31T23:59:59.999Z') + 1

export function instantOf(value: unknown, name: string): number {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined
  if (instant !== undefined && instant >= MIN_INSTANT && instant < INSTANT_LIMIT) return Math.floor(instant)
  throw refused(`"${name}" must be a timestamp such as 2026-11-21T09:30:00.000Z.`)
}

export const instantOrNull = (value: unknown, name: string): number | null =>
  value === null || value === undefined ? null : instantOf(value, name)

/** A transaction that gives the objects created in it this id and creation time. */
export const txForOriginal = (tx: Tx, { id, createdAt }: Pick<Identity, 'id' | 'createdAt'>): Tx => ({
  ...tx,
  now: createdAt,
  newId: () => id,
})

/** Sets `updated_at` to its exported value. */
export function restoreUpdatedAt({ sql }: Tx, table: ObjectTable, { id, updatedAt }: Identity): void {
  if (table.updatedAt) sql.run(`UPDATE ${getTableName(table)} SET updated_at = ? WHERE id = ?`, updatedAt, id)
}

export function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && !value.includes('\0')) return value
  throw refused(`"${name}" must be a text.`)
}
