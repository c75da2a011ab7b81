import { Random } from '../../scripts/lib/random.ts'

/*
 * The platform below the code of a simulation: the clocks, timers, turns of the event loop and random numbers of the
 * process. While it is installed, all of them follow from a seed, and time passes only between two events. The code
 * under test runs unchanged: it reads the clock and sets timers as ever.
 *
 * Events of a process whose power is cut are discarded. Events without a process belong to the world around it.
 */

/** A process whose events can be discarded together. */
export interface SimulatedProcess {
  readonly name: string
  /** Its files are copied, and nobody sees what it does from now on. */
  isCut: boolean
  /** It runs no more events. */
  isDead: boolean
}

interface Event {
  at: number
  readonly order: number
  readonly owner: SimulatedProcess | undefined
  readonly run: () => void
  /** Repeats after this time; undefined for a single event. */
  readonly everyMs: number | undefined
  isCancelled: boolean
}

const START = Date.parse('2026-11-21T09:30:00.000Z')
/** Repeated events run once, not at each interval, while nothing else happens for longer than this. */
const LULL_MS = 5_000
/** In some events, so much time passes between two reads of the clock that work is cut into many parts. */
const SLOW_MS = 2
const SLOW_EVENTS = 1 / 60
/** Far more than any run needs. */
const MAX_EVENTS = 2_000_000
/** The runtime may need this many turns for work of its own. */
const MAX_IDLE_TURNS = 50
/** So many repeated events in a row, and nothing else, change nothing any longer. */
const MAX_IDLE_EVENTS = 1_000
/** Timers of a process that was cut off run if they are due within this time, such as results of its disk. */
const DRAINED_MS = 100
const MAX_DRAINED = 500

const realTurn = globalThis.setImmediate

/** Lets everything run that is ready in the real process: microtasks, and results of the runtime. */
const turn = () => new Promise<void>((resolve) => void realTurn(resolve))

export class Platform {
  /** Milliseconds since the start; never goes back. */
  #elapsedMs = 0
  /** The difference between the wall clock and the start plus `#elapsedMs`. */
  #offsetMs = 0
  #order = 0
  #idleEvents = 0
  #isSlow = false
  #events = 0
  #owner: SimulatedProcess | undefined
  /** While a process ends, nothing else happens. */
  #draining: Promise<void> | undefined
  /** By time, then in the order of their creation. */
  readonly #timers: Event[] = []
  readonly #turns: Event[] = []
  readonly #random: Random

  constructor(seed: number) {
    this.#random = new Random(seed)
  }

  get elapsedMs(): number {
    return this.#elapsedMs
  }

  /** The process whose event runs. */
  get owner(): SimulatedProcess | undefined {
    return this.#owner
  }

