import { effect } from '@preact/signals'
import { Unreachable, unreachableSince } from './request.ts'

/*
 * Sends edits of notes and cells in the order in which they were written, one request at a time. Nothing is sent while the
 * server cannot be reached; callers retry when it is back.
 */

/** Coordination between tabs, once its code is loaded: a delayed edit in one tab may be older than one in another. */
interface SendOrder {
  putOff(at: number): void
  take<Result>(at: number, send: () => Promise<Result>): Promise<Result>
  /** Reports that this tab has no pending edits. */
  end(): void
}
export const sendOrder: { current?: SendOrder } = {}

/** The request was not sent, in contrast to a request without a response. */
export class NotSent extends Unreachable {}

interface PendingEdit {
  /** The time of the edit. */
  readonly at: number
  readonly send: () => Promise<void>
}

const pending: PendingEdit[] = []
let isSending = false
/** Set when the server is back, while pending edits are collected and sorted before sending. */
let gathered: Promise<unknown> | undefined
effect(() => {
  if (unreachableSince.value === undefined) return
  return () => {
    gathered = new Promise((resolve) =>
      setTimeout(() => {
        resolve(undefined)
        if (!isSending) sendOrder.current?.end()
      }),
    )
  }
})

/** Sends an edit in order. Throws `NotSent` while the server cannot be reached. */
export function sendInOrder<Result>(at: number, send: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const sendNext = async () => {
      try {
        if (unreachableSince.peek() !== undefined) throw new NotSent()
        return await (sendOrder.current?.take(at, send) ?? send())
      } catch (error) {
        if (error instanceof Unreachable) sendOrder.current?.putOff(at)
        throw error
      }
    }
    pending.push({ at, send: () => sendNext().then(resolve, reject) })
    if (!isSending) void sendAll()
  })
}

async function sendAll(): Promise<void> {
  isSending = true
  if (gathered) await gathered
  gathered = undefined
  for (let next = takeOldest(); next; next = takeOldest()) await next.send()
  isSending = false
  if (unreachableSince.peek() === undefined) sendOrder.current?.end()
}

const takeOldest = (): PendingEdit | undefined => pending.sort((one, other) => one.at - other.at).shift()
