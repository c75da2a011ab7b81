import type { Random } from '../../scripts/lib/random.ts'
import { type FeedChange, Replica } from '../support/changes.ts'
import { hmac } from '../support/sources.ts'
import type { RowEvent } from './events.ts'
import type { Entry, Ledger } from './ledger.ts'
import { type Reply, type Sent, Violation, type World } from './world.ts'
import { post, TABLE } from './writers.ts'

/* A follower of the change feed, a source, and a program that pulls events. */

const SECRET = 'a secret'
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Changes and events may expire for readers that were away longer. */
const FEED_KEPT_MS = 29 * DAY_MS

/** A confirmed event of the source. */
interface SentEvent {
  readonly entry: Entry
  readonly sent: Sent
  readonly at: number
  readonly id: string
  /** The id of its row. */
  readonly row: string
}

export class Programs {
  readonly replica = new Replica()
  /** Moments that rows of the table `Moments` fall due, by key. */
  readonly moments = new Map<string, number>()
  /** The changes that the follower has read. */
  readonly changes: FeedChange[] = []
  /** Whether changes expired that the follower has not read. */
  missesChanges = false
  /** The pulled events that were acknowledged. */
  readonly pulled: RowEvent[] = []
  readonly webhooks: Record<string, string> = {}
  /** The id of the table of tasks. */
  table = ''
  /** The ids of the pulled events by number. */
  readonly #seen = new Map<number, string>()
  #followedAt = Number.NEGATIVE_INFINITY
  readonly #sent: SentEvent[] = []
  #isFollowing = false
  #isPulling = false
  readonly #startedAt: number
  #source = ''
  #count = 0

  constructor(
    private readonly world: World,
    private readonly ledger: Ledger,
  ) {
    this.#startedAt = world.platform.now()
  }

  /** Declares the tables and subscriptions of the run. */
  async prepare(): Promise<void> {
    const fields = [
      { key: 'key', type: 'text', unique: true },
      { key: 'n', type: 'number' },
      { key: 'lane', type: 'text' },
      { key: 'text', type: 'text' },
    ]
    this.table = (await this.#must(post('/v1/records/structures', { name: TABLE, fields }))).structure.id
    const moments = [
      { key: 'key', type: 'text', unique: true },
      { key: 'comes', type: 'datetime' },
    ]
    await this.#must(post('/v1/records/structures', { name: 'Moments', fields: moments }))
    const url = (path: string) => ({ url: `https://hooks.example.com/${path}` })
    const subscriptions = {
      plain: { structure: TABLE, ...url('plain') },
      ordered: { structure: TABLE, ...url('ordered'), ordered: true },
      due: { structure: 'Moments', ...url('due'), events: ['record.due'], due: { field: 'comes' } },
      pulled: { structure: TABLE, delivery: 'pull', ordered: true },
    }
    for (const [name, body] of Object.entries(subscriptions))
      this.webhooks[name] = (await this.#must(post('/v1/webhooks', body))).webhook.id
    const source = await this.#must(
      post('/v1/sources', {
        name: 'Pushes',
        structure: TABLE,
        provider: 'github',
        secret: SECRET,
        map: { key: '/key', n: '/n' },
      }),
    )
    this.#source = new URL(source.source.url).pathname
    while (this.replica.cursor === undefined) await this.#copy()
  }

  /** Reads the next pages of the change feed into a copy of the workspace. */
  async follow(random: Random): Promise<void> {
    if (this.#isFollowing) return
    this.#isFollowing = true
    try {
      const hasMore = await this.#followOnce(1 + random.below(40))
      if (hasMore && random.chance(0.7)) await this.#followOnce(100)
    } finally {
      this.#isFollowing = false
    }
  }

  async followToEnd(): Promise<void> {
    while (await this.#followOnce(500));
  }

  async #followOnce(limit: number): Promise<boolean> {
    const { replica, world } = this
    const path = `/v1/changes?include=objects&limit=${limit}&after=${replica.cursor}`
    const reply = await world.call({ method: 'GET', path })
    if (!reply || reply.status === 503) return true
    if (reply.status === 410 && world.platform.now() - this.#followedAt > FEED_KEPT_MS) {
      this.missesChanges = true
      return this.#copy()
    }
    if (reply.status !== 200) throw new Violation(`the feed ends: ${JSON.stringify(reply.body)}`)
    replica.apply(reply.body.changes)
    this.changes.push(...reply.body.changes)
    replica.cursor = reply.body.cursor
    if (!reply.body.has_more) this.#followedAt = world.platform.now()
    return reply.body.has_more
  }

  async #copy(): Promise<boolean> {
    const reply = await this.world.call({ method: 'GET', path: '/v1/changes/snapshot' })
    if (reply?.status !== 200) return true
    this.replica.readSnapshot(reply.body)
    this.#followedAt = this.world.platform.now()
    return true
  }

  /** An external service sends an event until it is confirmed, sometimes again at once, and sometimes later. */
  async sendEvent(random: Random): Promise<void> {
    const earlier = this.#sent.filter(
      ({ entry, at }) => !entry.isBusy && this.world.platform.now() - at < FEED_KEPT_MS,
    )
    if (earlier.length > 0 && random.chance(0.3)) return this.#repeatEvent(random.pick(earlier))
    const entry = this.ledger.newEntry('record', 'event')
    const data = { key: entry.name, n: 1 }
    const body = JSON.stringify(data)
    const headers = {
      'x-hub-signature-256': `sha256=${hmac(SECRET, body)}`,
      'x-github-delivery': entry.name,
      'x-github-event': 'push',
    }
    this.ledger.reserve(entry)
    this.ledger.entries.push(entry)
    const sent = { method: 'POST', path: this.#source, body, headers, key: null } as const
    const at = this.world.platform.now()
    const { event_id: id, record_id: row } = await this.#confirmed(sent)
    const event = { entry, sent, at, id, row }
    this.#sent.push(event)
    if (random.chance(0.2)) await this.#repeat(event)
    const filter = JSON.stringify([{ field: 'key', op: 'eq', value: entry.name }])
    const path = `/v1/records?${new URLSearchParams({ structure: TABLE, filter })}`
    const { body: found } = await this.world.callUntilAnswered({ method: 'GET', path })
    if (found.records.length !== 1 || found.total !== 1)
      throw new Violation(`an event became ${found.records.length} rows, counted ${found.total}`)
    Object.assign(entry, { id: found.records[0].id, data: found.records[0].data, isBusy: false })
  }

  /** Sends an event again whose row may have changed since. */
  async #repeatEvent(event: SentEvent): Promise<void> {
    const { entry } = event
    entry.isBusy = true
    await this.#repeat(event)
    entry.isBusy = false
  }