  now(): number {
    return Math.floor(START + this.#elapsedMs + this.#offsetMs)
  }

  /** Sets the wall clock forward or back; timers do not notice. */
  jump(milliseconds: number): void {
    this.#offsetMs += milliseconds
  }

  /** Calls the action as an event of a process; returns a function that cancels it. */
  schedule(owner: SimulatedProcess | undefined, delayMs: number, run: () => void): () => void {
    return this.#add(this.#timers, owner, delayMs, run)
  }

  /** Resolves in an event of the world. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.schedule(undefined, delayMs, resolve))
  }

  /** A process starts: what it schedules now belongs to it. */
  as<Result>(owner: SimulatedProcess, start: () => Result): Result {
    const before = this.#owner
    this.#owner = owner
    try {
      return start()
    } finally {
      this.#owner = before
    }
  }

  /** Runs events until the promise settles. Rejects if nothing can happen before that. */
  async runUntil<Result>(promise: Promise<Result>): Promise<Result> {
    let isSettled = false
    const settled = promise.finally(() => {
      isSettled = true
    })
    settled.catch(() => {})
    await turn()
    let idleTurns = 0
    while (!isSettled) {
      if (this.#draining) await this.#draining
      else if (await this.#runNext()) idleTurns = 0
      else if (idleTurns++ < MAX_IDLE_TURNS) await turn()
      else throw new Error('nothing can happen any longer: the simulation hangs')
      this.#events += 1
      if (this.#events > MAX_EVENTS) throw new Error('the simulation does not end')
    }
    return settled
  }

  /**
   * Ends a process that was cut off: runs its turns and its next timers until none is left, and discards the others.
   * State that all servers of this real process share, such as turns of work, is free afterwards.
   */
  async drain(owner: SimulatedProcess): Promise<void> {
    this.#draining = this.#drain(owner)
    await this.#draining
    this.#draining = undefined
  }

  async #drain(owner: SimulatedProcess): Promise<void> {
    await turn()
    for (let count = 0; count < MAX_DRAINED; count++) {
      const next = this.#takeOf(owner)
      if (!next) break
      await this.#run(next)
    }
    for (const events of [this.#timers, this.#turns])
      for (const event of events.filter((each) => each.owner === owner)) remove(events, event)
    owner.isDead = true
  }

  /** Replaces the globals of this process; returns a function that restores them. */
  install(): () => void {
    const restores = [
      replace(Date, 'now', () => this.now()),
      replace(performance, 'now', () => this.#readMonotonic()),
      replace(globalThis, 'setTimeout', (run: () => void, delayMs = 0) =>
        timerOf(this.#add(this.#timers, this.#owner, delayMs, run)),
      ),
      replace(globalThis, 'setInterval', (run: () => void, delayMs = 0) =>
        timerOf(this.#add(this.#timers, this.#owner, delayMs, run, delayMs)),
      ),
      replace(globalThis, 'setImmediate', (run: () => void) =>
        timerOf(this.#add(this.#turns, this.#owner, 0, run)),
      ),
      ...(['clearTimeout', 'clearInterval', 'clearImmediate'] as const).map((name) =>
        replace(globalThis, name, (timer?: SimulatedTimer) => timer?.close()),
      ),
      replace(crypto, 'randomUUID', () => this.#uuid()),
      replace(crypto, 'getRandomValues', (bytes: Uint8Array) => {
        for (let at = 0; at < bytes.length; at++) bytes[at] = this.#random.below(256)
        return bytes
      }),
    ]
    return () => {
      for (const restore of restores) restore()
    }
  }

  #uuid(): string {
    const digits = Array.from({ length: 32 }, () => this.#random.below(16).toString(16))
    digits[12] = '4'
    digits[16] = '8'
    const text = digits.join('')
    return [8, 12, 16, 20, 32].map((end, at) => text.slice([0, 8, 12, 16, 20][at], end)).join('-')
  }

  #readMonotonic(): number {
    if (this.#isSlow) this.#elapsedMs += SLOW_MS
    return this.#elapsedMs
  }

  #add(
    events: Event[],
    owner: SimulatedProcess | undefined,
    delayMs: number,
    run: () => void,
    everyMs?: number,
  ): () => void {
    if (owner?.isDead) return () => {}
    this.#order += 1
    const at = this.#elapsedMs + Math.max(0, delayMs)
    const event = { at, order: this.#order, owner, run, everyMs, isCancelled: false }
    insert(events, event)
    return () => {
      event.isCancelled = true
      remove(events, event)
    }
  }

  #takeOf(owner: SimulatedProcess): Event | undefined {
    const isNext = (event: Event) =>
      event.owner === owner && event.everyMs === undefined && event.at <= this.#elapsedMs + DRAINED_MS
    const event = this.#turns.find(isNext) ?? this.#timers.find(isNext)
    if (event) for (const events of [this.#turns, this.#timers]) remove(events, event)
    return event
  }

  async #runNext(): Promise<boolean> {
    const [firstTurn] = this.#turns
    const [timer] = this.#timers
    const isTimerDue = timer !== undefined && timer.at <= this.#elapsedMs
    if (firstTurn && !(isTimerDue && this.#random.chance(0.5))) {
      this.#turns.shift()
      this.#idleEvents = 0
      this.#elapsedMs += this.#random.next() * 0.2
      await this.#run(firstTurn)
      return true
    }
    const next = this.#takeTimer()
    if (!next || this.#idleEvents > MAX_IDLE_EVENTS) return false
    this.#idleEvents = next.everyMs === undefined ? 0 : this.#idleEvents + 1
    this.#elapsedMs = Math.max(this.#elapsedMs, next.at)
    await this.#run(next)
    if (next.everyMs !== undefined && !next.isCancelled && next.owner?.isDead !== true) {
      next.at = this.#elapsedMs + next.everyMs
      insert(this.#timers, next)
    }
    return true
  }

  /** Repeated events that would run many times in a lull run once, at its end. */
  #takeTimer(): Event | undefined {
    const single = this.#timers.find(({ everyMs }) => everyMs === undefined)
    for (let next = this.#timers.shift(); next; next = this.#timers.shift()) {
      const isLull = single !== undefined && single.at - Math.max(next.at, this.#elapsedMs) > LULL_MS
      if (next.everyMs === undefined || !isLull) return next
      next.at = single.at - 1
      insert(this.#timers, next)
    }
    return undefined
  }

  async #run({ owner, run }: Event): Promise<void> {
    this.#owner = owner
    this.#isSlow = this.#random.chance(SLOW_EVENTS)
    run()
    await turn()
    this.#owner = undefined
  }
}

function insert(events: Event[], event: Event): void {
  const at = events.findLastIndex((other) => other.at <= event.at)
  events.splice(at + 1, 0, event)
}

function remove(events: Event[], event: Event): void {
  const at = events.indexOf(event)
  if (at !== -1) events.splice(at, 1)
}

/** The result of `setTimeout`. */
interface SimulatedTimer {
  close(): void
  ref(): SimulatedTimer
  unref(): SimulatedTimer
}

function timerOf(close: () => void): SimulatedTimer {
  const timer = { close, ref: () => timer, unref: () => timer }
  return timer
}

/** Replaces a property; returns a function that restores it. */
function replace<Target extends object>(target: Target, name: string, value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { value, configurable: true, writable: true })
  return () => {
    if (own) Object.defineProperty(target, name, own)
    else Reflect.deleteProperty(target, name)
  }
}
