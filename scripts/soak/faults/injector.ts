import type { Random } from '../../lib/random.ts'
import type { ClientOptions } from '../client.ts'
import { FAILING, HEALTHY } from '../receiver.ts'
import type { Program } from '../server.ts'
import type { Subscription } from '../subscriptions.ts'
import type { FakeClock } from './clock.ts'
import type { Disk } from './disk.ts'
import type { Pacing } from './windows.ts'

export interface FaultInjectorOptions extends ClientOptions {
  readonly random: Random
  readonly pacing: Pacing
  readonly program: Program
  readonly clock: FakeClock | undefined
  readonly disk: Disk | undefined
  readonly subscriptions: readonly Subscription[]
}

const DISK_FULL_MS = 3_000

/** Injects one fault after another. */
export class FaultInjector {
  readonly #options: FaultInjectorOptions
  #remaining: (() => Promise<void>)[] = []

  constructor(options: FaultInjectorOptions) {
    this.#options = options
  }

  /** Injects the next server fault: in random order, each once per round. */
  async disturbServer(): Promise<void> {
    const { random } = this.#options
    if (this.#remaining.length === 0) this.#remaining = this.#newRound()
    const [fault] = this.#remaining.splice(random.below(this.#remaining.length), 1)
    await Bun.sleep(random.between(500, 6_000))
    await fault?.call(this)
  }

  #newRound(): (() => Promise<void>)[] {
    const { clock, disk } = this.#options
    return [
      ...[this.#kill, this.#kill, this.#stop],
      ...(clock ? [this.#changeClock, this.#changeClock] : []),
      ...(disk ? [this.#fillDisk] : []),
    ]
  }

  /** Injects the fault in the middle of a burst. */
  async #inject(name: string, action: () => Promise<void>): Promise<void> {
    const { faultWindows, statistics, pacing, random } = this.#options
    const endBurst = pacing.burst()
    await Bun.sleep(random.between(100, 400))
    statistics.fault(name)
    const over = faultWindows.begin()
    await action().finally(over)
    endBurst()
  }

  #kill(): Promise<void> {
    const { server, random } = this.#options
    return this.#inject('the server is killed', async () => {
      await server.kill()
      await Bun.sleep(random.below(500))
      await server.start()
    })
  }

  #stop(): Promise<void> {
    const { server } = this.#options
    return this.#inject('the server is stopped', async () => {
      await server.stop()
      await server.start()
    })
  }

  #fillDisk(): Promise<void> {
    const { disk, program } = this.#options
    return this.#inject('the disk is full', async () => {
      await disk?.fill(program.db)
      await Bun.sleep(DISK_FULL_MS)
      disk?.clear()
    })
  }

  async #changeClock(): Promise<void> {
    const { clock, random, statistics } = this.#options
    statistics.fault('the clock is changed')
    clock?.jump(random)
  }

  /** Makes one receiver fail for a while. */
  async disturbReceiver(): Promise<void> {
    const { random, subscriptions, statistics } = this.#options
    const { receiver } = random.pick(subscriptions)
    const behavior = random.pick(FAILING)
    await Bun.sleep(random.between(500, 6_000))
    statistics.fault(`a receiver ${behavior.name}`)
    receiver.behave(behavior)
    await Bun.sleep(random.between(1_000, 6_000))
    receiver.behave(HEALTHY)
  }
}
