/** From where a change came (`service.md`, Events). */
export const SURFACES = ['web', 'ios', 'chrome', 'mcp', 'api', 'block'] as const
export type Surface = (typeof SURFACES)[number]

/** A value of a record: a field without a value is absent. */
export type FieldValue = string | number | boolean
export type RecordData = Record<string, FieldValue>

/** What a record holds in a field; the key may be that of a built-in member such as "constructor". */
export const valueIn = (data: RecordData, key: string): FieldValue | undefined =>
  Object.hasOwn(data, key) ? data[key] : undefined

/** A record at one moment; instants in milliseconds. */
export interface RecordState {
  readonly id: string
  readonly data: RecordData
  readonly createdAt: number
  readonly updatedAt: number
  readonly deletedAt: number | null
}

/** One row that came, changed or went, as the watch and the webhooks need it (`service.md`, Events). */
export interface RecordChange {
  readonly kind: 'created' | 'updated' | 'deleted'
  readonly workspacePk: number
  readonly structure: { readonly pk: number; readonly id: string; readonly name: string }
  /** Null for a row that was created or restored. */
  readonly before: RecordState | null
  /** For a deletion the row as it was, with `deletedAt` set. */
  readonly after: RecordState
  /** The keys of the fields that moved; empty unless the row was updated. */
  readonly changed: readonly string[]
  readonly source: { readonly surface: Surface; readonly keyId: string | null }
}

/** The keys whose values differ, in the order of `after`, then those that lost their value. */
export function changedKeys(before: RecordData, after: RecordData): string[] {
  const moved = Object.keys(after).filter((key) => valueIn(before, key) !== after[key])
  return [...moved, ...Object.keys(before).filter((key) => !Object.hasOwn(after, key))]
}
