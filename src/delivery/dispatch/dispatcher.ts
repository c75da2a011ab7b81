import type { Bus } from '../../changes/bus.ts'
import type { Db } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Send } from '../client/attempt.ts'
import { signedHeaders } from '../sign.ts'
import { OutcomeWriter } from './outcomes.ts'
import { type Claims, type DueDelivery, findDue, findNextDueAt, listWaiting, shortenWaits } from './queue.ts'

/** Attempts in flight (contract, section 7). */
const MOST_PER_SUBSCRIPTION = 4
const MOST_IN_ALL = 64

/** A subscription whose outcomes cannot be written down begins no more attempts beyond so many. */
const MOST_UNRECORDED = 256

/** However the clock moves, the queue is looked at this often. */
const LOOK_EVERY_MS = 30_000
const TRY_AGAIN_MS = 1_000
/** A clock that is put right by less is not noticed. */
const CLOCK_SLACK_MS = 1_000
const STOP_WITHIN_MS = 10_000

export interface DeliveryOptions {
  readonly db: Db
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly send: Send
}

/** The loop that makes attempts. */
export interface Dispatcher {
  /** Begins no more attempts and waits for those under way, 10 seconds at most. */
  stop(): Promise<void>
}

/** One subscription's share of the attempts. */
interface Lane extends Claims {
  inFlight: number
  /** One until the receiver answers well, and while it fails: those that are dead hardly keep others waiting. */
  most: number
}

class DeliveryLoop implements Dispatcher {
  readonly #options: DeliveryOptions
  readonly #outcomes: OutcomeWriter
  readonly #lanes = new Map<number, Lane>()
  /** Subscriptions that may have something due; whoever had a turn goes to the end. */
  readonly #ready = new Set<number>()
  readonly #running = new Set<Promise<void>>()
  readonly #stopListening: readonly (() => void)[]
  #inFlight = 0
  #lastNow = Number.POSITIVE_INFINITY
  #isScheduled = false
  #isStopped = false
  #timer: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(options: DeliveryOptions) {
    const { bus } = options
    this.#options = options
    this.#outcomes = new OutcomeWriter(options)
    this.#stopListening = [
      bus.onWakeDeliveries((webhooks) => this.#wake(webhooks)),
      bus.onWakeAll(() => this.#lookAtAll()),
    ]
    this.#lookAtAll()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const stop of this.#stopListening) stop()
    this.#timer?.cancel()
    this.#outcomes.flush()
    const { promise: isLate, resolve } = Promise.withResolvers<void>()
    const cancel = this.#options.clock.after(STOP_WITHIN_MS, resolve)
    await Promise.race([isLate, Promise.all(this.#running)])
    cancel()
    this.#outcomes.giveUp()
  }

  #wake(webhooks: readonly number[]): void {
    for (const webhook of webhooks) this.#ready.add(webhook)
    if (this.#isScheduled || this.#isStopped) return
    this.#isScheduled = true
    setImmediate(() => this.#takeTurns())
  }

  /** At the start, after another process wrote, and now and then. */
  #lookAtAll(): void {
    if (this.#isStopped) return
    this.#noticeClock()
    this.#lookBy(this.#options.clock.now() + LOOK_EVERY_MS)
    this.#unlessReadingFails(() => this.#wake(listWaiting(this.#options.db)))
  }

  /** Looks at everything at this instant, or sooner. */
  #lookBy(instant: number): void {
    const { clock } = this.#options
    const now = clock.now()
    const at = Math.min(instant, now + LOOK_EVERY_MS)
    if (this.#timer && this.#timer.at <= at) return
    this.#timer?.cancel()
    const cancel = clock.after(Math.max(0, at - now), () => {
      this.#timer = undefined
      this.#lookAtAll()
    })
    this.#timer = { at, cancel }
  }

  /** At the start, too, the clock may stand before the instants that were written with it. */
  #noticeClock(): void {
    const { clock, db, log } = this.#options
    const now = clock.now()
    const wasSetBack = now < this.#lastNow - CLOCK_SLACK_MS
    this.#lastNow = now
    if (!wasSetBack) return
    db.write((tx): void => void shortenWaits(tx)).then(
      () => this.#lookAtAll(),
      (error) => {
        // The next start looks again.
        if (!this.#isStopped)
          log.warn('deliveries wait as if the clock had not been set back', { error: String(error) })
      },
    )
  }

  /** One attempt for each subscription in turn, until nothing is due or all places are taken. */
  #takeTurns(): void {
    this.#isScheduled = false
    this.#noticeClock()
    this.#unlessReadingFails(() => {
      for (const webhook of this.#ready) {
        if (this.#isStopped || this.#inFlight >= MOST_IN_ALL) return
        this.#ready.delete(webhook)
        if (this.#begin(webhook)) this.#ready.add(webhook)
      }
      if (this.#inFlight === 0) this.#outcomes.flush()
    })
  }

  /** Begins the next attempt for a subscription; answers false when there is none to begin now. */
  #begin(webhook: number): boolean {
    const { db, clock } = this.#options
    const lane = this.#laneOf(webhook)
    if (lane.inFlight >= lane.most || lane.taken.size >= MOST_UNRECORDED) return false
    // One instant for both questions: what falls due between two would be found by neither.
    const now = clock.now()
    const due = findDue(db, webhook, now, lane)
    if (due) {
      const running = this.#deliver(lane, due)
      this.#running.add(running)
      void running.then(() => this.#running.delete(running))
      return true
    }
    const nextAt = findNextDueAt(db, webhook, now)
    if (nextAt !== undefined) this.#lookBy(nextAt)
    else if (lane.taken.size === 0) this.#lanes.delete(webhook)
    return false
  }

  #laneOf(webhook: number): Lane {
    const known = this.#lanes.get(webhook)
    if (known) return known
    const lane: Lane = { inFlight: 0, most: 1, taken: new Set(), page: [] }
    this.#lanes.set(webhook, lane)
    return lane
  }

  /** The place is free again as soon as the answer is there: the next attempt does not wait for the commit. */
  async #deliver(lane: Lane, due: DueDelivery): Promise<void> {
    const { clock, send } = this.#options
    const attemptedAt = clock.now()
    lane.taken.add(due.id)
    lane.inFlight += 1
    this.#inFlight += 1
    const outcome = await send({
      url: due.url,
      headers: signedHeaders({
        secret: due.secret,
        event: due.type,
        eventId: due.eventId,
        deliveryId: due.id,
        body: due.body,
        atMs: attemptedAt,
      }),
      body: due.body,
    })
    lane.inFlight -= 1
    this.#inFlight -= 1
    lane.most = outcome.error === null ? MOST_PER_SUBSCRIPTION : 1
    this.#wake([due.webhook])
    const written = this.#outcomes.write({ due, outcome, attemptedAt })
    if (this.#isStopped) this.#outcomes.flush()
    await written
    lane.taken.delete(due.id)
    this.#wake([due.webhook])
  }

  #unlessReadingFails(action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#options.log.warn('deliveries are put off', { error: String(error) })
      this.#lookBy(this.#options.clock.now() + TRY_AGAIN_MS)
    }
  }
}

/**
 * Delivers what waits in the outbox (`service.md`, Delivery rules): woken by commits, by the next retry that falls
 * due and by writes of other processes. What was in flight when a server died is attempted again at once.
 */
export const startDispatcher = (options: DeliveryOptions): Dispatcher => new DeliveryLoop(options)
