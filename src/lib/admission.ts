import type { Clock } from './clock.ts'
import { FairQueue } from './fair-queue.ts'

/*
 * Fair shares of scarce resources: memory for bodies and responses, threads for queries, password hashes, the time of
 * this thread. Each resource is an `Admission` with a capacity in bytes or units of work, in total and per key. The key
 * is the caller, or the address of a client without one. Work above the capacity is queued or refused.
 */

/** Releases the admitted capacity; calling it again does nothing. */
export type Release = () => void

/** Identifies queued work. Lines are served round-robin, as are the keys within a line. */
export interface AdmissionPlace<Line extends string = string> {
  readonly line?: Line
  readonly key: string
  /** Background work of a key alternates with its other work. */
  readonly isBackground?: boolean
}

export interface AdmissionOptions {
  /** The total capacity, in bytes or units of work. */
  readonly most: number
  /** The capacity of one key. A key that holds nothing may exceed it with a single item. */
  readonly mostPerKey?: number
  /** Limits on queued items per line and per key; none by default. */
  readonly waitingPerLine?: number
  readonly waitingPerKey?: number
  /** Queued items are refused after this time; by default they wait without limit. */
  readonly waitingWithin?: { readonly ms: number; readonly clock: Clock }
  /** The refusal of work above the capacity. */
  readonly refusal?: () => Error
}

interface Queued {
  readonly key: string
  readonly amount: number
  readonly begin: (release: Release) => void
  readonly reject: (error: unknown) => void
  isQueued: boolean
  stopTimer: () => void
}

/** A key that floods its line, or a line flooded by many keys, does not delay the others. */
export class Admission<Line extends string = string> {
  readonly #options: AdmissionOptions
  /** Only lines with waiting work; the first is served next. */
  readonly #lines = new Map<Line | undefined, FairQueue<Queued>>()
  readonly #reservedByKey = new Map<string, number>()
  #reserved = 0

  constructor(options: AdmissionOptions) {
    this.#options = options
  }

  get isWaiting(): boolean {
    return this.#lines.size > 0
  }

  hasRoom(key: string, amount = 1): boolean {
    const { most, mostPerKey = most } = this.#options
    const own = this.#reservedByKey.get(key) ?? 0
    return this.#reserved + amount <= most && (own === 0 || own + amount <= mostPerKey)
  }

  /** Whether queued work waits for capacity that this key holds. */
  isInTheWay(key: string): boolean {
    const { most, mostPerKey = most } = this.#options
    return this.#queued().some(
      (each) => each.key === key || (this.#reservedByKey.get(each.key) ?? 0) + each.amount <= mostPerKey,
    )
  }

  /** Admits immediately, or throws the refusal. */
  hold(key: string, amount = 1): Release {
    if (!this.hasRoom(key, amount)) throw this.#refusal()
    return this.#take(key, amount)
  }

  /** Calls `begin` once there is capacity, possibly immediately; returns a function that leaves the queue. */
  enter(
    { line, key, isBackground }: AdmissionPlace<Line>,
    begin: (release: Release) => void,
    { amount = 1, reject = () => {} }: { amount?: number; reject?: (error: unknown) => void } = {},
  ): () => void {
    const queue = this.#lines.get(line) ?? new FairQueue<Queued>()
    const isFull = this.#isFull(queue, key)
    const queued: Queued = { key, amount, begin, reject, isQueued: true, stopTimer: () => {} }
    const leave = () => {
      if (!queued.isQueued) return
      queued.isQueued = false
      queued.stopTimer()
      queue.remove(key, queued)
      if (queue.isEmpty && this.#lines.get(line) === queue) this.#lines.delete(line)
    }
    const refuse = () => {
      leave()
      reject(this.#refusal())
    }
    queue.add(key, queued, isBackground)
    this.#lines.set(line, queue)
    this.#admit()
    const { waitingWithin: within } = this.#options
    if (queued.isQueued && isFull) refuse()
    else if (queued.isQueued && within) queued.stopTimer = within.clock.after(within.ms, refuse)
    return leave
  }

  /** Resolves once there is capacity; rejects with the refusal. */
  reserve(place: AdmissionPlace<Line>, amount = 1): Promise<Release> {
    return new Promise((resolve, reject) => this.enter(place, resolve, { amount, reject }))
  }

  async run<Result>(place: AdmissionPlace<Line>, work: () => Result | Promise<Result>): Promise<Result> {
    const release = await this.reserve(place)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Rejects all queued work. */
  refuse(error: unknown): void {
    const queued = this.#queued()
    this.#lines.clear()
    for (const each of queued) {
      each.isQueued = false
      each.stopTimer()
      each.reject(error)
    }
  }

  #queued(): Queued[] {
    return [...this.#lines.values()].flatMap((queue) => queue.items)
  }

  #refusal(): Error {
    return this.#options.refusal?.() ?? new Error('there is no room')
  }

  #isFull(queue: FairQueue<Queued>, key: string): boolean {
    const { waitingPerLine, waitingPerKey } = this.#options
    return (
      (waitingPerLine !== undefined && queue.size >= waitingPerLine) ||
      (waitingPerKey !== undefined && queue.sizeOf(key) >= waitingPerKey)
    )
  }

  #take(key: string, amount: number): Release {
    this.#add(key, amount)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#add(key, -amount)
      this.#admit()
    }
  }

  #add(key: string, amount: number): void {
    const own = (this.#reservedByKey.get(key) ?? 0) + amount
    if (own === 0) this.#reservedByKey.delete(key)
    else this.#reservedByKey.set(key, own)
    this.#reserved += amount
  }

  /** Admits queued work up to the capacity. */
  #admit(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      next.isQueued = false
      next.stopTimer()
      next.begin(this.#take(next.key, next.amount))
    }
  }

  /** Removes and returns the work that is served next; its line moves to the end. */
  #next(): Queued | undefined {
    for (const [line, queue] of this.#lines) {
      const next = queue.take((key, { amount }) => this.hasRoom(key, amount))
      if (!next) continue
      this.#lines.delete(line)
      if (!queue.isEmpty) this.#lines.set(line, queue)
      return next
    }
    return undefined
  }
}
