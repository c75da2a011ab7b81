import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { faultsIn } from '../../support/check.ts'
import { RANDOM_CASES_MS, runs } from '../../support/counts.ts'
import {
  arbitraryData,
  arbitraryFields,
  arbitraryFilter,
  type Condition,
  matches,
  type Row,
  withIds,
} from '../../support/record-oracle.ts'
import { declare, type FieldSpec, write } from '../../support/records.ts'
import { type Client, startService, type TestService } from '../../support/service.ts'
import { payloadsOf } from '../../support/webhooks.ts'

/*
 * Random subscriptions, and random writes with two keys. The outbox must equal the result of a second, plain
 * implementation of the rules, which uses only the API's responses.
 */

const EVENTS = ['record.created', 'record.updated', 'record.deleted']

const arbitrarySubscription = (fields: readonly FieldSpec[]) =>
  fc.record({
    events: fc.subarray(EVENTS, { minLength: 1 }),
    filter: fc.oneof(fc.constant([]), arbitraryFilter(fields)),
    fields: fc.option(
      fc.subarray(
        fields.map(({ key }) => key),
        { minLength: 1 },
      ),
    ),
    ignoreOwnKey: fc.boolean(),
    ignoreOther: fc.boolean(),
    maker: fc.nat(1),
    enabled: fc.boolean(),
  })

