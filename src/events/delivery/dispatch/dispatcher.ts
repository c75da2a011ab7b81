import { Loop } from '../../../kernel/fair-share.ts'
import type { Bus } from '../../../lib/bus.ts'
import type { Clock } from '../../../lib/clock.ts'
import { reach } from '../../../lib/failure-points.ts'
import type { Log } from '../../../lib/log.ts'
import { secretsAt, signedHeaders } from '../../../log/message.ts'
import { onDeliveries } from '../../../log/outbox.ts'
import type { Db } from '../../../storage/database.ts'
import { passedHeaders } from '../../sources/forward-queue.ts'
import type { AttemptOutcome, AttemptRequest, Send } from '../client/sender.ts'
import {
  type DueDelivery,
  findDue,
  findNextDueAt,
  findOwner,
  listSubscriptionsWithPending,
  type QueueState,
} from './delivery-queue.ts'
import { DeliverySchedule, type Scheduled, slotsOf } from './delivery-schedule.ts'
import { OutcomeWriter } from './outcome-writer.ts'
import { shortenRetryDelays } from './retry-delays.ts'

const MAX_IN_FLIGHT_PER_SUBSCRIPTION = 4

/** A subscription with this many uncommitted outcomes starts no more attempts. */
const MAX_IN_PROGRESS = 256

/** All queues are checked at this interval, even if the clock is changed. */
const SCAN_INTERVAL_MS = 30_000
const RETRY_READ_MS = 1_000
/** A clock that is set back by less than this is ignored. */
const CLOCK_TOLERANCE_MS = 1_000
const STOP_TIMEOUT_MS = 10_000

export interface DispatcherOptions {
  readonly db: Db
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly send: Send
}

/** One subscription's queue and its share of the attempts. */
interface SubscriptionState extends QueueState, Scheduled {
  inFlight: number
  isProven: boolean
  isOrdered: boolean
}

/**
 * 1 until a delivery succeeds and after each failure, so that unresponsive receivers occupy few of the attempts. An
 * ordered subscription always has 4, so that one hanging object does not delay the others.
 */
const mostInFlight = ({ isProven, isOrdered }: SubscriptionState): number =>
  isProven || isOrdered ? MAX_IN_FLIGHT_PER_SUBSCRIPTION : 1

