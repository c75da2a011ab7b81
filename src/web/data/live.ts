import { effect, signal, untracked } from '@preact/signals'
import { invalidate, refetch } from './cache.ts'
import { isSignedOut, request, retryDelayOf, setUnreachable, unreachableSince } from './request.ts'

/** An entry of the change feed. */
export interface Change {
  readonly cursor: string
  readonly transaction: string
  readonly at: string
  readonly kind: string
  readonly op: 'created' | 'updated' | 'deleted' | 'restored' | 'purged'
  readonly id: string
  readonly structure_id: string | null
  readonly changed: readonly string[]
  readonly previous: Record<string, unknown>
  readonly actor: { surface: string; user_id: string | null; key_id: string | null; name: string | null }
}

/** The state of the change feed: `away` while the server cannot be reached. */
export const connection = signal<'connecting' | 'live' | 'away'>('connecting')

const listeners = new Set<(change: Change) => void>()
const missedListeners = new Set<() => void>()

/** Calls the listener for every change. Returns a function that removes it. */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Calls the listener when changes may have been missed, so that data outside the cache must be refetched. */
export function onMissed(listener: () => void): () => void {
  missedListeners.add(listener)
  return () => missedListeners.delete(listener)
}

function refetchAll(): void {
  void refetch()
  for (const listener of missedListeners) listener()
}

let isAway = false
/** Queries shown while the server was away were answered from the offline copy. */
effect(() => {
  const wasAway = isAway
  isAway = unreachableSince.value !== undefined
  if (wasAway && !isAway) untracked(refetchAll)
})

/** Changes that arrive within this time are applied together. */
const GATHER_MS = 100

let stream: EventSource | undefined
let isFollowing = false
let pendingKinds = new Set<string>()

function gather({ kind }: Change): void {
  if (pendingKinds.size === 0) setTimeout(applyGathered, GATHER_MS)
  pendingKinds.add(kind)
}

function applyGathered(): void {
  const kinds = pendingKinds
  pendingKinds = new Set()
  void invalidate(kinds)
}

/**
 * Follows the change feed of the workspace until `stopLive`. Pages in the background do not, because browsers limit the
 * number of connections. Queries are refetched after changes may have been missed.
 */
export function startLive(hasMissed = false): void {
  stopLive()
  isFollowing = true
  document.addEventListener('visibilitychange', onVisibility)
  if (document.hidden) return
  let isBehind = hasMissed
  const opened = new EventSource('/v1/changes?after=now')
  stream = opened
  opened.onopen = () => {
    connection.value = 'live'
    if (unreachableSince.peek() !== undefined) unreachableSince.value = undefined
    else if (isBehind) refetchAll()
    isBehind = false
  }
  opened.onerror = () => {
    isBehind = true
    connection.value = 'away'
    setUnreachable()
    if (opened.readyState === EventSource.CLOSED) void openAgain(opened)
  }
  opened.addEventListener('change', (event) => {
    const change = JSON.parse(event.data) as Change
    for (const listener of listeners) listener(change)
    gather(change)
  })
  opened.addEventListener('closed', (event) => {
    const { code } = JSON.parse(event.data) as { code: string }
    if (code === 'session_ended') isSignedOut.value = true
  })
}

/** Requests the session, because the browser does not report why a stream was rejected (the session may have ended). */
async function openAgain(refused: EventSource): Promise<void> {
  const error = await request('GET', '/app/api/session', { isFresh: true }).catch((thrown: unknown) => thrown)
  setTimeout(() => stream === refused && startLive(true), retryDelayOf(error))
}

function onVisibility(): void {
  if (document.hidden) closeStream()
  else if (isFollowing && stream === undefined) startLive(true)
}

export function stopLive(): void {
  isFollowing = false
  closeStream()
}

function closeStream(): void {
  stream?.close()
  stream = undefined
}
