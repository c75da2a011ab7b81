import type { Random } from '../../scripts/lib/random.ts'
import type { Effect, Entry, Ledger } from './ledger.ts'
import { type Reply, type Sent, Violation, type World } from './world.ts'

/* People, keys and programs that write notes and rows. Each step is one or a few requests. */

export const TABLE = 'Tasks'
const LANES = ['red', 'green', 'blue']
const WORDS = ['harbour', 'lantern', 'meadow', 'Ångström', '文書', 'ﬁnch', 'quartz']
const TAGS = ['work', 'home', 'tea']
/** Notes are purged a day later. */
const KEPT_IN_TRASH_MS = 29 * 86_400_000
/** Long enough for the write thread of the simulated server. */
const LONG_TEXT = 'x'.repeat(5_000)

export class Writers {
  #values = 0

  constructor(
    private readonly world: World,
    private readonly ledger: Ledger,
  ) {}

  async createNote(random: Random): Promise<void> {
    const entry = this.ledger.newEntry('note')
    const data = this.newData(random, entry)
    await this.#write(post('/v1/notes', data), [{ entry, data, isDeleted: false }], true)
  }

  async changeNote(random: Random): Promise<void> {
    const entry = this.#pick(random, this.ledger.quiet('note'))
    if (!entry) return
    const sent = { content: this.#text(random) }
    await this.#change(random, entry, { ...entry.data, ...sent }, `/v1/notes/${entry.id}`, sent)
  }

  async createRows(random: Random): Promise<void> {
    const entries = Array.from({ length: this.#batchLength(random) }, () => this.ledger.newEntry('record'))
    const effects = entries.map((entry) => ({ entry, data: this.newData(random, entry), isDeleted: false }))
    const rows = effects.map(({ data }) => ({ data }))
    await this.#write(post('/v1/records', { structure: TABLE, rows }), effects, true)
  }

  /** A batch that updates some rows and creates others. */
  async upsertRows(random: Random): Promise<void> {
    const known = this.ledger.quiet('record').filter(() => random.chance(0.3))
    const entries = [...known.slice(0, this.#batchLength(random)), this.ledger.newEntry('record')]
    const effects = entries.map((entry) => ({ entry, data: this.newData(random, entry), isDeleted: false }))
    const rows = effects.map(({ data }) => ({ data }))
    await this.#write(
      post('/v1/records', { structure: TABLE, rows, on_conflict: 'update' }),
      effects.map((effect) => ({ ...effect, data: { ...effect.entry.data, ...effect.data } })),
      true,
    )
  }

  async changeRow(random: Random): Promise<void> {
    const entry = this.#pick(random, this.ledger.quiet('record'))
    if (!entry) return
    const sent = { n: this.next(), ...(random.chance(0.3) && { lane: random.pick(LANES) }) }
    const path = `/v1/records/${entry.id}`
    await this.#change(random, entry, { ...entry.data, ...sent }, path, { data: sent })
  }

  async remove(random: Random): Promise<void> {
    const kind = random.pick(['note', 'record'] as const)
    const entry = this.#pick(random, this.ledger.quiet(kind))
    if (!entry?.data) return
    const sent = { method: 'DELETE', path: pathOf(entry) } as const
    await this.#write(sent, [{ entry, data: entry.data, isDeleted: true }], false)
  }

  async restore(random: Random): Promise<void> {
    const kind = random.pick(['note', 'record'] as const)
    const now = this.world.platform.now()
    const kept = this.ledger.quiet(kind, true).filter(({ deletedAt }) => now - deletedAt < KEPT_IN_TRASH_MS)
    const entry = this.#pick(random, kept)
    if (!entry?.data) return
    await this.#write(
      post(`${pathOf(entry)}/restore`),
      [{ entry, data: entry.data, isDeleted: false }],
      false,
    )
  }

  /** Several objects in one transaction, which is then undone, or not. */
  async apply(random: Random): Promise<void> {
    const changed = this.#pick(random, this.ledger.quiet('record'))
    const removed = this.#pick(random, this.ledger.quiet('note'))
    if (!changed?.data || !removed?.data) return
    const n = this.next()
    const before = [changed.data, removed.data] as const
    const changes = [
      { kind: 'record', op: 'updated', id: changed.id, structure: TABLE, data: { n } },
      { kind: 'note', op: 'deleted', id: removed.id },
    ]
    const reply = await this.#write(
      post('/v1/changes/apply', { changes }),
      [
        { entry: changed, data: { ...changed.data, n }, isDeleted: false },
        { entry: removed, data: removed.data, isDeleted: true },
      ],
      random.chance(0.8),
    )
    const transaction = reply?.body.transaction
    if (typeof transaction !== 'string' || random.chance(0.3) || changed.isBusy || removed.isBusy) return
    if (changed.data?.n !== n || !removed.isDeleted) return
    await this.#write(
      post('/v1/changes/undo', { transaction }),
      [
        { entry: changed, data: before[0], isDeleted: false },
        { entry: removed, data: before[1], isDeleted: false },
      ],
      false,
    )
  }

  /**
   * Two batches with one unique value in common, at once: one is written whole, and nothing of the other. The refusal
   * is true when it arrives: the row that it names can be read.
   */
  async rival(random: Random): Promise<void> {
    const shared = this.ledger.newEntry('record')
    const own = [this.ledger.newEntry('record'), this.ledger.newEntry('record')]
    const batches = own.map((entry) => [entry, shared].map((each) => this.newData(random, each)))
    this.ledger.unlisted += 3
    const replies = await Promise.all(batches.map((rows) => this.#sendRival(rows, shared.name)))
    const found = new Map<string, { readonly id: string; readonly data: Effect['data'] }>()
    for (const { name } of [...own, shared])
      for (const row of (await this.world.callUntilAnswered(rowsNamed(name))).body.records)
        found.set(name, row)
    const happened = own.map(({ name }) => found.has(name))
    for (const [index, reply] of replies.entries())
      if (reply && reply.status !== 503 && (reply.status === 201) !== happened[index])
        throw new Violation(
          `a batch is answered ${reply.status}, and its row is ${happened[index] ? '' : 'not '}there`,
        )
    if (found.has(shared.name) !== happened.some(Boolean) || happened.every(Boolean))
      throw new Violation(`batches with the value ${shared.name} happened in part: ${happened}`)
    for (const entry of [...own, shared]) {
      const row = found.get(entry.name)
      if (row) this.ledger.adopt(entry, row.id, row.data)
    }
    this.ledger.unlisted -= 3
  }

  async #sendRival(rows: readonly Effect['data'][], shared: string): Promise<Reply | undefined> {
    const { server } = this.world
    const body = { structure: TABLE, rows: rows.map((data) => ({ data })) }
    const reply = await this.world.call(post('/v1/records', body))
    if (reply?.status !== 400) return reply
    const read = await this.world.call(rowsNamed(shared))
    if (read?.status === 200 && read.body.total === 0 && this.world.server === server)
      throw new Violation(`${shared} is refused as not unique, and no row has it`)
    return reply
  }

  async #change(
    random: Random,
    entry: Entry,
    data: Effect['data'],
    path: string,
    body: object,
  ): Promise<void> {
    const condition = random.chance(0.5) && entry.version !== undefined
    await this.#write(
      { method: 'PATCH', path, body: { ...body, ...(condition && { if_unchanged: entry.version }) } },
      [{ entry, data, isDeleted: false }],
      random.chance(0.6),
    )
  }

