import { FairQueue } from './fair-queue.ts'

/** The limits of a resource. Lines are served round-robin, and so are the keys within a line. */
export interface WaitingPlace<Line extends string> {
  readonly line: Line
  readonly key: string
}

export interface AdmissionOptions {
  /** How many pieces of work run at the same time. */
  readonly running: number
  /** How many may queue in each line, and for each key. */
  readonly waitingPerLine: number
  readonly waitingPerKey: number
  /** The refusal of work that finds the queue full. */
  readonly refusal: () => Error
}

/**
 * Bounds how much work runs and queues at a time. A caller that floods its line, or a line flooded by many callers,
 * takes no capacity from the others.
 */
export class Admission<Line extends string> {
  readonly #options: AdmissionOptions
  /** Only lines with queued work; the first is served next. */
  readonly #lines = new Map<Line, FairQueue<() => void>>()
  #running = 0

  constructor(options: AdmissionOptions) {
    this.#options = options
  }

  async run<Result>(place: WaitingPlace<Line>, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#options.running) this.#running += 1
    else await this.#wait(place)
    try {
      return await work()
    } finally {
      this.#admitNext()
    }
  }

  #wait({ line, key }: WaitingPlace<Line>): Promise<void> {
    const { waitingPerLine, waitingPerKey, refusal } = this.#options
    const queue = this.#lines.get(line) ?? new FairQueue()
    if (queue.size >= waitingPerLine || queue.sizeOf(key) >= waitingPerKey) throw refusal()
    this.#lines.set(line, queue)
    return new Promise((resolve) => queue.add(key, resolve))
  }

  /** Passes the slot of finished work to the next in the queue. */
  #admitNext(): void {
    for (const [line, queue] of this.#lines) {
      const admit = queue.take()
      this.#lines.delete(line)
      if (!queue.isEmpty) this.#lines.set(line, queue)
      admit?.()
      return
    }
    this.#running -= 1
  }
}
