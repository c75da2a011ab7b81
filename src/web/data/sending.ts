import { effect } from '@preact/signals'
import { Away, awaySince } from './request.ts'

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
      if (awaySince.peek() !== undefined) throw new NotSent()
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

const takeOldest = (): Waiting | undefined => waiting.sort((one, other) => one.at - other.at).shift()
