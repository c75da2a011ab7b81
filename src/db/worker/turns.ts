import { FairQueue } from '../../lib/fair-queue.ts'
import { currentRequester } from '../writes/requester.ts'

/** Runs actions one at a time, in turn between requesters. */
export class Turns {
  readonly #waiting = new FairQueue<PromiseWithResolvers<void>>()
  #running: Promise<unknown> | undefined

  /** Settles when the action that runs has ended. */
  get running(): Promise<unknown> | undefined {
    return this.#running
  }

  async run<T>(action: () => Promise<T>): Promise<T> {
    if (this.#running) await this.#turn()
    const running = action()
    this.#running = running.catch(() => {})
    return running.finally(() => this.#handOver())
  }

  /** Rejects those that wait. */
  refuse(error: unknown): void {
    for (const { reject } of this.#waiting.clear()) reject(error)
  }

  #turn(): Promise<void> {
    const turn = Promise.withResolvers<void>()
    this.#waiting.add(currentRequester(), turn)
    return turn.promise
  }

  #handOver(): void {
    const next = this.#waiting.take()
    if (next) next.resolve()
    else this.#running = undefined
  }
}
