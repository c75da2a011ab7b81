import { type Reply, type Sent, Violation, type World } from './world.ts'

/*
 * The ledger of one run: what the service has acknowledged. One actor at a time changes an object, so its state is
 * known after each response. A change without a response is read back: all of it happened, or nothing.
 */

type Data = Readonly<Record<string, unknown>>

export interface Entry {
  readonly kind: 'note' | 'record'
  /** The title of a note or the key of a row; never used again. */
  readonly name: string
  id: string
  /** Undefined before the creation. */
  data: Data | undefined
  isDeleted: boolean
  /** When it was deleted last, by the wall clock. */
  deletedAt: number
  /** The `updated_at` that was read last. */
  version: string | undefined
  isBusy: boolean
  /** The number of writes so far, including those in progress. */
  writes: number
}

/** The effect of a request on one object. */
export interface Effect {
  readonly entry: Entry
  readonly data: Data
  readonly isDeleted: boolean
}

interface Found {
  readonly data: Data
  readonly version: string
}

const RETRY_MS = 200

export class Ledger {
  readonly entries: Entry[] = []
  /** The most rows that may exist already and are not in the ledger yet. */
  unlisted = 0
  #names = 0
  #keys = 0

  constructor(private readonly world: World) {}

  newEntry(kind: Entry['kind'], prefix: string = kind): Entry {
    this.#names += 1
    const name = `${prefix}${this.#names}`
    return {
      kind,
      name,
      id: '',
      data: undefined,
      isDeleted: false,
      deletedAt: 0,
      version: undefined,
      isBusy: false,
      writes: 0,
    }
  }

  /** Objects that no request changes at the moment. */
  quiet(kind: Entry['kind'], isDeleted = false): Entry[] {
    return this.entries.filter((one) => one.kind === kind && one.isDeleted === isDeleted && !one.isBusy)
  }

  live(kind: Entry['kind']): Entry[] {
    return this.entries.filter((one) => one.kind === kind && !one.isDeleted)
  }

  newIdempotencyKey(): string {
    this.#keys += 1
    return `key ${this.#keys}`
  }

  /** Begins a write of an object that no other request changes. */
  reserve(entry: Entry): void {
    entry.isBusy = true
    entry.writes += 1
  }

  /** The objects of a kind that no request changes at the moment, with their numbers of writes. */
  still(kind: Entry['kind']): ReadonlyMap<Entry, number> {
    const still = this.entries.filter((one) => one.kind === kind && !one.isBusy)
    return new Map(still.map((one) => [one, one.writes]))
  }

  /**
   * Sends a write with these effects. `isRepeated` sends it again with the same Idempotency-Key until a response
   * arrives. Returns the response; undefined if there was none, and the effects were read back.
   */
  async write(sent: Sent, effects: readonly Effect[], isRepeated: boolean): Promise<Reply | undefined> {
    for (const { entry } of effects) {
      if (entry.isBusy) throw new Error(`${entry.name} is busy`)
      this.reserve(entry)
      if (!this.entries.includes(entry)) this.entries.push(entry)
    }
    try {
      const reply = isRepeated
        ? await this.world.callUntilAnswered(sent, this.newIdempotencyKey())
        : await this.world.call(sent)
      if (!reply || reply.status === 503) await this.#readBack(effects)
      else if (reply.status >= 300)
        throw new Violation(`${sent.method} ${sent.path} is refused: ${JSON.stringify(reply.body)}`)
      else for (const effect of effects) this.#note(effect, idIn(reply, effect.entry))
      return reply
    } finally {
      for (const { entry } of effects) entry.isBusy = false
    }
  }

  /** Adds an object that was found instead of acknowledged. */
  adopt(entry: Entry, id: string, data: Data): void {
    this.entries.push(entry)
    this.#note({ entry, data, isDeleted: false }, id)
  }

  /** Compares an object with its entry. */
  async check(entry: Entry): Promise<void> {
    entry.isBusy = true
    try {
      const reply = await this.world.call(readOf(entry))
      if (reply && reply.status !== 503) this.#compare(entry, foundIn(entry, reply))
    } finally {
      entry.isBusy = false
    }
  }

  #compare(entry: Entry, found: Found | undefined): void {
    const expected = entry.isDeleted ? undefined : entry.data
    if (!Bun.deepEquals(found?.data, expected))
      throw new Violation(
        `${entry.kind} ${entry.name} is ${JSON.stringify(found?.data)}, not ${JSON.stringify(expected)}`,
      )
    entry.version = found?.version
  }

  #note({ entry, data, isDeleted }: Effect, id: string): void {
    entry.id = id
    entry.data = data
    entry.isDeleted = isDeleted
    if (isDeleted) entry.deletedAt = this.world.platform.now()
    entry.version = undefined
  }

  /** Notes a change that arrived over another server; unless that is certain, finds out whether it happened. */
  async settle(effect: Effect, isCertain: boolean): Promise<void> {
    const { entry } = effect
    if (isCertain) this.#note(effect, entry.id)
    else await this.#readBack([effect])
    if (entry.data !== undefined && !this.entries.includes(entry)) this.entries.push(entry)
    entry.isBusy = false
  }

  /** Finds out whether a write without a response happened. */
  async #readBack(effects: readonly Effect[]): Promise<void> {
    const happened: boolean[] = []
    for (const { entry, data, isDeleted } of effects) {
      const found = foundIn(entry, await this.#read(entry))
      const state = found?.data
      if (Bun.deepEquals(state, isDeleted ? undefined : data)) happened.push(true)
      else {
        this.#compare(entry, found)
        happened.push(false)
      }
    }
    if (new Set(happened).size > 1)
      throw new Violation(
        `a write of ${effects.map(({ entry }) => entry.name)} happened in part: ${happened}`,
      )
    if (happened[0]) for (const effect of effects) this.#note(effect, effect.entry.id)
  }

  /** Reads once the disk of the server responds: what it has not synced yet is not visible. */
  async #read(entry: Entry): Promise<Reply> {
    for (;;) {
      const health = await this.world.call({ method: 'GET', path: '/healthz', key: null })
      if (health?.status === 200) return this.world.callUntilAnswered(readOf(entry))
      await this.world.platform.sleep(RETRY_MS)
    }
  }
}

export const readOf = ({ kind, id }: Entry): Sent => ({
  method: 'GET',
  path: kind === 'note' ? `/v1/notes/${id}` : `/v1/records/${id}`,
})

export function foundIn(entry: Entry, { status, body }: Reply): Found | undefined {
  if (status === 404) return undefined
  if (status !== 200) throw new Violation(`${entry.name} cannot be read: ${status} ${JSON.stringify(body)}`)
  if (entry.kind === 'record') return { data: body.record.data, version: body.record.updated_at }
  const { title, content, tags, updated_at } = body.note
  return { data: { title, content, tags: tags.toSorted() }, version: updated_at }
}

/** The id of an object in the response to its creation. */
function idIn({ body }: Reply, { id, kind, name }: Entry): string {
  if (id !== '') return id
  if (kind === 'note') return body.note.id
  const records = body.records ?? [body.record]
  return records.find(({ data }: { data: Data }) => data.key === name)?.id ?? ''
}
