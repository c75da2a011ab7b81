import { effect } from '@preact/signals'
import { awaySince, Unreachable } from './request.ts'

/*
 * What was written is sent in the order in which it was written: one request at a time, whether it is of a note or of a
 * cell. While the server is away nothing is sent; who waits asks again when it is back.
 */

/** How tabs take turns, once its code is there: what was put off in one of them may be older than what is sent in another. */
interface Turns {
  putOff(at: number): void
  take<Result>(at: number, send: () => Promise<Result>): Promise<Result>
  /** Nothing waits here any more. */
  end(): void
}
export const turns: { present?: Turns } = {}

/** Nothing was sent, unlike where no response came. */
export class NotSent extends Unreachable {}

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
    gathered = new Promise((resolve) =>
      setTimeout(() => {
        resolve(undefined)
        if (!isSending) turns.present?.end()
      }),
    )
  }
})

/** Sends something in its turn. Throws `Away` without sending while the server is away. */
export function sendInOrder<Result>(at: number, send: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const inTurn = async () => {
      try {
        if (awaySince.peek() !== undefined) throw new NotSent()
        return await (turns.present?.take(at, send) ?? send())
      } catch (error) {
        if (error instanceof Unreachable) turns.present?.putOff(at)
        throw error
      }
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
  if (awaySince.peek() === undefined) turns.present?.end()
}

const takeOldest = (): Waiting | undefined => waiting.sort((one, other) => one.at - other.at).shift()
