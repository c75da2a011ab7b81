import type { Change } from '../../data/live.ts'

/** A change, with the present state of what it changed; null when that is gone, deleted or in the trash. */
export interface Entry extends Change {
  readonly object: Readonly<Record<string, unknown>> | null
}

type What = Pick<Change, 'kind' | 'op' | 'structure_id'>

/** What a write changed of one kind, and how often. */
export type Count = What & { readonly n: number }

/** A write as the API lists it. */
export interface Listed extends Pick<Change, 'transaction' | 'at' | 'actor'> {
  readonly counts: readonly Count[]
  /** The first few that it changed. */
  readonly objects: readonly (What & { readonly id: string; readonly label: string | null })[]
  readonly undone_by: string | null
}

export interface Transaction extends Listed {
  /** Its changes of the chosen kinds, newest first; undefined where they are many. */
  readonly entries: readonly Entry[] | undefined
}

/** The changes of a write that has more are not read for the list. */
const MOST_ENTRIES = 100
const MOST_AT_ONCE = 1_000

const countOf = ({ counts }: Listed, kinds: string): number =>
  counts.reduce((sum, { kind, n }) => sum + (kinds === '' || kinds === kind ? n : 0), 0)

/** Reads the changes of writes that follow each other, newest first, from where they begin. */
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
    if (count > MOST_ENTRIES) pages.push({ from: write.transaction, size: 0 })
    else if (page && page.size + count <= MOST_AT_ONCE) page.size += count
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

export interface Who {
  readonly id: string
  readonly name: string
  readonly icon: 'person' | 'key' | 'agent' | 'term' | 'clock'
  /** How it came: `MCP`, where the name does not say it. */
  readonly kind?: string
}

/** Who is behind a change: a key, else a person, else the server itself. */
export function whoOf({ surface, user_id, key_id, name }: Change['actor']): Who {
  if (surface === 'system') return { id: 'system', name: 'daybook', icon: 'clock' }
  if (surface === 'mcp')
    return { id: `mcp-${key_id ?? user_id}`, name: name ?? 'agent', icon: 'agent', kind: 'MCP' }
  if (key_id !== null) return { id: key_id, name: name ?? 'key', icon: 'key' }
  if (user_id !== null) return { id: user_id, name: name ?? 'person', icon: 'person' }
  return { id: 'command-line', name: name ?? 'command line', icon: 'term' }
}

/** The surfaces as people call them. */
export const SURFACES: Readonly<Record<string, string>> = {
  web: 'application',
  api: 'API',
  mcp: 'MCP',
  system: 'the server itself',
}

export interface Value {
  readonly key: string
  readonly before: unknown
  /** Undefined when it is no longer known. */
  readonly after: unknown
}

/**
 * The old and new values of each update, by its cursor. What a value became is in the next change of it, or in the
 * present state of the object; it is not known behind a write whose changes are not.
 */
export function valuesOf(
  transactions: readonly Pick<Transaction, 'entries'>[],
): Map<string, readonly Value[]> {
  const later = new Map<string, unknown>()
  const found = new Map<string, readonly Value[]>()
  let isPresentKnown = true
  for (const { entries } of transactions) {
    if (!entries) {
      later.clear()
      isPresentKnown = false
    }
    for (const { cursor, kind, id, previous, object } of entries ?? []) {
      const values = Object.entries(previous).map(([key, before]) => {
        const place = `${kind} ${id} ${key}`
        const present = isPresentKnown ? presentValue(kind, object, key) : undefined
        const after = later.has(place) ? later.get(place) : present
        later.set(place, before)
        return { key, before, after }
      })
      found.set(cursor, values)
    }
  }
  return found
}

function presentValue(kind: string, object: Entry['object'], key: string): unknown {
  if (object === null || object === undefined) return undefined
  if (kind !== 'record') return object[key]
  return (object.data as Record<string, unknown> | undefined)?.[key] ?? null
}

const UNDOABLE = new Set(['note', 'record'])

/** Whether the write can be undone, judging by its kinds: tags that it created do not prevent it. */
export const mayBeUndone = ({ counts }: Listed): boolean =>
  counts.some(({ kind }) => UNDOABLE.has(kind)) &&
  counts.every(
    ({ kind, op }) =>
      (UNDOABLE.has(kind) && op !== 'purged') ||
      kind === 'quick_access_item' ||
      (kind === 'tag' && op === 'created'),
  )
