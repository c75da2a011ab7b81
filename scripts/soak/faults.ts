import type { Random } from '../random.ts'
import type { ApiOptions } from './api.ts'
import type { SetClock } from './clock.ts'
import type { Disk } from './disk.ts'
import { BAD_MOODS, GOOD } from './moods.ts'
import type { Pace } from './pace.ts'
import type { Program } from './program.ts'
import type { Subscription } from './subscriptions.ts'

export interface FaultOptions extends ApiOptions {
  readonly random: Random
  readonly pace: Pace
  readonly program: Program
  readonly clock: SetClock | undefined
  readonly disk: Disk | undefined
  readonly subscriptions: readonly Subscription[]
}

const FULL_MS = 3_000

/** Throws faults in, one after the other. */
export class Faults {
  readonly #options: FaultOptions
  #deck: (() => Promise<void>)[] = []

  constructor(options: FaultOptions) {
    this.#options = options
  }

  /** What happens to the server, one after the other: all of it in every round. */
  async strikeServer(): Promise<void> {
    const { random } = this.#options
    if (this.#deck.length === 0) this.#deck = this.#newDeck()
    const [fault] = this.#deck.splice(random.below(this.#deck.length), 1)
    await Bun.sleep(random.between(500, 6_000))
    await fault?.call(this)
  }

  #newDeck(): (() => Promise<void>)[] {
    const { clock, disk } = this.#options
    return [
      ...[this.#kill, this.#kill, this.#stop],
      ...(clock ? [this.#setClock, this.#setClock] : []),
      ...(disk ? [this.#fillDisk] : []),
    ]
  }

  /** The fault comes into the midst of a hurry. */
  async #disturb(name: string, action: () => Promise<void>): Promise<void> {
    const { disturbances, tally, pace, random } = this.#options
    const endHurry = pace.hurry()
    await Bun.sleep(random.between(100, 400))
    tally.fault(name)
    const over = disturbances.begin()
    await action().finally(over)
    endHurry()
  }

  #kill(): Promise<void> {
    const { server, random } = this.#options
    return this.#disturb('the server is killed', async () => {
      await server.kill()
      await Bun.sleep(random.below(500))
      await server.start()
    })
  }

  #stop(): Promise<void> {
    const { server } = this.#options
    return this.#disturb('the server is stopped', async () => {
      await server.stop()
      await server.start()
    })
  }

  #fillDisk(): Promise<void> {
    const { disk, program } = this.#options
    return this.#disturb('the disk is full', async () => {
      await disk?.fill(program.db)
      await Bun.sleep(FULL_MS)
      disk?.clear()
    })
  }

  async #setClock(): Promise<void> {
    const { clock, random, tally } = this.#options
    tally.fault('the clock is set')
    clock?.jump(random)
  }

  /** One receiver is in a bad mood for a while. */
  async upsetReceiver(): Promise<void> {
    const { random, subscriptions, tally } = this.#options
    const { inbox } = random.pick(subscriptions)
    const mood = random.pick(BAD_MOODS)
    await Bun.sleep(random.between(500, 6_000))
    tally.fault(`a receiver ${mood.name}`)
    inbox.feel(mood)
    await Bun.sleep(random.between(1_000, 6_000))
    inbox.feel(GOOD)
  }
}
