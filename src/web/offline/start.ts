import { computed, effect, signal } from '@preact/signals'
import { onChange, onMissed } from '../data/live.ts'
import { discarders, keepers, pendingCount, setNotice } from '../data/pending.ts'
import {
  awaySince,
  isLedAway,
  isRetryable,
  isSignedOut,
  Refused,
  request,
  retryDelayOf,
  serverNow,
  Unreachable,
} from '../data/request.ts'
import { type Session, session, TO_BE_ENDED } from '../data/session.ts'
import { TAB } from '../data/tabs.ts'
import { startServiceWorker } from '../worker/start.ts'
import './turns.ts'
import { bringUpToDate } from './copy.ts'
import {
  type About,
  COPY,
  database,
  type Mark,
  onCleared,
  onKeptChange,
  tellChanged,
  whereOf,
} from './database.ts'
import { emptyPictures } from './pictures.ts'
import { countOthers, emptyQueue } from './queue.ts'
import { emptyShared, takeUpShared } from './shared.ts'
import { emptyStorage, hasStorageOfOthers } from './storage.ts'

/*
 * One tab of the browser keeps the copy up to date. What belongs to somebody else is emptied as soon as that is known.
 */

/** What is kept now, for those who show it. */
export const about = signal<About | undefined>(undefined)
export const marks = signal<readonly Mark[]>([])

/** Has the other tabs give up what waits, but that of one person. */
const others = new BroadcastChannel('daybook-kept')

/** Has the tab that keeps the copy up to date look at what changed; or at all, where changes may have been missed. */
type Stirred = 'changed' | 'missed'
const keeper = new BroadcastChannel('daybook-keeper')

/** Changes that arrive within this time are copied together. */
const GATHER_MS = 1_000

/** Empties the copy; what waits to be sent stays. */
export async function emptyCopy(): Promise<void> {
  const stores = [...COPY, 'marks'] as const
  const transaction = (await database()).transaction(stores, 'readwrite')
  for (const name of stores) void transaction.objectStore(name).clear()
  await transaction.done
  // A page that did not come by https has none.
  if ('caches' in globalThis) await emptyPictures()
  tellChanged()
}

/** Empties all that is kept, in this tab and in the others, but what one person wrote. */
export async function emptyAll(except?: string): Promise<void> {
  discard(except)
  others.postMessage({ except })
  emptyStorage(except)
  // A browser that keeps nothing has nothing to be emptied.
  for (const empty of [emptyCopy, emptyShared, () => emptyQueue(except)]) await empty().catch(() => undefined)
}

function discard(except: string | undefined): void {
  for (const giveUp of discarders) giveUp(except)
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
  const present = session.peek()
  return present ? (await database()).getAll('marks', whereOf(present.user.id, present.workspace.id)) : []
}

/** Empties what another person left in this browser. */
async function emptyOfOthers({ user }: Session): Promise<void> {
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

/** Brings the copy up to date; again where something changed meanwhile. */
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
  const present = session.peek()
  if (!present || isSignedOut.peek() || awaySince.peek() !== undefined) return
  const isSure = !isMissed
  isMissed = false
  const isSetBack = await bringUpToDate(present, isSure)
  // This is said until the page is left.
  if (isSetBack) setNotice('set back', SET_BACK)
  setNotice('copy', undefined)
  tellOfClock()
  await readShown()
}

const CLOCK_MINUTES = 10

/** A wrong clock changes only what is shown: order and conflicts go by the server's. */
function tellOfClock(): void {
  const ahead = Math.round((serverNow() - Date.now()) / 60_000)
  const minutes = Math.abs(ahead)
  const sentence = `The clock of this device is ${minutes} minutes ${ahead > 0 ? 'behind' : 'ahead of'} the server’s: set it, as times shown here are wrong; nothing that you write is lost by it.`
  setNotice('clock', minutes < CLOCK_MINUTES ? undefined : sentence)
}

const SET_BACK =
  'The server was set back to an earlier state, or no longer knows what changed since this browser last read it; what is shown was read again, and what waits here is sent to it.'

const NO_ROOM =
  'This browser has no room left to keep more for reading offline; free some, or keep fewer tables in the settings.'

function failed(error: Error): void {
  isMissed = true
  // When the server or the session is back, everything is tried again.
  if (isRetryable(error) || isSignedOut.peek() || error.name === 'AbortError') return
  const sentence = `What is kept for reading offline is not up to date: ${error.message}`
  setNotice('copy', error.name === 'QuotaExceededError' ? NO_ROOM : sentence)
}

