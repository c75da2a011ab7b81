import { computed, effect, signal } from '@preact/signals'
import { onChange, onMissed } from '../data/live.ts'
import { pendingCount, setNotice, unreadCount, unsavedWork } from '../data/pending.ts'
import {
  isProxyRedirect,
  isRetryable,
  isSignedOut,
  Refused,
  request,
  retryDelayOf,
  serverNow,
  Unreachable,
  unreachableSince,
} from '../data/request.ts'
import { type Session, session, TO_BE_ENDED } from '../data/session.ts'
import { startServiceWorker } from '../worker/start.ts'
import './send-order.ts'
import { updateCopy } from './copy.ts'
import {
  type About,
  COPY,
  database,
  type Mark,
  notifyCopyChange,
  onCleared,
  onOfflineCopyChange,
  whereOf,
} from './database.ts'
import { startActions } from './pending-actions.ts'
import { emptyPictures } from './pictures.ts'
import { emptyQueue } from './queue.ts'
import { adoptShared, emptyShared } from './shared.ts'
import { emptyStorage, hasStorageOfOthers } from './storage.ts'
import { onTabMessage, postToTabs } from './tab-messages.ts'

/*
 * One tab of the browser keeps the offline copy up to date. Data of another user is deleted as soon as the user is known.
 */

/** The current offline copy, for display. */
export const about = signal<About | undefined>(undefined)
export const marks = signal<readonly Mark[]>([])

/** Messages to the tab that updates the copy: apply new changes, or check for missed ones. */
type KeeperMessage = 'changed' | 'missed'
const keeper = new BroadcastChannel('daybook-keeper')

/** Changes within this time are applied together. */
const GATHER_MS = 1_000

/** Deletes the copy, but not the queue. */
export async function emptyCopy(): Promise<void> {
  const stores = [...COPY, 'marks'] as const
  const transaction = (await database()).transaction(stores, 'readwrite')
  for (const name of stores) void transaction.objectStore(name).clear()
  await transaction.done
  // Pages without HTTPS have no caches.
  if ('caches' in globalThis) await emptyPictures()
  notifyCopyChange()
}

/** Deletes all stored data, in all tabs, except the edits of one user. */
export async function emptyAll(except?: string): Promise<void> {
  discard(except)
  postToTabs('discarded', except)
  emptyStorage(except)
  // Without storage there is nothing to delete.
  for (const empty of [emptyCopy, emptyShared, () => emptyQueue(except)]) await empty().catch(() => undefined)
}

function discard(except: string | undefined): void {
  for (const work of unsavedWork) work.discard?.(except)
}

async function readShown(): Promise<void> {
  const db = await database()
  const found = await db.get('about', 'copy')
  about.value = found
  marks.value = found
    ? await db.getAll('marks', whereOf(found.session.user.id, found.session.workspace.id))
    : await allMarks()
}

async function allMarks(): Promise<readonly Mark[]> {
  const current = session.peek()
  return current ? (await database()).getAll('marks', whereOf(current.user.id, current.workspace.id)) : []
}

/** Deletes the data of other users. */
async function deleteDataOfOthers({ user }: Session): Promise<void> {
  const db = await database()
  const owners = [
    (await db.get('about', 'copy'))?.session.user.id,
    ...(await db.getAllKeys('queue')).map(([owner]) => owner),
    ...(await db.getAllKeys('marks')).map(([owner]) => owner),
  ]
  const isOfOther = owners.some((owner) => owner !== undefined && owner !== user.id)
  if (isOfOther || hasStorageOfOthers(user.id)) await emptyAll(user.id)
}

let isRunning = false
let isAgain = false

/** Updates the copy, and repeats the update if something changed meanwhile. */
async function run(): Promise<void> {
  if (isRunning) {
    isAgain = true
    return
  }
  isRunning = true
  do {
    isAgain = false
    await runOnce().catch(failed)
  } while (isAgain)
  isRunning = false
}

async function runOnce(): Promise<void> {
  const current = session.peek()
  if (!current || isSignedOut.peek() || unreachableSince.peek() !== undefined) return
  const isSure = !isMissed
  isMissed = false
  const isSetBack = await updateCopy(current, isSure)
  // This notice remains until the page is closed.
  if (isSetBack) setNotice('set back', SET_BACK)
  setNotice('copy', undefined)
  warnAboutClock()
  await readShown()
}

const CLOCK_MINUTES = 10

/** Warns about a wrong clock. It affects only displayed times; order and conflicts depend on the server's clock. */
function warnAboutClock(): void {
  const ahead = Math.round((serverNow() - Date.now()) / 60_000)
  const minutes = Math.abs(ahead)
  const sentence = `The clock of this device is ${minutes} minutes ${ahead > 0 ? 'behind' : 'ahead of'} the server’s, so displayed times are wrong. Correct the clock; your changes are safe.`
  setNotice('clock', minutes < CLOCK_MINUTES ? undefined : sentence)
}

const SET_BACK =
  'The server was restored from an earlier backup. This browser has loaded its data again and sends your pending changes.'

const NO_ROOM =
  'This browser has no space left for the offline copy. Free some space, or keep fewer tables offline (Settings).'

