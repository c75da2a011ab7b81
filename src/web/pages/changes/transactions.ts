import type { Entry } from './feed.ts'

/** All changes of one write, newest first. */
export interface Transaction {
  readonly id: string
  readonly at: string
  readonly actor: Entry['actor']
  readonly entries: readonly Entry[]
}

/** Groups changes, newest first, by the write that made them. */
export function transactionsOf(entries: readonly Entry[]): Transaction[] {
  const found = new Map<string, { id: string; at: string; actor: Entry['actor']; entries: Entry[] }>()
  for (const entry of entries) {
    const { transaction: id, at, actor } = entry
    const known = found.get(id) ?? { id, at, actor, entries: [] }
    known.entries.push(entry)
    found.set(id, known)
  }
  return [...found.values()]
}

export interface Who {
  readonly id: string
  readonly name: string
  readonly icon: 'person' | 'key' | 'agent' | 'term' | 'clock'
  /** How it came: `MCP`, where the name does not say it. */
  readonly kind?: string
}

/** Who is behind a change: a key, else a person, else the server itself. */
export function whoOf({ surface, user_id, key_id, name }: Entry['actor']): Who {
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
 * present state of the object.
 */
export function valuesOf(entries: readonly Entry[]): Map<string, readonly Value[]> {
  const later = new Map<string, unknown>()
  const found = new Map<string, readonly Value[]>()
  for (const { cursor, kind, id, previous, object } of entries) {
    const values = Object.entries(previous).map(([key, before]) => {
      const place = `${kind} ${id} ${key}`
      const after = later.has(place) ? later.get(place) : presentValue(kind, object, key)
      later.set(place, before)
      return { key, before, after }
    })
    found.set(cursor, values)
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
export const mayBeUndone = ({ entries }: Transaction): boolean =>
  entries.some(({ kind }) => UNDOABLE.has(kind)) &&
  entries.every(
    ({ kind, op }) =>
      (UNDOABLE.has(kind) && op !== 'purged') ||
      kind === 'quick_access_item' ||
      (kind === 'tag' && op === 'created'),
  )
