import { batch, computed, effect, signal } from '@preact/signals'
import { cache, refetch } from './cache.ts'
import { startLive, stopLive } from './live.ts'
import { isSignedOut, Refused, request, retryDelayOf, setAway, Unreachable } from './request.ts'
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
  /** What the button of the provider says, if there is one. */
  readonly oidc_name?: string
  readonly oidc_linked?: boolean
  /** In a copy: the address of the remote, and whether notes and rows may be changed. */
  readonly mirror_of?: string
  readonly mirror_writable?: true
}

/** Who is signed in; null when nobody is, undefined until that is known. */
export const session = signal<Session | null | undefined>(undefined)

/** The address of the remote, in a server that is a copy. */
export const mirrorOf = computed(() => session.value?.mirror_of)

export const isReadOnlyCopy = computed(() => mirrorOf.value !== undefined && !session.value?.mirror_writable)

/** Whether the person may change anything; a viewer may not, and nobody in a read-only copy. */
export const mayWrite = computed(
  () => session.value !== null && session.value?.workspace.role !== 'viewer' && !isReadOnlyCopy.value,
)

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
  // Together: what somebody else left unsaved is not sent in this session.
  batch(() => {
    isSignedOut.value = false
    sessionKey.value = nameOf(entered)
    session.value = entered
  })
  startLive(isSame)
}

/** Reads again what the session is called and where it may go. */
export async function refreshSession(): Promise<void> {
  session.value = await readSession()
}

const readSession = () => request<Session>('GET', '/app/api/session', { isFresh: true })

/** Whether the browser sent a cookie with the request for the page. */
export const hadCookie = (): boolean =>
  document.querySelector<HTMLMetaElement>('meta[name=session-cookie]')?.content === 'sent'

/** Why it is not known yet who is signed in: the sentence of a server that can be reached. */
export const entryRefusal = signal<string | undefined>(undefined)

/** Reads who is signed in, when the page is loaded; only a 401 says that nobody is, after anything else it asks again. */
async function loadSession(): Promise<void> {
  const timer = setTimeout(enterKept, PATIENCE_MS)
  try {
    enter(await readSession())
  } catch (error) {
    const isRefused = error instanceof Refused
    if (error instanceof Unreachable) await enterKept()
    if (isRefused && error.status === 401) session.value ??= null
    else setTimeout(() => void loadSession(), retryDelayOf(error))
    entryRefusal.value = isRefused ? error.message : undefined
  } finally {
    clearTimeout(timer)
  }
}

/** A server that takes longer is away, where something is kept to be shown meanwhile. */
const PATIENCE_MS = 3_000

/** Shows what is kept of who was signed in last, until the server says who is. */
async function enterKept(): Promise<void> {
  const copy = await import('../offline/answers.ts').catch(() => undefined)
  const kept = session.peek() === undefined ? await copy?.keptSession() : undefined
  if (!kept || session.peek() !== undefined) return
  setAway()
  enter(kept)
}

/** All tabs of a browser have one session: what one of them does with it, the others follow. */
const tabs = new BroadcastChannel('daybook-session')

async function followOtherTabs(): Promise<void> {
  if (TO_BE_ENDED in localStorage) isSignedOut.value = true
  const present = await readSession().catch(() => undefined)
  if (!present) return
  if (isSignedOut.peek() || !isShown(present)) enter(present)
  // An owner may have changed the role.
  else session.value = present
}

/** Keeps this tab with the session of the browser. A tab that was in the background may have missed a message. */
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

/** Signs in; who did so on a page whose session had ended goes on in the workspace that the page shows. */
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

/** Stored where somebody signed out while the server was away: no tab shows his session, which ends once it is back. */
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

// What is on the screen stays when a session ends; signing in comes over it.
effect(() => {
  if (isSignedOut.value) stopLive()
})