const arbitraryStep = (fields: readonly FieldSpec[]) =>
  fc.oneof(
    fc.record({
      what: fc.constant('create' as const),
      rows: fc.array(arbitraryData(fields), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      what: fc.constant('change' as const),
      place: fc.nat(20),
      data: arbitraryData(fields),
    }),
    fc.record({ what: fc.constant('delete' as const), place: fc.nat(20) }),
    fc.record({ what: fc.constant('restore' as const), place: fc.nat(20) }),
    fc.record({ what: fc.constant('toggle' as const), place: fc.nat(20) }),
  )

const arbitraryScene = arbitraryFields.chain((fields) =>
  fc.record({
    fields: fc.constant(fields),
    first: fc.array(arbitraryData(fields), { minLength: 1, maxLength: 5 }),
    subscriptions: fc.array(arbitrarySubscription(fields), { minLength: 1, maxLength: 6 }),
    steps: fc.array(fc.record({ key: fc.nat(1), step: arbitraryStep(fields) }), {
      minLength: 1,
      maxLength: 12,
    }),
  }),
)
type Scene = typeof arbitraryScene extends fc.Arbitrary<infer Value> ? Value : never

interface Expected {
  type: string
  record: unknown
  changed: string[]
  previous: Record<string, unknown>
  source: { surface: string; key_id: string }
}

interface Subscribed {
  id: string
  filter: Condition[]
  ignored: string[]
  enabled: boolean
  input: Scene['subscriptions'][number]
  expected: Expected[]
}

/** One run of a scene, and its expected result. */
class Run {
  readonly clients: Client[] = []
  readonly keyIds: string[] = []
  readonly live = new Map<string, Row>()
  readonly deleted = new Map<string, Row>()
  readonly subscribed: Subscribed[] = []

  constructor(
    readonly service: TestService,
    readonly scene: Scene,
  ) {}

  async begin(): Promise<void> {
    for (const key of [this.service.key, await this.service.newKey()]) {
      const client = this.service.as(key)
      this.clients.push(client)
      this.keyIds.push((await client.get('/v1/me')).body.key.id)
    }
    await declare(this.service, 'X', this.scene.fields)
    for (const row of await write(this.service, 'X', ...this.scene.first)) this.live.set(row.id, row)
    for (const input of this.scene.subscriptions) await this.#subscribe(input)
  }

  async #subscribe(input: Subscribed['input']): Promise<void> {
    const filter = withIds(input.filter, [...this.live.values()])
    const other = this.keyIds[1 - input.maker]
    const { status, body } = await this.client(input.maker).post('/v1/webhooks', {
      structure: 'X',
      url: 'https://hooks.example.com/',
      events: input.events,
      filter,
      fields: input.fields,
      ignore_own_key: input.ignoreOwnKey,
      ignore_key_id: input.ignoreOther ? other : null,
      enabled: input.enabled,
    })
    expect([status, body.error]).toEqual([201, undefined])
    const own = this.keyIds[input.maker] ?? ''
    const ignored = [...(input.ignoreOwnKey ? [own] : []), ...(input.ignoreOther && other ? [other] : [])]
    this.subscribed.push({
      id: body.webhook.id,
      filter,
      ignored,
      enabled: input.enabled,
      input,
      expected: [],
    })
  }

  client(key: number): Client {
    return this.clients[key] as Client
  }

  async take({ key, step }: Scene['steps'][number]): Promise<void> {
    const at = (rows: Map<string, Row>, place: number) => [...rows.values()][place % Math.max(1, rows.size)]
    if (step.what === 'create') return this.#create(key, step.rows)
    if (step.what === 'toggle') return this.#toggle(step.place)
    const row = at(step.what === 'restore' ? this.deleted : this.live, step.place)
    if (!row) return
    if (step.what === 'change') return this.#change(key, row, step.data)
    return step.what === 'delete' ? this.#delete(key, row) : this.#restore(key, row)
  }

  async #create(key: number, rows: Record<string, unknown>[]): Promise<void> {
    for (const row of await write(this.client(key), 'X', ...rows)) {
      this.live.set(row.id, row)
      this.#expect(key, { type: 'record.created', judged: row, record: row })
    }
  }

  async #toggle(place: number): Promise<void> {
    const it = this.subscribed[place % this.subscribed.length] as Subscribed
    it.enabled = !it.enabled
    await this.service.patch(`/v1/webhooks/${it.id}`, { enabled: it.enabled })
  }

  async #change(key: number, before: Row, data: Record<string, unknown>): Promise<void> {
    const { body } = await this.client(key).patch(`/v1/records/${before.id}`, { data })
    const after: Row = body.record
    this.live.set(after.id, after)
    const keys = new Set([...Object.keys(before.data), ...Object.keys(after.data)])
    const held = (row: Row, name: string) => (Object.hasOwn(row.data, name) ? row.data[name] : null)
    const changed = [...keys].filter((name) => held(before, name) !== held(after, name)).sort()
    if (changed.length === 0) return
    const previous = Object.fromEntries(changed.map((name) => [name, held(before, name)]))
    this.#expect(key, { type: 'record.updated', judged: after, record: after, changed, previous })
  }

  async #delete(key: number, before: Row): Promise<void> {
    await this.client(key).delete(`/v1/records/${before.id}`)
    this.live.delete(before.id)
    this.deleted.set(before.id, before)
    const record = { ...before, updated_at: expect.any(String), deleted_at: expect.any(String) }
    this.#expect(key, { type: 'record.deleted', judged: before, record })
  }

  async #restore(key: number, before: Row): Promise<void> {
    const { body } = await this.client(key).post(`/v1/records/${before.id}/restore`)
    this.deleted.delete(before.id)
    this.live.set(before.id, body.record)
    this.#expect(key, { type: 'record.created', judged: body.record, record: body.record })
  }

  #expect(
    key: number,
    change: {
      type: string
      judged: Row
      record: unknown
      changed?: string[]
      previous?: Record<string, unknown>
    },
  ): void {
    const keyId = this.keyIds[key] ?? ''
    const { type, judged, record, changed = [], previous = {} } = change
    for (const { enabled, input, filter, ignored, expected } of this.subscribed) {
      if (!enabled || !input.events.includes(type) || ignored.includes(keyId)) continue
      const isNamed = input.fields === null || changed.some((name) => input.fields?.includes(name))
      if (type === 'record.updated' && !isNamed) continue
      if (!matches(judged, this.scene.fields, filter)) continue
      expected.push({ type, record, changed, previous, source: { surface: 'api', key_id: keyId } })
    }
  }

  /** Returns the bodies of a subscription's events, in the order in which they happened. */
  async found(id: string): Promise<Expected[]> {
    return (await payloadsOf(this.service, id)).map(({ type, record, changed, previous, source }) => ({
      ...{ type, record, changed: changed.sort(), previous, source },
    }))
  }
}

test(
  'events are exactly the changes that match the rules of each subscription',
  async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryScene, async (scene) => {
        const run = new Run(await startService(), scene)
        await run.begin()
        for (const step of scene.steps) await run.take(step)
        for (const { id, expected } of run.subscribed) expect(await run.found(id)).toEqual(expected)
        expect(faultsIn(run.service)).toEqual([])
        run.service.close()
      }),
      { numRuns: runs(20, 1_000) },
    )
  },
  RANDOM_CASES_MS,
)