  /** A repeated event is a duplicate, and writes nothing. */
  async #repeat({ sent, id, row }: SentEvent): Promise<void> {
    const { status, event_id, record_id } = await this.#confirmed(sent)
    if (status !== 'duplicate' || event_id !== id || record_id !== row)
      throw new Violation(`a repeated event of the row ${row} is answered ${status}, with ${record_id}`)
  }

  async #confirmed(sent: Sent): Promise<Reply['body']> {
    const { status, body } = await this.world.callUntilAnswered(sent)
    if (status >= 300) throw new Violation(`an event is answered ${status}: ${JSON.stringify(body)}`)
    return body
  }

  /** A row that falls due later, and is never changed. */
  async planMoment(random: Random): Promise<void> {
    this.#count += 1
    const key = `moment${this.#count}`
    const at = this.world.platform.now() + (random.chance(0.5) ? 2 : 600) * MINUTE_MS * (0.1 + random.next())
    const comes = new Date(Math.floor(at)).toISOString()
    const body = { structure: 'Moments', data: { key, comes } }
    const reply = await this.world.callUntilAnswered(
      post('/v1/records', body),
      this.ledger.newIdempotencyKey(),
    )
    if (reply.status !== 201) throw new Violation(`a row is refused: ${JSON.stringify(reply.body)}`)
    const { record, records = [record] } = reply.body
    if (Date.parse(records[0].created_at) < Date.parse(comes)) this.moments.set(key, Date.parse(comes))
  }

  /** Reads the next events of a pull subscription and acknowledges some. */
  async pull(random: Random): Promise<void> {
    if (this.#isPulling) return
    this.#isPulling = true
    try {
      await this.#pullOnce((length) => 1 + random.below(length))
    } finally {
      this.#isPulling = false
    }
  }

  async pullToEnd(): Promise<void> {
    while (await this.#pullOnce((length) => length));
  }

  /** Reads the next events and acknowledges that many; returns whether there may be more. */
  async #pullOnce(acknowledged: (length: number) => number): Promise<boolean> {
    const path = `/v1/webhooks/${this.webhooks.pulled}/events`
    const reply = await this.world.call({ method: 'GET', path: `${path}?limit=20` })
    if (reply?.status !== 200) return true
    const events: { readonly cursor: string; readonly payload: RowEvent }[] = reply.body.events
    if (events.length === 0) return false
    const payloads = events.map(({ payload }) => payload)
    this.#checkNumbers(payloads)
    const count = acknowledged(events.length)
    await this.world.callUntilAnswered(post(`${path}/ack`, { cursor: events[count - 1]?.cursor }))
    this.pulled.push(...payloads.slice(0, count))
    return true
  }

  /** Events are numbered without gaps from the first that was not acknowledged, and keep their numbers. */
  #checkNumbers(events: readonly RowEvent[]): void {
    const last = this.pulled.at(-1)
    const lastAt = last ? Date.parse(last.occurred_at) : this.#startedAt
    const hasDropped = this.world.platform.now() - lastAt > FEED_KEPT_MS
    const numbers = events.map(({ sequence = 0 }) => sequence)
    const next = (last?.sequence ?? 0) + 1
    const first = hasDropped ? Math.max(next, numbers[0] ?? 0) : next
    const wanted = numbers.map((_, index) => first + index)
    if (!Bun.deepEquals(numbers, wanted))
      throw new Violation(`the events ${numbers} are pulled, not ${wanted}`)
    for (const { id, sequence = 0 } of events) {
      const known = this.#seen.get(sequence) ?? id
      if (known !== id) throw new Violation(`the pulled event ${sequence} is ${id}, and was ${known}`)
      this.#seen.set(sequence, id)
    }
  }

  async #must(sent: Sent): Promise<Reply['body']> {
    const { status, body } = await this.world.callUntilAnswered(sent, this.ledger.newIdempotencyKey())
    if (status !== 201) throw new Error(`${sent.path} is refused: ${JSON.stringify(body)}`)
    return body
  }
}
