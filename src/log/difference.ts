/** The changed attributes of an update. */
export interface Difference {
  readonly changed: readonly string[]
  /** The old values, null for an absent value. Some attributes, such as the text of a note, have no old value here. */
  readonly previous: Readonly<Record<string, unknown>>
  /** Describes the tag or property whose deletion caused this change; responses do not show it. */
  readonly deleted?: string | undefined
}

/** A difference as JSON text: only the old values if they name all changed attributes. */
export function differenceText({ changed, previous, deleted }: Difference): string {
  if (deleted !== undefined) return JSON.stringify([changed, previous, deleted])
  const isComplete = changed.length === Object.keys(previous).length
  return JSON.stringify(isComplete ? previous : [changed, previous])
}

export function parseDifference(text: string): Difference {
  const parsed = JSON.parse(text) as Difference['previous'] | [string[], Difference['previous'], string?]
  if (Array.isArray(parsed)) return { changed: parsed[0], previous: parsed[1], deleted: parsed[2] }
  return { changed: Object.keys(parsed), previous: parsed }
}

/** Attributes of every object that alone do not count as a change. */
const IGNORED = new Set(['id', 'created_at', 'updated_at'])

/**
 * The difference between an object before and after a change, in the format of responses. `derived` names attributes
 * that are derived from other objects or count them.
 */
export function differenceOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  derived: readonly string[] = [],
): Difference {
  const all = Object.entries(oldValues(before, after))
  const previous = Object.fromEntries(all.filter(([name]) => !IGNORED.has(name) && !derived.includes(name)))
  return { changed: Object.keys(previous), previous }
}

/** The old values that differ between two objects with any keys; null for an absent value. */
export function oldValues(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  // A property may be called `constructor`.
  const own = (values: Readonly<Record<string, unknown>>, key: string) =>
    Object.hasOwn(values, key) ? values[key] : undefined
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = keys.filter((key) => !isEqual(own(before, key), own(after, key)))
  return Object.fromEntries(changed.map((key) => [key, own(before, key) ?? null]))
}

/** Whether two attributes are equal as JSON. Texts, which may be long, are compared directly. */
const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