let isSoon = false
/** Whether changes may have been missed; with them, what the person may read. */
let isMissed = true

function soon(): void {
  if (isSoon) return
  isSoon = true
  setTimeout(() => {
    isSoon = false
    void run()
  }, GATHER_MS)
}

/** A structure was marked, or one that was marked no longer is. */
export async function setMark(structure: { id: string; name: string }, isKept: boolean): Promise<void> {
  const present = session.peek()
  if (!present) return
  const { user, workspace } = present
  const place = { user: user.id, workspace: workspace.id, structure: structure.id }
  const db = await database()
  if (isKept) await db.put('marks', { ...place, name: structure.name, rows: 0 })
  else {
    await db.delete('marks', [place.user, place.workspace, place.structure])
    await db.delete('rows', IDBKeyRange.bound([structure.id], [structure.id, []]))
  }
  await readShown()
  tellChanged()
  keeper.postMessage('changed' satisfies Stirred)
  if (isOwner) void run()
}

/** In the tab that keeps the copy, which may be behind others and then hears of nothing itself. */
function follow(what: Stirred): void {
  isMissed ||= what === 'missed'
  if (isOwner) soon()
  else keeper.postMessage(what)
}

let isOwner = false

/** Has this tab keep the copy up to date as long as it is open, once no other does. */
function own(): void {
  const keep = () => {
    isOwner = true
    // Also when somebody else is signed in now, or another workspace is shown.
    const place = computed(
      () =>
        awaySince.value === undefined &&
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

/** Shows on the icon of the installed application how much waits. */
async function showBadge(own: number): Promise<void> {
  const { setAppBadge } = navigator as { setAppBadge?: (count: number) => Promise<void> }
  await setAppBadge?.call(navigator, own + (await countOthers(TAB))).catch(() => undefined)
}

const LED_AWAY =
  'Something before the server asks to sign in: load this page again to do so; what you write is kept here until then.'

/** Begins to keep what is read, for the person who is signed in. */
export function startOffline(): void {
  void startServiceWorker()
  effect(() => {
    const isReachable = awaySince.value === undefined && !isSignedOut.value
    if (session.value && isReachable) takeUpShared().catch(() => undefined)
  })
  effect(() => void showBadge(pendingCount.value))
  effect(() => setNotice('led away', isLedAway.value ? LED_AWAY : undefined))
  others.onmessage = ({ data }) => {
    // A tab of an earlier version says here, in a word, that a table was marked.
    if (typeof data === 'string') return
    discard(data.except)
    // Each tab has a storage of its own.
    if (data.except === undefined) emptyStorage()
  }
  onKeptChange(() => void readShown())
  onCleared(keepAgain)
  void readShown()
  effect(() => {
    const present = session.value
    if (present) void emptyOfOthers(present)
  })
  effect(() => {
    const isOut = session.value === null || isSignedOut.value
    void endSession(isOut && awaySince.value === undefined)
  })
  effect(() => {
    // What waits is asked about where one signs in again.
    if (session.value === null || isSignedOut.value) void emptyCopyOfEnded()
  })
  keeper.onmessage = ({ data }) => isOwner && follow(data)
  onChange(() => follow('changed'))
  onMissed(() => follow('missed'))
  own()
}

const TO_END = 'You are signed out here; the server is told so when it can be reached.'

/** Ends the session of somebody who signed out while the server was away, if it can be ended now. */
async function endSession(isPossible: boolean): Promise<void> {
  const isToEnd = TO_BE_ENDED in localStorage
  setNotice('to be ended', isToEnd ? TO_END : undefined)
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
  'The browser has cleared what was kept here; what you wrote in open tabs is kept anew, and the rest is read again when the server can be reached.'

function keepAgain(): void {
  setNotice('cleared', CLEARED)
  for (const keep of keepers) keep()
  tellChanged()
  if (isOwner) void run()
}

/** A session that ended leaves nothing to be read; what waits is kept until its writer is asked. */
async function emptyCopyOfEnded(): Promise<void> {
  await emptyCopy()
  if (session.peek() === null) emptyStorage()
  if (pendingCount.peek() === 0 && session.peek() === null && (await (await database()).count('queue')) === 0)
    await emptyQueue()
}
