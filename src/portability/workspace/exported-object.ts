import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { getTableName } from 'drizzle-orm'
import type { Tx } from '../../db/writes/transaction.ts'
import { validationRefusal } from '../../http/validation.ts'
import { parseInstant } from '../../lib/dates.ts'
import { isId } from '../../lib/ids.ts'
import { isObject } from '../../lib/json.ts'
import type { ObjectTable } from '../../objects/statements.ts'
import { refused } from '../../refusal.ts'

/** What the service assigned to an object when it was created and changed; an import keeps it. */
export interface Identity {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

type Fields = Readonly<Record<string, unknown>>

/** An object of an exported file; refuses one whose `input`, what a caller would send, does not match the schema of the API. */
export function parseExported<Input>(value: unknown, schema: TSchema): Identity & { readonly input: Input } {
  const { id, created_at, updated_at, ...input } = asObject(value)
  const createdAt = instantOf(created_at, 'created_at')
  const updatedAt = updated_at === undefined ? createdAt : instantOf(updated_at, 'updated_at')
  checkInput(schema, input)
  return { id: idOf(id), createdAt, updatedAt, input: input as Input }
}

export function asObject(value: unknown): Fields {
  if (isObject(value)) return value
  throw refused('it must be a JSON object.')
}

export function checkInput(schema: TSchema, input: unknown): void {
  if (!Value.Check(schema, input)) throw validationRefusal('body', Value.Errors(schema, input))
}

export function idOf(value: unknown): string {
  if (typeof value === 'string' && isId(value)) return value
  throw refused('"id" must be an id in the form that this service generates.')
}

/** With an offset a timestamp may lie outside the years of four digits; it could not be written back. */
const MIN_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')
const INSTANT_LIMIT = Date.parse('9999-12-31T23:59:59.999Z') + 1

export function instantOf(value: unknown, name: string): number {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined
  if (instant !== undefined && instant >= MIN_INSTANT && instant < INSTANT_LIMIT) return Math.floor(instant)
  throw refused(`"${name}" must be a timestamp such as 2026-11-21T09:30:00.000Z.`)
}

export const instantOrNull = (value: unknown, name: string): number | null =>
  value === null || value === undefined ? null : instantOf(value, name)

/** The transaction, giving what is created in it this id and this creation time. */
export const txForOriginal = (tx: Tx, { id, createdAt }: Pick<Identity, 'id' | 'createdAt'>): Tx => ({
  ...tx,
  now: createdAt,
  newId: () => id,
})

/** Sets `updated_at` to its exported value. */
export function restoreUpdatedAt({ sql }: Tx, table: ObjectTable, { id, updatedAt }: Identity): void {
  if (table.updatedAt) sql.run(`UPDATE ${getTableName(table)} SET updated_at = ? WHERE id = ?`, updatedAt, id)
}