/**
 * Makes the attempts for all pending deliveries, and creates events for moments that fall due. Wakes on commits of this
 * process, on due retries and on writes of other processes.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #outcomes: OutcomeWriter
  readonly #abandon = new AbortController()
  readonly #states = new Map<number, SubscriptionState>()
  /** Subscriptions that may have a due delivery but are not scheduled yet. */
  readonly #woken = new Set<number>()
  readonly #schedule = new DeliverySchedule()
  readonly #running = new Set<Promise<void>>()
  readonly #stopListening: readonly (() => void)[]
  #lastNow = Number.POSITIVE_INFINITY
  readonly #attempts = new Loop(() => this.#startOneIfReadable())
  #isStopped = false
  #scanTimer: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(options: DispatcherOptions) {
    const { bus, db } = options
    this.#options = options
    this.#outcomes = new OutcomeWriter({ ...options, signal: this.#abandon.signal })
    this.#stopListening = [
      onDeliveries(db, (webhooks) => this.#wake(webhooks)),
      bus.onAnyChange(() => this.#scan()),
    ]
    this.#scan()
  }

  /** Starts no more attempts and waits up to 10 seconds for those in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const stop of this.#stopListening) stop()
    this.#scanTimer?.cancel()
    const { promise: timeout, resolve } = Promise.withResolvers<void>()
    const cancel = this.#options.clock.after(STOP_TIMEOUT_MS, resolve)
    await Promise.race([timeout, Promise.all(this.#running)])
    cancel()
    this.#abandon.abort()
  }

  #wake(webhooks: readonly number[]): void {
    for (const webhook of webhooks) this.#woken.add(webhook)
    if (!this.#isStopped) this.#attempts.start()
  }

  /** Schedules every subscription that has pending deliveries. */
  #scan(): void {
    if (this.#isStopped) return
    this.#checkClock()
    this.#scanBy(this.#options.clock.now() + SCAN_INTERVAL_MS)
    this.#retryIfReadFails(() => this.#wake(listSubscriptionsWithPending(this.#options.db)))
  }

  /** Schedules a scan at this instant or sooner. */
  #scanBy(instant: number): void {
    if (this.#isStopped) return
    const { clock } = this.#options
    const now = clock.now()
    const at = Math.min(instant, now + SCAN_INTERVAL_MS)
    if (this.#scanTimer && this.#scanTimer.at <= at) return
    this.#scanTimer?.cancel()
    const cancel = clock.after(Math.max(0, at - now), () => {
      this.#scanTimer = undefined
      this.#scan()
    })
    this.#scanTimer = { at, cancel }
  }

  /** The clock may have been set back while the server was down, so the first call shortens retry delays too. */
  #checkClock(): void {
    const { clock, db, log } = this.#options
    const now = clock.now()
    const wasSetBack = now < this.#lastNow - CLOCK_TOLERANCE_MS
    this.#lastNow = now
    if (!wasSetBack) return
    db.write((tx): void => shortenRetryDelays(tx)).catch((error) => {
      // The next start tries again.
      if (!this.#isStopped)
        log.warn('retries may be late: their times could not be adjusted to the clock', {
          error: String(error),
        })
    })
  }

  #startOneIfReadable(): boolean {
    let hasMore = false
    this.#checkClock()
    this.#retryIfReadFails(() => {
      hasMore = this.#startOne()
    })
    return hasMore
  }

  /** Schedules a woken subscription, or starts an attempt of the next scheduled one; false when neither is possible. */
  #startOne(): boolean {
    if (this.#isStopped) return false
    const [woken] = this.#woken
    if (woken !== undefined) {
      this.#woken.delete(woken)
      this.#enqueue(woken)
      return true
    }
    const webhook = this.#schedule.next()
    if (webhook === undefined) return false
    if (this.#startNext(webhook)) this.#enqueue(webhook)
    return true
  }

  /** Ignores a subscription that is deleted. */
  #enqueue(webhook: number): void {
    const state = this.#stateOf(webhook)
    if (state) this.#schedule.add(state)
  }

  /** Starts a subscription's next attempt; false when none can start now. */
  #startNext(webhook: number): boolean {
    const { db, clock } = this.#options
    const state = this.#stateOf(webhook)
    if (!state || !this.#hasRoom(state) || state.inProgress.size >= MAX_IN_PROGRESS) return false
    // Both queries use the same instant: otherwise neither would find deliveries that fall due between two instants.
    const now = clock.now()
    const due = findDue(db, webhook, now, state)
    if (due) {
      const running = this.#deliver(state, due)
      this.#running.add(running)
      void running.then(() => this.#running.delete(running))
      return true
    }
    const nextAt = findNextDueAt(db, webhook, now)
    if (nextAt !== undefined) this.#scanBy(nextAt)
    else if (state.inProgress.size === 0) this.#states.delete(webhook)
    return false
  }

  /** A subscription may have become ordered while its only attempt hangs. */
  #hasRoom(state: SubscriptionState): boolean {
    if (state.inFlight < mostInFlight(state)) return true
    if (state.isProven || state.isOrdered) return false
    state.isOrdered = findOwner(this.#options.db, state.webhook)?.ordered === 1
    return state.isOrdered
  }

  #stateOf(webhook: number): SubscriptionState | undefined {
    const known = this.#states.get(webhook)
    if (known) return known
    const owner = findOwner(this.#options.db, webhook)
    if (owner === undefined) return undefined
    const state: SubscriptionState = {
      workspace: owner.workspace,
      webhook,
      inFlight: 0,
      isProven: false,
      isOrdered: owner.ordered === 1,
      inProgress: new Set(),
      page: [],
    }
    this.#states.set(webhook, state)
    return state
  }

  /** The next attempt may start as soon as the receiver has responded, without waiting for the commit. */
  async #deliver(state: SubscriptionState, due: DueDelivery): Promise<void> {
    const { clock, send } = this.#options
    const attemptedAt = clock.now()
    const startedAt = clock.monotonicMs()
    state.inProgress.add(due.id)
    reach('delivery claimed')
    const request = requestOf(due, attemptedAt)
    const slots = request ? slotsOf(request.body.length) : 1
    state.inFlight += 1
    this.#schedule.begin(state.workspace, slots)
    const outcome = request ? await send(request) : CALL_GONE
    reach('delivery answered')
    const ms = Math.round(clock.monotonicMs() - startedAt)
    state.inFlight -= 1
    this.#schedule.end(state.workspace, slots)
    state.isProven = outcome.error === null
    state.isOrdered = due.isOrdered === 1
    this.#wake([due.webhook])
    await this.#outcomes.write({ due, outcome, attemptedAt, ms })
    state.inProgress.delete(due.id)
    this.#wake([due.webhook])
  }

  #retryIfReadFails(action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#options.log.warn('deliveries are delayed: the queue cannot be read', { error: String(error) })
      this.#scanBy(this.#options.clock.now() + RETRY_READ_MS)
    }
  }
}

const CALL_GONE: AttemptOutcome = { status: null, error: 'The call is no longer kept.', isFinal: true }

/** Undefined for a call that its source no longer keeps. */
function requestOf(due: DueDelivery, atMs: number): AttemptRequest | undefined {
  const { url, body, call } = due
  if (call === undefined) return { url, headers: headersOf(due, atMs), body }
  return call ? { url, headers: passedHeaders(call), body: call.body } : undefined
}

/** The service's headers override the subscriber's own, which may not have the same names. */
function headersOf(due: DueDelivery, atMs: number): Record<string, string> {
  const own: Record<string, string> = due.headers === null ? {} : JSON.parse(due.headers)
  const signed = signedHeaders({
    secrets: secretsAt(due, atMs),
    event: due.type,
    eventId: due.eventId,
    deliveryId: due.id,
    body: due.body,
    contentType: due.contentType,
    atMs,
    sequence: due.sequence,
  })
  return { ...own, ...signed }
}
