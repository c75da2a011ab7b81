import { effect, signal, untracked } from '@preact/signals'
import { invalidate, refetch } from './cache.ts'
import { awaySince, isSignedOut, request, retryDelayOf, setAway } from './request.ts'

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

/** Whether changes arrive: `away` while the server cannot be reached. */
export const connection = signal<'connecting' | 'live' | 'away'>('connecting')

const listeners = new Set<(change: Change) => void>()
const missedListeners = new Set<() => void>()

/** Calls the listener for every change from now on; returns the function that stops it. */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Calls the listener when changes may have been missed, and what is kept outside the cache is to be read again. */
export function onMissed(listener: () => void): () => void {
  missedListeners.add(listener)
  return () => missedListeners.delete(listener)
}

function readAllAgain(): void {
  void refetch()
  for (const listener of missedListeners) listener()
}

let isAway = false
/** What was shown meanwhile came from what this browser keeps. */
effect(() => {
  const wasAway = isAway
  isAway = awaySince.value !== undefined
  if (wasAway && !isAway) untracked(readAllAgain)
})

/** Changes that arrive within this time are applied together. */
const GATHER_MS = 100

let stream: EventSource | undefined
let isFollowing = false
let waiting = new Set<string>()

function gather({ kind }: Change): void {
  if (waiting.size === 0) setTimeout(applyGathered, GATHER_MS)
  waiting.add(kind)
}

function applyGathered(): void {
  const kinds = waiting
  waiting = new Set()
  void invalidate(kinds)
}

/**
 * Follows the changes of the workspace until `stopLive`. A page in the background follows nothing, because a browser
 * opens few connections. What was missed meanwhile, or while the server was away, is read again.
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
    if (awaySince.peek() !== undefined) awaySince.value = undefined
    else if (isBehind) readAllAgain()
    isBehind = false
  }
  opened.onerror = () => {
    isBehind = true
    connection.value = 'away'
    setAway()
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

/** The browser does not say why a stream was refused; how the session is answered does, also that it has ended. */
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
