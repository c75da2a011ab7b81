import { request } from '../data/request.ts'
import { turns } from '../data/sending.ts'

/*
 * When the server is back, what waits in several tabs is sent in the order in which it was written. Each tab holds a lock
 * whose name tells since when something waits in it; who sends holds another one, and lets go of it while a tab has
 * something older.
 */

const SENDING = 'daybook-sending'
const WAITS = 'daybook-waits '
/** A tab that does not get on with what it has is not waited for longer. */
const PATIENCE_MS = 5_000
const PAUSE_MS = 20

/** Whether something was put off in this tab that may not be sent yet. */
let isOrdered = false
let timer: ReturnType<typeof setTimeout> | undefined

/** Since when something waits in this tab that was put off, and what ends the telling of it. */
let told: { readonly at: number; readonly end: () => void } | undefined

async function tell(at: number | undefined): Promise<void> {
  if (told?.at === at) return
  const before = told
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  told = at === undefined ? undefined : { at, end }
  if (at !== undefined)
    await new Promise<void>((resolve) => {
      void navigator.locks.request(WAITS + at, { mode: 'shared' }, () => {
        resolve()
        return ended
      })
    })
  before?.end()
}

async function isOlderElsewhere(at: number): Promise<boolean> {
  const { held = [] } = await navigator.locks.query()
  return held.some(({ name = '' }) => name.startsWith(WAITS) && Number(name.slice(WAITS.length)) < at)
}

/** Tells the other tabs that the server is back. */
const back = new BroadcastChannel('daybook-back')
back.onmessage = () => void request('GET', '/app/api/session', { isFresh: true }).catch(() => undefined)

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))

/** Sends once no tab has anything older, as far as that is waited for. */
async function take<Result>(at: number, send: () => Promise<Result>): Promise<Result> {
  if (!isOrdered) return send()
  clearTimeout(timer)
  await tell(at)
  const end = performance.now() + PATIENCE_MS
  let isTold = false
  const inTurn = async () => ((await isOlderElsewhere(at)) ? undefined : { sent: await send() })
  for (let left = PATIENCE_MS; left > 0; left = end - performance.now()) {
    const done = await unlessLate(left, (signal) => navigator.locks.request(SENDING, { signal }, inTurn))
    if (done) return done.sent
    if (!isTold) back.postMessage('')
    isTold = true
    await pause()
  }
  return send()
}

/** What the function resolves to; `undefined` where it did not begin within a time. */
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
  turns.present = {
    putOff: (at) => {
      isOrdered = true
      clearTimeout(timer)
      void tell(Math.min(at, told?.at ?? at))
    },
    take,
    end: () => {
      void tell(undefined)
      // What follows from what was sent is sent by then.
      clearTimeout(timer)
      timer = setTimeout(() => {
        isOrdered = false
      }, PATIENCE_MS)
    },
  }
