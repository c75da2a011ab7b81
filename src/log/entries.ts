import { CHANGES_PER_WORKSPACE as MAX_CHANGES, startOfKeys } from '../storage/schema/changes.ts'

/*
 * The stored format of a change: its key, its kind and operation, the ids that it names, and the old values.
 */

export const CHANGE_KINDS = [
  'note',
  'record',
  'tag',
  'property',
  'structure',
  'preset',
  'view',
  'lens',
  'quick_access_item',
  'file',
  'webhook',
  'source',
  'row_view',
  'share',
] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

export const CHANGE_OPERATIONS = ['created', 'updated', 'deleted', 'restored', 'purged'] as const
export type ChangeOperation = (typeof CHANGE_OPERATIONS)[number]

/** The changes of a workspace are numbered from 1; its keys are a range. */
export const keyOf = (workspace: number, number: number): number => startOfKeys(workspace) + number

/** The number of a change in its workspace. */
export const numberOf = (key: number): number => key % MAX_CHANGES

/** Greater than every key of the workspace. */
export const endOfKeys = (workspace: number): number => startOfKeys(workspace) + MAX_CHANGES

const OPERATIONS_PER_KIND = 8

/** Stored numbers: new kinds and operations must be appended to their lists. */
export const kindNumber = (kind: ChangeKind, operation: ChangeOperation): number =>
  CHANGE_KINDS.indexOf(kind) * OPERATIONS_PER_KIND + CHANGE_OPERATIONS.indexOf(operation)

export const kindOf = (stored: number): ChangeKind =>
  CHANGE_KINDS[Math.floor(stored / OPERATIONS_PER_KIND)] ?? 'note'

export const operationOf = (stored: number): ChangeOperation =>
  CHANGE_OPERATIONS[stored % OPERATIONS_PER_KIND] ?? 'updated'

/** The stored numbers of a kind, as a range of integers. */
export const kindRange = (kind: ChangeKind): [first: number, last: number] => {
  const first = CHANGE_KINDS.indexOf(kind) * OPERATIONS_PER_KIND
  return [first, first + OPERATIONS_PER_KIND - 1]
}

const UUID_BYTES = 16

/** The stored form of an id: a UUID as its bytes, the number of a tag as its digits. */
export const storedId = (id: string | number): Buffer => Buffer.from(hexOf(id).replaceAll('-', ''), 'hex')

/** The same in hexadecimal, possibly with hyphens, for `unhex`: binding bytes takes longer. */
export const hexOf = (id: string | number): string =>
  typeof id === 'number' ? Buffer.from(String(id)).toString('hex') : id

/** The id from its stored form in hexadecimal. */
export function idOf(digits: string): string | number {
  if (digits.length !== 2 * UUID_BYTES) return Number(Buffer.from(digits, 'hex').toString())
  const hex = digits.toLowerCase()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

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

/**
 * Logged for the deletion of a file without a note, or of a subscription to notes, because only its row showed that.
 */
export const ALONE = { hidden: { alone: true } }

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
