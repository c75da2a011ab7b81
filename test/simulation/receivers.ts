import type { AttemptOutcome, AttemptRequest } from '../../src/events/delivery/client/sender.ts'
import type { SimulatedProcess } from './platform.ts'
import type { World } from './world.ts'

/** A delivery as its receiver saw it. */
export interface Receipt {
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: a payload is checked by what an oracle expects of it
  readonly payload: any
}

const TIMEOUT_MS = 10_000
/** No event fails for good: the next attempt after these succeeds. */
const MOST_FAILING = 3
const lost = (error: string): AttemptOutcome => ({ status: null, error })

/**
 * The receivers of webhooks, behind a network that loses requests and responses. They answer some deliveries with an
 * error, and some too late.
 */
export class Receivers {
  readonly receipts: Receipt[] = []
  /** Whether every delivery arrives and is confirmed. */
  areWell = false
  /** The number of attempts at each event of a subscription. */
  readonly #attempts = new Map<string, number>()

  constructor(private readonly world: World) {}

  receive(process: SimulatedProcess, { url, body }: AttemptRequest): Promise<AttemptOutcome> {
    const { platform, random } = this.world
    const fate = this.areWell || this.#count(url, body) > MOST_FAILING ? 1 : random.next()
    const { promise, resolve } = Promise.withResolvers<AttemptOutcome>()
    const respond = (delayMs: number, outcome: AttemptOutcome) =>
      platform.schedule(process, delayMs, () => resolve(outcome))
    if (fate < 0.05) respond(5, lost('The connection was refused.'))
    else
      platform.schedule(process, random.next() * 20, () => {
        if (process.isCut) return
        if (fate < 0.12) return respond(0, { status: 500, error: 'The receiver answered 500.' })
        const { pathname } = new URL(url)
        const text = textOf(body)
        this.receipts.push({ path: pathname, payload: JSON.parse(text) })
        this.world.note(`${pathname} receives ${text}`)
        if (fate < 0.17) respond(3, lost('The connection was closed.'))
        else if (fate < 0.19) respond(TIMEOUT_MS, lost('The response took longer than 10 seconds.'))
        else respond(random.next() * 20, { status: 200, error: null })
      })
    return promise
  }
  #count(url: string, body: AttemptRequest['body']): number {
    const event = `${url} ${JSON.parse(textOf(body)).id}`
    const count = (this.#attempts.get(event) ?? 0) + 1
    this.#attempts.set(event, count)
    return count
  }
}

const textOf = (body: AttemptRequest['body']): string =>
  typeof body === 'string' ? body : Buffer.from(body).toString()
