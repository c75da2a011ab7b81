import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Tx } from '../../db/writes/write-queue.ts'
import { validationRefusal } from '../../http/validation.ts'
import { parseInstant } from '../../lib/dates.ts'
import { isId } from '../../lib/ids.ts'
import { refused } from '../../refusal.ts'

/** What every object of the service has besides what a caller decides of it. */
export interface Kept {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

type Fields = Readonly<Record<string, unknown>>

/** An object out of a file, told apart into what the service decided and what a caller did. */
export interface KeptObject<Input> extends Kept {
  readonly input: Input
}

/** Takes an exported object apart. Refuses one whose input is not of the schema that the API demands. */
export function keptObject<Input>(value: unknown, schema: TSchema): KeptObject<Input> {
  const { id, created_at, updated_at, ...input } = asObject(value)
  const createdAt = instantOf(created_at, 'created_at')
  const updatedAt = updated_at === undefined ? createdAt : instantOf(updated_at, 'updated_at')
  refuseOtherThan(schema, input)
  return { id: idOf(id), createdAt, updatedAt, input: input as Input }
}

export function asObject(value: unknown): Fields {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Fields
  throw refused('it must be a JSON object.')
}

export function refuseOtherThan(schema: TSchema, input: unknown): void {
  if (!Value.Check(schema, input)) throw validationRefusal('body', Value.Errors(schema, input))
}

export function idOf(value: unknown): string {
  if (typeof value === 'string' && isId(value)) return value
  throw refused('"id" must be an id as this service makes them.')
}

/** An offset leads beyond the years of four digits, and no timestamp could be read back. */
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')
const END_OF_TIME = Date.parse('9999-12-31T23:59:59.999Z') + 1

export function instantOf(value: unknown, name: string): number {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined
  if (instant !== undefined && instant >= FIRST_INSTANT && instant < END_OF_TIME) return Math.floor(instant)
  throw refused(`"${name}" must be a timestamp such as 2026-11-21T09:30:00.000Z.`)
}

export const instantOrNull = (value: unknown, name: string): number | null =>
  value === null || value === undefined ? null : instantOf(value, name)

/** The transaction as it was when the object was made: with that id and that instant. */
export const asMade = (tx: Tx, { id, createdAt }: Pick<Kept, 'id' | 'createdAt'>): Tx => ({
  ...tx,
  now: createdAt,
  newId: () => id,
})

export type KeptTable = 'properties' | 'structures' | 'presets' | 'views' | 'lenses'

/** Sets `updated_at` back to what it was, whatever the making of other objects moved. */
export const keepUpdatedAt = ({ sql }: Tx, table: KeptTable, { id, updatedAt }: Kept) =>
  sql.run(`UPDATE ${table} SET updated_at = ? WHERE id = ?`, updatedAt, id)
