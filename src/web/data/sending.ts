import { effect } from '@preact/signals'
import { Away, awaySince, isSignedOut, retryDelayOf } from './request.ts'

/*
 * What was written is sent in the order in which it was written: one request at a time, whether it is of a note or of a
 * cell. While the server is away nothing is sent; who waits asks again when it is back.
 */

/** Nothing was sent, unlike where no response came. */
export class NotSent extends Away {}

interface Waiting {
  /** When it was written. */
  readonly at: number
  readonly send: () => Promise<void>
}

const waiting: Waiting[] = []
let isSending = false
/** When the server is back, all that waits is put in order before the first of it is sent. */
let gathered: Promise<unknown> | undefined
effect(() => {
  if (awaySince.value === undefined) return
  return () => {
    gathered = new Promise((resolve) => setTimeout(resolve))
  }
})

/** Sends something in its turn. Throws `Away` without sending while the server is away. */
export function sendInOrder<Result>(at: number, send: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const inTurn = async () => {
      if (awaySince.peek() !== undefined)
        throw new NotSent('The server is away; this waits until it is back.')
      return await send()
    }
    waiting.push({ at, send: () => inTurn().then(resolve, reject) })
    if (!isSending) void sendAll()
  })
}

async function sendAll(): Promise<void> {
  isSending = true
  if (gathered) await gathered
  gathered = undefined
  for (let next = takeOldest(); next; next = takeOldest()) await next.send()
  isSending = false
}

function takeOldest(): Waiting | undefined {
  const oldest = waiting.reduce<Waiting | undefined>(
    (found, one) => (found === undefined || one.at < found.at ? one : found),
    undefined,
  )
  if (oldest) waiting.splice(waiting.indexOf(oldest), 1)
  return oldest
}

/** Resolves when what was put off may be sent again: after a while, or as soon as the server is back and somebody signed in. */
export function untilSentAgain(error: unknown): Promise<void> {
  if (isReachable()) return new Promise((resolve) => setTimeout(resolve, retryDelayOf(error)))
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!isReachable()) return
      resolve()
      queueMicrotask(() => stop())
    })
  })
}

const isReachable = () => awaySince.value === undefined && !isSignedOut.value
