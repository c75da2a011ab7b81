import { effect } from '@preact/signals'
import { Unreachable, unreachableSince } from './request.ts'

/*
 * Sends edits of notes and cells in the order in which they were written, one request at a time. Nothing is sent while the
 * server cannot be reached; callers retry when it is back.
 */

/** Sends in one tab at a time, once its code is loaded. */
export const tabOrder: {
  take?: <Result>(send: () => Promise<Result>) => Promise<Result>
  /** Adopts the pending cells of other tabs. */
  gather?: () => Promise<unknown>
} = {}

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
    gathered = Promise.resolve(tabOrder.gather?.()).then(() => new Promise((resolve) => setTimeout(resolve)))
  }
})

/** Sends an edit in order. Throws `NotSent` while the server cannot be reached. */
export function sendInOrder<Result>(at: number, send: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const sendNext = async () => {
      if (unreachableSince.peek() !== undefined) throw new NotSent()
      return tabOrder.take ? tabOrder.take(send) : send()
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
}

const takeOldest = (): PendingEdit | undefined => pending.sort((one, other) => one.at - other.at).shift()
