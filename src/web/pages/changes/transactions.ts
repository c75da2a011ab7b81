import type { Change } from '../../data/live.ts'

/** A change with the current state of its object; null if the object was deleted or is in the trash. */
export interface Entry extends Change {
  readonly object: Readonly<Record<string, unknown>> | null
}

type ChangeKind = Pick<Change, 'kind' | 'op' | 'structure_id'>

/** The number of changes with one kind, operation and table. */
export type Count = ChangeKind & { readonly n: number }

/** A transaction as the API lists it. */
export interface Listed extends Pick<Change, 'transaction' | 'at' | 'actor'> {
  readonly counts: readonly Count[]
  /** The first few changed objects. */
  readonly objects: readonly (ChangeKind & { readonly id: string; readonly label: string | null })[]
  readonly undone_by: string | null
}

export interface Transaction extends Listed {
  /** Its changes of the selected kinds, newest first; undefined if there are too many to load. */
  readonly entries: readonly Entry[] | undefined
}

/** Transactions with more changes are listed without them. */
const MAX_ENTRIES_LISTED = 100
const MAX_ENTRIES_READ = 1_000

const countOf = ({ counts }: Listed, kinds: string): number =>
  counts.reduce((sum, { kind, n }) => sum + (kinds === '' || kinds === kind ? n : 0), 0)

/** Reads the changes of consecutive transactions, newest first, in as few requests as the limits allow. */
export async function readEntries(
  listed: readonly Listed[],
  before: string,
  kinds: string,
  read: (before: string, limit: number) => Promise<readonly Entry[]>,
): Promise<Transaction[]> {
  const pages: { from: string; size: number }[] = [{ from: before, size: 0 }]
  let newer = before
  for (const write of listed) {
    const count = countOf(write, kinds)
    const page = pages.at(-1)
    if (count > MAX_ENTRIES_LISTED) pages.push({ from: write.transaction, size: 0 })
    else if (page && page.size + count <= MAX_ENTRIES_READ) page.size += count
    else pages.push({ from: newer, size: count })
    newer = write.transaction
  }
  const found = await Promise.all(
    pages.filter(({ size }) => size > 0).map(({ from, size }) => read(from, size)),
  )
  const byTransaction = Map.groupBy(found.flat(), ({ transaction }) => transaction)
  return listed.map((write) => {
    const entries = byTransaction.get(write.transaction)
    return { ...write, entries: entries?.length === countOf(write, kinds) ? entries : undefined }
  })
}

export interface Author {
  readonly id: string
  readonly name: string
  readonly icon: 'person' | 'key' | 'agent' | 'hook' | 'inbox' | 'term' | 'clock'
  /** The surface, if the name does not imply it: `MCP`. */
  readonly kind?: string
}

/** The author of a change: a key, else a user, else the server itself. */
export function authorOf({ surface, user_id, key_id, name }: Change['actor']): Author {
  if (surface === 'system') return { id: 'system', name: 'daybook', icon: 'clock' }
  if (surface === 'mcp')
    return { id: `mcp-${key_id ?? `${user_id} ${name}`}`, name: name ?? 'agent', icon: 'agent', kind: 'MCP' }
  if (key_id !== null) return { id: key_id, name: name ?? 'key', icon: 'key' }
  if (user_id !== null) return { id: user_id, name: name ?? 'person', icon: 'person' }
  if (surface === 'source') return { id: `source ${name}`, name: name ?? 'source', icon: 'hook' }
  if (surface === 'form') return { id: `form ${name}`, name: name ?? 'form', icon: 'inbox' }
  return { id: 'command-line', name: name ?? 'command line', icon: 'term' }
}

/** Names of the surfaces in the interface. */
export const SURFACES: Readonly<Record<string, string>> = {
  web: 'Application',
  api: 'API',
  mcp: 'MCP',
  system: 'Server',
}

export interface Value {
  readonly key: string
  readonly before: unknown
  /** Undefined if unknown. */
  readonly after: unknown
}

/**
 * The old and new values of each update, by its cursor. The new value comes from the next change of the same value, else
 * from the current state of the object. Below a transaction whose changes are not loaded, new values are unknown.
 */
export function valuesOf(
  transactions: readonly Pick<Transaction, 'entries'>[],
): Map<string, readonly Value[]> {
  const later = new Map<string, unknown>()
  const found = new Map<string, readonly Value[]>()
  let isCurrentKnown = true
  for (const { entries } of transactions) {
    if (!entries) {
      later.clear()
      isCurrentKnown = false
    }
    for (const { cursor, kind, id, previous, object } of entries ?? []) {
      const values = Object.entries(previous).map(([key, before]) => {
        const place = `${kind} ${id} ${key}`
        const current = isCurrentKnown ? currentValue(kind, object, key) : undefined
        const after = later.has(place) ? later.get(place) : current
        later.set(place, before)
        return { key, before, after }
      })
      found.set(cursor, values)
    }
  }
  return found
}

function currentValue(kind: string, object: Entry['object'], key: string): unknown {
  if (object === null || object === undefined) return undefined
  if (kind !== 'record') return object[key]
  return (object.data as Record<string, unknown> | undefined)?.[key] ?? null
}

const UNDOABLE_KINDS = new Set(['note', 'record', 'comment'])

/** Whether the kinds of its changes allow undoing the transaction. Created tags do not prevent it. */
export const isUndoable = ({ counts }: Listed): boolean =>
  counts.some(({ kind }) => UNDOABLE_KINDS.has(kind)) &&
  counts.every(
    ({ kind, op }) =>
      (UNDOABLE_KINDS.has(kind) && op !== 'purged') ||
      kind === 'quick_access_item' ||
      (kind === 'tag' && op === 'created'),
  )
