import { FairQueue } from './fair-queue.ts'

/** Where work waits. Lines take turns with each other, and so do the keys of a line. */
export interface WaitingPlace<Line extends string> {
  readonly line: Line
  readonly key: string
}

export interface AdmissionOptions {
  /** How much work runs at the same time. */
  readonly running: number
  /** How much may wait in each line, and for each key. */
  readonly waitingPerLine: number
  readonly waitingPerKey: number
  /** The refusal of work for which no place is left. */
  readonly refusal: () => Error
}

/**
 * Bounds how much work runs at a time and how much waits. A caller that floods its line with requests, or a line that is
 * flooded by many callers, takes no place from the others.
 */
export class Admission<Line extends string> {
  readonly #options: AdmissionOptions
  /** Only lines in which work waits; the next one to be served is the first. */
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

  /** Hands the place of finished work to the next that waits. */
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
