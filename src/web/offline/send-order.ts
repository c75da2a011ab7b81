import { currentOwner } from '../data/pending-cells.ts'
import { request } from '../data/request.ts'
import { tabOrder } from '../data/sending.ts'
import { TAB } from '../data/tabs.ts'
import { database } from './database.ts'
import { entriesOf, type StoredNote } from './queue.ts'
import { onTabMessage, postToTabs } from './tab-messages.ts'
import { openTabs } from './tabs.ts'

/*
 * Sends pending edits in one tab at a time: the one that holds a lock. It releases the lock while another tab has an older
 * draft of a note that is delayed, because the server could not be reached.
 */

const LOCK = 'daybook-outbox'
/** The maximum time to wait for another tab. Sending twice is harmless: the server executes a request once. */
const PATIENCE_MS = 5_000
const PAUSE_MS = 20

/** Whether another open tab has an older draft that it could not send yet. */
async function isOlderElsewhere(at: number): Promise<boolean> {
  const owner = currentOwner()
  if (!owner) return false
  const range = entriesOf('note', owner.user, owner.workspace)
  const drafts = (await (await database()).getAll('queue', range)) as StoredNote[]
  const older = drafts.filter((draft) => draft.isDelayed && draft.at < at && draft.tab !== TAB)
  if (older.length === 0) return false
  const open = await openTabs()
  return older.some(({ tab }) => open.has(tab))
}

onTabMessage('back', () => void request('GET', '/app/api/session', { isFresh: true }).catch(() => undefined))

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))

/** Sends once no other tab sends or has an older edit, or after the maximum time to wait. */
async function take<Result>(at: number, send: () => Promise<Result>): Promise<Result> {
  const end = performance.now() + PATIENCE_MS
  let hasNotified = false
  const sendIfOldest = async () => {
    // Without storage no tab has drafts.
    const isOlder = await isOlderElsewhere(at).catch(() => false)
    return isOlder ? undefined : { sent: await send() }
  }
  for (let left = PATIENCE_MS; left > 0; left = end - performance.now()) {
    const done = await unlessLate(left, (signal) => navigator.locks.request(LOCK, { signal }, sendIfOldest))
    if (done) return done.sent
    if (!hasNotified) postToTabs('back')
    hasNotified = true
    await pause()
  }
  return send()
}

/** The result of a function; undefined if it did not start in time. */
async function unlessLate<Result>(
  ms: number,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const signal = AbortSignal.timeout(ms)
  try {
    return await act(signal)
  } catch (error) {
    if (error === signal.reason) return undefined
    throw error
  }
}

if (navigator.locks) tabOrder.take = take
