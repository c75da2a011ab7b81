import type { Clock } from './clock.ts'
import { FairQueue } from './fair-queue.ts'

/*
 * How requests share what a server has little of: memory for bodies and responses, threads for queries, hashes of passwords,
 * the turns of this thread. Each is an `Admission`, counted in bytes or in pieces of work: as a whole and for each key, which
 * is the caller, or the address of a client without one. Work that finds no room waits its turn or is refused.
 */

/** Gives back the room that was admitted; calling it again does nothing. */
export type Release = () => void

/** Identifies queued work. Lines are served round-robin, and so are the keys within a line. */
export interface AdmissionPlace<Line extends string = string> {
  readonly line?: Line
  readonly key: string
  /** Background work of a key alternates with its other work. */
  readonly isBackground?: boolean
}

export interface AdmissionOptions {
  /** The room in all: bytes, or pieces of work. */
  readonly most: number
  /** The room of one key. A key that holds nothing may always have one item, however large. */
  readonly mostPerKey?: number
  /** How many may wait in each line, and of each key; no limit unless given. */
  readonly waitingPerLine?: number
  readonly waitingPerKey?: number
  /** How long something waits before it is refused, by which clock; no limit unless given. */
  readonly waitingWithin?: { readonly ms: number; readonly clock: Clock }
  /** The refusal of work for which there is no room. */
  readonly refusal?: () => Error
}

interface Waiting {
  readonly key: string
  readonly amount: number
  readonly begin: (release: Release) => void
  readonly reject: (error: unknown) => void
  isQueued: boolean
  stopTimer: () => void
}

/** A key that floods its line, or a line flooded by many keys, takes no room from the others. */
export class Admission<Line extends string = string> {
  readonly #options: AdmissionOptions
  /** Only lines with waiting work; the first is served next. */
  readonly #lines = new Map<Line | undefined, FairQueue<Waiting>>()
  readonly #heldByKey = new Map<string, number>()
  #held = 0

  constructor(options: AdmissionOptions) {
    this.#options = options
  }

  get isWaiting(): boolean {
    return this.#lines.size > 0
  }

  hasRoom(key: string, amount = 1): boolean {
    const { most, mostPerKey = most } = this.#options
    const own = this.#heldByKey.get(key) ?? 0
    return this.#held + amount <= most && (own === 0 || own + amount <= mostPerKey)
  }

  /** Whether something waits for what this key holds: work of the key itself, or of any while all room is taken. */
  isInTheWay(key: string): boolean {
    const { most, mostPerKey = most } = this.#options
    return this.#waiting().some(
      (each) => each.key === key || (this.#heldByKey.get(each.key) ?? 0) + each.amount <= mostPerKey,
    )
  }

  /** Admits at once, or throws the refusal. */
  hold(key: string, amount = 1): Release {
    if (!this.hasRoom(key, amount)) throw this.#refusal()
    return this.#take(key, amount)
  }

  /** Calls `begin` when there is room, at once if there is; returns how to leave the queue. */
  enter(
    { line, key, isBackground }: AdmissionPlace<Line>,
    begin: (release: Release) => void,
    { amount = 1, reject = () => {} }: { amount?: number; reject?: (error: unknown) => void } = {},
  ): () => void {
    const queue = this.#lines.get(line) ?? new FairQueue<Waiting>()
    const isFull = this.#isFull(queue, key)
    const waiting: Waiting = { key, amount, begin, reject, isQueued: true, stopTimer: () => {} }
    const leave = () => {
      if (!waiting.isQueued) return
      waiting.isQueued = false
      waiting.stopTimer()
      queue.remove(key, waiting)
      if (queue.isEmpty && this.#lines.get(line) === queue) this.#lines.delete(line)
    }
    const refuse = () => {
      leave()
      reject(this.#refusal())
    }
    queue.add(key, waiting, isBackground)
    this.#lines.set(line, queue)
    this.#admit()
    const { waitingWithin: within } = this.#options
    if (waiting.isQueued && isFull) refuse()
    else if (waiting.isQueued && within) waiting.stopTimer = within.clock.after(within.ms, refuse)
    return leave
  }

  /** Resolves when there is room; rejects with the refusal. */
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

  /** Rejects everything that waits. */
  refuse(error: unknown): void {
    const waiting = this.#waiting()
    this.#lines.clear()
    for (const each of waiting) {
      each.isQueued = false
      each.stopTimer()
      each.reject(error)
    }
  }

  #waiting(): Waiting[] {
    return [...this.#lines.values()].flatMap((queue) => queue.items)
  }

  #refusal(): Error {
    return this.#options.refusal?.() ?? new Error('there is no room')
  }

  #isFull(queue: FairQueue<Waiting>, key: string): boolean {
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
    const own = (this.#heldByKey.get(key) ?? 0) + amount
    if (own === 0) this.#heldByKey.delete(key)
    else this.#heldByKey.set(key, own)
    this.#held += amount
  }

  /** Admits as much of the waiting work as there is room for. */
  #admit(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      next.isQueued = false
      next.stopTimer()
      next.begin(this.#take(next.key, next.amount))
    }
  }

  /** Takes out the work that is served next; its line moves to the end. */
  #next(): Waiting | undefined {
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
