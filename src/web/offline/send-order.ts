import { request } from '../data/request.ts'
import { sendOrder } from '../data/sending.ts'
import { onTabMessage, postToTabs } from './tab-messages.ts'

/*
 * Sends pending edits in one tab at a time. The sending tab holds a lock. Once the server is back, the edits of all tabs are
 * sent in the order in which they were written: each tab holds a second lock whose name contains the time of its oldest
 * pending edit, and the sending tab releases the first one while another tab has an older edit.
 */

const SENDING_LOCK = 'daybook-outbox'
const PENDING_LOCK = 'daybook-waits '
/** The maximum time to wait for another tab. Sending twice is harmless: the server executes a request once. */
const PATIENCE_MS = 5_000
const PAUSE_MS = 20

/** Whether this tab has delayed edits that must be sent in order. */
let isOrdered = false
let timer: ReturnType<typeof setTimeout> | undefined

/** The time of the oldest delayed edit in this tab, and a function that releases its lock. */
let announced: { readonly at: number; readonly end: () => void } | undefined

async function announce(at: number | undefined): Promise<void> {
  if (announced?.at === at) return
  const before = announced
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  announced = at === undefined ? undefined : { at, end }
  if (at !== undefined)
    await new Promise<void>((resolve) => {
      void navigator.locks.request(PENDING_LOCK + at, { mode: 'shared' }, () => {
        resolve()
        return ended
      })
    })
  before?.end()
}

async function isOlderElsewhere(at: number): Promise<boolean> {
  const { held = [] } = await navigator.locks.query()
  return held.some(
    ({ name = '' }) => name.startsWith(PENDING_LOCK) && Number(name.slice(PENDING_LOCK.length)) < at,
  )
}

onTabMessage('back', () => void request('GET', '/app/api/session', { isFresh: true }).catch(() => undefined))

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))

/** Sends once no other tab sends or has an older edit, or after the maximum time to wait. */
async function take<Result>(at: number, send: () => Promise<Result>): Promise<Result> {
  const isInOrder = isOrdered
  if (isInOrder) {
    clearTimeout(timer)
    await announce(at)
  }
  const end = performance.now() + PATIENCE_MS
  let hasNotified = false
  const sendIfOldest = async () =>
    isInOrder && (await isOlderElsewhere(at)) ? undefined : { sent: await send() }
  for (let left = PATIENCE_MS; left > 0; left = end - performance.now()) {
    const done = await unlessLate(left, (signal) =>
      navigator.locks.request(SENDING_LOCK, { signal }, sendIfOldest),
    )
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

if (navigator.locks)
  sendOrder.current = {
    putOff: (at) => {
      isOrdered = true
      clearTimeout(timer)
      void announce(Math.min(at, announced?.at ?? at))
    },
    take,
    end: () => {
      void announce(undefined)
      // By then, follow-up requests have been sent.
      clearTimeout(timer)
      timer = setTimeout(() => {
        isOrdered = false
      }, PATIENCE_MS)
    },
  }
