/** A value of a field. In a record, a field without a value is absent. */
export type FieldValue = string | number | boolean | readonly string[]
export type RecordData = Record<string, FieldValue>

/** The value of a field; its key may be the name of a built-in member such as "constructor". */
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

/** The creation, update or deletion of one record, as webhooks report it. */
export interface RecordChange {
  readonly kind: 'created' | 'updated' | 'deleted'
  /** Null for a record that was created or restored. */
  readonly before: RecordState | null
  /** After a deletion: the record as it was, with `deletedAt` set. */
  readonly after: RecordState
  /** The keys of the changed fields; empty unless the record was updated. */
  readonly changed: readonly string[]
}

/** The values of these fields before a change, null where there was none. */
export const previousValues = (
  changed: readonly string[],
  before: RecordData | undefined,
): Record<string, FieldValue | null> =>
  Object.fromEntries(changed.map((key) => [key, before ? (valueIn(before, key) ?? null) : null]))

/** Whether two values are equal; the order of several values matters. */
export function isSameValue(one: FieldValue | undefined, other: FieldValue | undefined): boolean {
  if (one === other || typeof one !== 'object' || typeof other !== 'object') return one === other
  return one.length === other.length && one.every((value, at) => value === other[at])
}

/** Returns the keys whose values differ, in the order of `after`, followed by those that have no value any more. */
export function changedKeys(before: RecordData, after: RecordData): string[] {
  const set = Object.keys(after).filter((key) => !isSameValue(valueIn(before, key), after[key]))
  return [...set, ...Object.keys(before).filter((key) => !Object.hasOwn(after, key))]
}