function failed(error: Error): void {
  isMissed = true
  // These errors are retried when the server or the session is back.
  if (isRetryable(error) || isSignedOut.peek() || error.name === 'AbortError') return
  const sentence = `The offline copy could not be updated: ${error.message}`
  setNotice('copy', error.name === 'QuotaExceededError' ? NO_ROOM : sentence)
}

let isScheduled = false
/** Whether changes, possibly of the user's access, may have been missed. */
let isMissed = true

function runSoon(): void {
  if (isScheduled) return
  isScheduled = true
  setTimeout(() => {
    isScheduled = false
    void run()
  }, GATHER_MS)
}

/** Marks or unmarks a table. */
export async function setMark(structure: { id: string; name: string }, isKept: boolean): Promise<void> {
  const current = session.peek()
  if (!current) return
  const { user, workspace } = current
  const place = { user: user.id, workspace: workspace.id, structure: structure.id }
  const db = await database()
  if (isKept) await db.put('marks', { ...place, name: structure.name, rows: 0 })
  else {
    await db.delete('marks', [place.user, place.workspace, place.structure])
    await db.delete('rows', IDBKeyRange.bound([structure.id], [structure.id, []]))
  }
  await readShown()
  notifyCopyChange()
  keeper.postMessage('changed' satisfies KeeperMessage)
  if (isOwner) void run()
}

/** Handles a message in the tab that updates the copy. In the background, it does not follow the feed itself. */
function follow(what: KeeperMessage): void {
  isMissed ||= what === 'missed'
  if (isOwner) runSoon()
  else keeper.postMessage(what)
}

let isOwner = false

/** Makes this tab responsible for the copy, once no other tab is. */
function takeOwnership(): void {
  const keep = () => {
    isOwner = true
    // Also changes with the user and the workspace.
    const place = computed(
      () =>
        unreachableSince.value === undefined &&
        !isSignedOut.value &&
        `${session.value?.user.id} ${session.value?.workspace.id}`,
    )
    effect(() => {
      if (place.value) follow('missed')
    })
    return new Promise<void>(() => {})
  }
  if (navigator.locks) void navigator.locks.request('daybook-offline', keep)
  else void keep()
}

/** Shows the number of unread comments and pending changes on the icon of the installed application. */
async function showBadge(count: number): Promise<void> {
  const { setAppBadge } = navigator as { setAppBadge?: (count: number) => Promise<void> }
  await setAppBadge?.call(navigator, count).catch(() => undefined)
}

const PROXY_SIGN_IN =
  'A proxy wants you to sign in. Reload the page to do so; your changes are safe in this browser.'

/** Starts the offline copy of the current user. */
export function startOffline(): void {
  void startServiceWorker()
  effect(() => {
    const isReachable = unreachableSince.value === undefined && !isSignedOut.value
    if (session.value && isReachable) adoptShared().catch(() => undefined)
  })
  effect(() => void showBadge(pendingCount.value + unreadCount.value))
  effect(() => setNotice('led away', isProxyRedirect.value ? PROXY_SIGN_IN : undefined))
  onTabMessage('discarded', (except) => {
    discard(except)
    // Each tab also has its own session storage.
    if (except === undefined) emptyStorage()
  })
  onOfflineCopyChange(() => void readShown())
  onCleared(storeAgain)
  void readShown()
  effect(() => {
    const current = session.value
    if (current) void deleteDataOfOthers(current)
  })
  effect(() => {
    const isOut = session.value === null || isSignedOut.value
    void endSession(isOut && unreachableSince.value === undefined)
  })
  effect(() => {
    // The sign-in dialog mentions pending changes.
    if (session.value === null || isSignedOut.value) void emptyCopyOfEnded()
  })
  keeper.onmessage = ({ data }) => isOwner && follow(data)
  onChange(() => follow('changed'))
  onMissed(() => follow('missed'))
  takeOwnership()
  startActions()
}

const SIGN_OUT_PENDING =
  'You are signed out in this browser. The session ends on the server when it can be reached.'

/** Ends the session of a user who signed out while the server could not be reached, if possible now. */
async function endSession(isPossible: boolean): Promise<void> {
  const isToEnd = TO_BE_ENDED in localStorage
  setNotice('to be ended', isToEnd ? SIGN_OUT_PENDING : undefined)
  if (!isToEnd || !isPossible) return
  try {
    await request('DELETE', '/app/api/session')
  } catch (error) {
    if (error instanceof Unreachable) return
    const hasEnded = error instanceof Refused && error.status === 401
    if (!hasEnded) return void setTimeout(() => void endSession(true), retryDelayOf(error))
  }
  localStorage.removeItem(TO_BE_ENDED)
  setNotice('to be ended', undefined)
}

const CLEARED =
  'The browser cleared its storage. Your changes in open tabs are stored again; the offline copy is loaded when the server can be reached.'

function storeAgain(): void {
  setNotice('cleared', CLEARED)
  notifyCopyChange()
  if (isOwner) void run()
}

/** Deletes the copy of an ended session. Pending edits remain until their author signs in. */
async function emptyCopyOfEnded(): Promise<void> {
  await emptyCopy()
  if (session.peek() === null) emptyStorage()
  if (pendingCount.peek() === 0 && session.peek() === null && (await (await database()).count('queue')) === 0)
    await emptyQueue()
}
