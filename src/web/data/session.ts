import { batch, computed, effect, signal } from '@preact/signals'
import { cache, refetch } from './cache.ts'
import { startLive, stopLive } from './live.ts'
import { isSignedOut, Refused, request, retryDelayOf, setUnreachable, Unreachable } from './request.ts'
import { sessionKey } from './session-key.ts'

export type Role = 'owner' | 'editor' | 'viewer'

export interface Workspace {
  readonly id: string
  readonly name: string
  readonly role: Role
}

export interface Session {
  readonly user: { readonly id: string; readonly name: string }
  readonly workspace: Workspace
  readonly workspaces: readonly Workspace[]
  readonly expires_at: string
  /** The label of the provider's button; undefined without a provider. */
  readonly oidc_name?: string
  readonly oidc_linked?: boolean
  /** In a mirror: the address of the remote, and whether notes and rows can be changed. */
  readonly mirror_of?: string
  readonly mirror_writable?: true
}

/** The current session; null if signed out, undefined while unknown. */
export const session = signal<Session | null | undefined>(undefined)

/** The address of the remote, if this server is a mirror. */
export const mirrorOf = computed(() => session.value?.mirror_of)

export const isReadOnlyCopy = computed(() => mirrorOf.value !== undefined && !session.value?.mirror_writable)

/** Whether the user has write access; false in a read-only mirror. */
export const mayWrite = computed(
  () => session.value !== null && session.value?.workspace.role !== 'viewer' && !isReadOnlyCopy.value,
)

/** The access of a member to notes; undefined for full access, and until it is known. */
const notesAccess = signal<string | undefined>(undefined)

/** Whether the user may change notes. Until their access is known, the server refuses what goes beyond. */
export const mayWriteNotes = computed(() => mayWrite.value && (notesAccess.value ?? 'write') === 'write')

async function readNotesAccess(): Promise<void> {
  try {
    notesAccess.value = (await request<{ access?: { notes?: string } }>('GET', '/v1/me')).access?.notes
  } catch {
    // It is read again with the next session.
  }
}

export const isOwner = computed(() => session.value?.workspace.role === 'owner')

const nameOf = ({ user, workspace }: Session): string => `${user.id} ${workspace.id}`

const isShown = (other: Session): boolean => sessionKey.peek() === nameOf(other)

function enter(entered: Session): void {
  if (TO_BE_ENDED in localStorage) {
    isSignedOut.value = true
    session.value ??= null
    return
  }
  const isSame = isShown(entered)
  if (isSame) void refetch()
  else cache.clear()
  // In one batch, so that unsaved edits of another user are not sent in this session.
  batch(() => {
    isSignedOut.value = false
    sessionKey.value = nameOf(entered)
    session.value = entered
  })
  startLive(isSame)
  // The access of owners is never limited, and the one in another workspace is not known yet.
  if (isOwner.peek() || !isSame) notesAccess.value = undefined
  if (!isOwner.peek()) void readNotesAccess()
}

/** Refetches the session with its user and workspaces. */
export async function refreshSession(): Promise<void> {
  session.value = await readSession()
}

const readSession = () => request<Session>('GET', '/app/api/session', { isFresh: true })

/** Whether the request for the page had a session cookie. */
export const hadCookie = (): boolean =>
  document.querySelector<HTMLMetaElement>('meta[name=session-cookie]')?.content === 'sent'

/** The error of a reachable server while the session is unknown. */
export const entryRefusal = signal<string | undefined>(undefined)

/** Loads the session with the page. Only a 401 means signed out; other errors are retried. */
async function loadSession(): Promise<void> {
  const timer = setTimeout(enterOfflineSession, PATIENCE_MS)
  try {
    enter(await readSession())
  } catch (error) {
    const isRefused = error instanceof Refused
    if (error instanceof Unreachable) await enterOfflineSession()
    if (isRefused && error.status === 401) session.value ??= null
    else setTimeout(() => void loadSession(), retryDelayOf(error))
    entryRefusal.value = isRefused ? error.message : undefined
  } finally {
    clearTimeout(timer)
  }
}

/** A server that takes longer counts as unreachable if there is an offline copy to show. */
const PATIENCE_MS = 3_000

/** The offline copy, which is loaded when it is needed. */
export const offlineCopy: { findSession?: () => Promise<Session | undefined> } = {}

/** Shows the offline copy of the last user until the server returns the session. */
async function enterOfflineSession(): Promise<void> {
  const kept = session.peek() === undefined ? await offlineCopy.findSession?.() : undefined
  if (!kept || session.peek() !== undefined) return
  setUnreachable()
  enter(kept)
}

/** Synchronizes the session between all tabs of the browser. */
const tabs = new BroadcastChannel('daybook-session')

async function followOtherTabs(): Promise<void> {
  if (TO_BE_ENDED in localStorage) isSignedOut.value = true
  const current = await readSession().catch(() => undefined)
  if (!current) return
  if (isSignedOut.peek() || !isShown(current)) enter(current)
  // An owner may have changed the role.
  else session.value = current
}

/** Follows the session of the browser. A tab in the background may have missed a message. */
export function startSession(): void {
  tabs.onmessage = () => void followOtherTabs()
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && session.peek()) void followOtherTabs()
  })
  if (hadCookie() && !(TO_BE_ENDED in localStorage)) void loadSession()
  else session.value = null
}

async function enterHere(entering: Promise<Session>): Promise<void> {
  const entered = await entering
  localStorage.removeItem(TO_BE_ENDED)
  enter(entered)
  tabs.postMessage('entered')
}

/** Signs in. On a page whose session had ended, the same user continues in the same workspace. */
export async function signIn(body: object): Promise<void> {
  const shown = session.peek()?.workspace.id
  const entered = await request<Session>('POST', '/app/api/session', { body })
  const isElsewhere = shown !== undefined && shown !== entered.workspace.id
  if (isElsewhere && entered.workspaces.some(({ id }) => id === shown)) await enterWorkspace(shown)
  else await enterHere(Promise.resolve(entered))
}

export const setUp = (token: string, password: string, user: string | undefined): Promise<void> =>
  enterHere(request('POST', '/app/api/setup', { body: { token, password, user } }))

export const enterWorkspace = (id: string): Promise<void> =>
  enterHere(request('PATCH', '/app/api/session', { body: { workspace_id: id } }))

/** Set when a user signs out while the server cannot be reached: no tab shows that session, which ends once it is back. */
export const TO_BE_ENDED = 'daybook-to-be-ended'

export async function signOut(): Promise<void> {
  try {
    await request('DELETE', '/app/api/session')
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    localStorage.setItem(TO_BE_ENDED, '')
  }
  tabs.postMessage('left')
  stopLive()
  cache.clear()
  sessionKey.value = undefined
  session.value = null
}

// The screen remains when a session ends; the sign-in dialog opens over it.
effect(() => {
  if (isSignedOut.value) stopLive()
})