  #write(sent: Sent, effects: readonly Effect[], isRepeated: boolean) {
    return this.ledger.write(sent, effects, isRepeated)
  }

  #pick(random: Random, entries: readonly Entry[]): Entry | undefined {
    return entries.length === 0 ? undefined : random.pick(entries)
  }

  /** The content of a new object, or of a row that is written whole. */
  newData(random: Random, { kind, name }: Entry): Effect['data'] {
    return kind === 'note'
      ? { title: name, content: this.#text(random), tags: random.some(TAGS, 2).toSorted() }
      : { key: name, n: this.next(), lane: random.pick(LANES), text: this.#text(random) }
  }

  /** Never the same number twice, so that every change changes something. */
  next(): number {
    this.#values += 1
    return this.#values
  }

  #text(random: Random): string {
    const text = `${random.pick(WORDS)} ${this.next()}`
    return random.chance(0.03) ? `${text} ${LONG_TEXT}` : text
  }

  #batchLength(random: Random): number {
    return random.chance(0.7) ? 1 : random.chance(0.8) ? 1 + random.below(6) : 20 + random.below(40)
  }
}

const rowsNamed = (name: string): Sent => {
  const filter = JSON.stringify([{ field: 'key', op: 'eq', value: name }])
  return { method: 'GET', path: `/v1/records?${new URLSearchParams({ structure: TABLE, filter })}` }
}

export const post = (path: string, body: unknown = {}): Sent => ({ method: 'POST', path, body })

export const pathOf = ({ kind, id }: Entry): string =>
  kind === 'note' ? `/v1/notes/${id}` : `/v1/records/${id}`
