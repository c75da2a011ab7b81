import { afterAll, afterEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Agent, connectAgent } from '../support/agent.ts'
import { runInProcess } from '../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { stored } from '../support/database.ts'
import { newFolder } from '../support/process.ts'
import { declare, list } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'
import { watch } from '../support/watch.ts'
import { startHooked, subscribe, until } from '../support/webhooks.ts'

/* Responses and stored data do not reveal whether a write ran on the main thread or in another. */

const folder = newFolder()
const open: { service: TestService; agent: Agent }[] = []
let files = 0

afterEach(async () => {
  for (const { service, agent } of open.splice(0)) {
    await agent.close()
    service.close()
  }
})
afterAll(() => folder.remove())

/** The tables without data that is derived from others, which `daybook check` compares. */
const TABLES = [
  'records',
  'changes',
  'change_actors',
  'webhook_events',
  'webhook_deliveries',
  'idempotency_keys',
]
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
const CURSOR = /(?<![\w-])[0-9a-f]{12}-(?=[0-9a-z]+(?![\w-]))/g
const withHyphens = (hex: string) =>
  hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, (_, ...parts) => parts.slice(0, 5).join('-'))

/** A service, with a mapping that makes its ids comparable with another service's. */
class Side {
  readonly ids: string[] = []
  #names = new Map<string, string>()

  constructor(
    readonly service: TestService,
    readonly agent: Agent,
  ) {}

  /**
   * Returns the value as text, with ids named in the order of their first appearance, and cursors without their prefix.
   */
  plain(value: unknown): string {
    return (JSON.stringify(value) ?? '').replace(CURSOR, '-').replace(UUID, (id) => {
      const name = this.#names.get(id) ?? `id ${this.#names.size}`
      this.#names.set(id, name)
      return name
    })
  }

  /** Returns everything that the writes stored in the database. */
  tables(): string {
    const rows = TABLES.map((table) => stored(this.service, `SELECT * FROM ${table} ORDER BY 1, 2`))
    const text = JSON.stringify(rows, (_, value) =>
      value instanceof Uint8Array ? withHyphens(Buffer.from(value).toString('hex')) : value,
    )
    return this.plain(JSON.parse(text.replace(/"body_hash":"[0-9a-f]+"/g, '"body_hash":""')))
  }
}

async function startSide(threads: 'never' | 'always'): Promise<Side> {
  const service = await startService({ file: folder.file(`${++files}.db`), threads })
  const agent = await connectAgent(service.app, service.key)
  open.push({ service, agent })
  await declare(service, 'Row', [
    { key: 'code', type: 'text', unique: true },
    { key: 'text', type: 'text' },
    { key: 'n', type: 'number', max: 90 },
    { key: 'other', type: 'record' },
  ])
  await declare(service, 'One', [{ key: 'text', type: 'text' }], { max_rows: 1 })
  await subscribe(service, 'Row', 'https://hooks.invalid/a', {
    events: ['record.created', 'record.updated', 'record.deleted'],
  })
  await subscribe(service, 'One', 'https://hooks.invalid/b', {
    events: ['record.updated', 'record.deleted'],
    filter: [{ field: 'text', op: 'contains', value: 'É' }],
  })
  return new Side(service, agent)
}

interface Row {
  readonly code?: number | null
  readonly text?: string | null
  readonly n?: number
  readonly other?: number
}

const arbitraryText = fc
  .tuple(fc.constantFrom('É', 'e ', 'dom ', '"\n'), fc.constantFrom(0, 1, 30, 60))
  .map(([text, times]) => text.repeat(times))
const arbitraryRow: fc.Arbitrary<Row> = fc.record(
  {
    code: fc.oneof(fc.nat(6), fc.constant(null)),
    text: fc.oneof(arbitraryText, fc.constant(null)),
    n: fc.nat(100),
    other: fc.nat(9),
  },
  { requiredKeys: [] },
)
const at = fc.nat(9)
const conflict = fc.constantFrom('refuse', 'update')
const arbitraryStep = fc.oneof(
  fc.record({
    kind: fc.constant('rows' as const),
    rows: fc.array(arbitraryRow, { minLength: 1, maxLength: 5 }),
    conflict,
  }),
  fc.record({ kind: fc.constant('row' as const), row: arbitraryRow, key: fc.option(fc.nat(3)) }),
  fc.record({ kind: fc.constant('only' as const), text: arbitraryText }),
  fc.record({ kind: fc.constant('patch' as const), at, row: arbitraryRow, isStale: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('delete' as const, 'restore' as const, 'mcp delete' as const), at }),
  fc.record({ kind: fc.constant('revert' as const), at, back: fc.nat(3) }),
  fc.record({ kind: fc.constant('undo' as const), back: fc.nat(4), isDryRun: fc.boolean() }),
  fc.record({
    kind: fc.constant('mcp' as const),
    rows: fc.array(fc.record({ at: fc.option(at), row: arbitraryRow }), { minLength: 1, maxLength: 4 }),
    conflict,
    isDryRun: fc.boolean(),
  }),
)
type Step = typeof arbitraryStep extends fc.Arbitrary<infer Drawn> ? Drawn : never

const FIRST: Step = {
  kind: 'rows',
  rows: [{ text: 'é'.repeat(60) }, { code: 1 }, { code: 2, text: 'x'.repeat(100), n: 1 }, {}],
  conflict: 'refuse',
}

const idAt = ({ ids }: Side, index: number) =>
  ids[index % Math.max(1, ids.length)] ?? '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'

const dataOf = (side: Side, { code, other, ...row }: Row) => ({
  ...row,
  ...(code !== undefined && { code: code === null ? null : `c${code}` }),
  ...(other !== undefined && { other: idAt(side, other) }),
})

async function newest(side: Side, path: string, member: string, back: number) {
  const { body } = await side.service.get(path)
  return body[member]?.at(back)
}

async function take(side: Side, step: Step): Promise<{ status?: number; body?: unknown }> {
  const { service, agent } = side
  switch (step.kind) {
    case 'rows': {
      const rows = step.rows.map((row) => ({ data: dataOf(side, row) }))
      return service.post('/v1/records', { structure: 'Row', rows, on_conflict: step.conflict })
    }
    case 'row': {
      const headers: Record<string, string> = step.key === null ? {} : { 'idempotency-key': `k${step.key}` }
      const body = { structure: 'Row', data: dataOf(side, step.row) }
      return service.request('POST', '/v1/records', body, headers)
    }
    case 'only':
      return service.post('/v1/records', { structure: 'One', data: { text: step.text } })
    case 'patch': {
      const id = idAt(side, step.at)
      const { body } = await service.get(`/v1/records/${id}`)
      const if_unchanged = step.isStale ? '2026-01-01T00:00:00.000Z' : body.record?.updated_at
      return service.patch(`/v1/records/${id}`, { data: dataOf(side, step.row), if_unchanged })
    }
    case 'delete':
      return service.delete(`/v1/records/${idAt(side, step.at)}`)
    case 'restore':
      return service.post(`/v1/records/${idAt(side, step.at)}/restore`)
    case 'revert': {
      const path = `/v1/records/${idAt(side, step.at)}`
      const to = (await newest(side, `${path}/history`, 'versions', step.back))?.cursor
      return service.post(`${path}/revert`, { to: to ?? 'none' })
    }
    case 'undo': {
      const change = await newest(side, '/v1/changes?before=now&limit=20', 'changes', step.back)
      return service.post('/v1/changes/undo', {
        transaction: change?.transaction ?? 'none',
        dry_run: step.isDryRun,
      })
    }
    case 'mcp delete':
      return { body: await agent.call('delete', { kind: 'record', id: idAt(side, step.at) }) }
    case 'mcp': {
      const rows = step.rows.map(({ at: place, row }) => ({
        ...(place !== null && { id: idAt(side, place) }),
        data: dataOf(side, row),
      }))
      const input = { structure: 'Row', rows, on_conflict: step.conflict, dry_run: step.isDryRun }
      return { body: await agent.call('write_records', input) }
    }
  }
}

/** Returns the state visible to all callers after a step; records the ids of new rows. */
async function outcomeOf(side: Side, step: Step): Promise<string> {
  const { status, body } = await take(side, step)
  const { body: seen } = await list(side.service, 'Row', { sort: 'created_at', direction: 'asc', limit: 500 })
  for (const { id } of seen.records) if (!side.ids.includes(id)) side.ids.push(id)
  const counted = (await list(side.service, 'Row', { filter: [{ field: 'n', op: 'lt', value: 50 }] })).body
    .total
  return side.plain([status, body, seen, counted])
}

test(
  'writes have the same effect and response wherever they run',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryStep, { minLength: 40, maxLength: 60 }), async (steps) => {
        const here = await startSide('never')
        const there = await startSide('always')
        for (const step of [FIRST, ...steps]) {
          const expected = await outcomeOf(here, step)
          expect([step, await outcomeOf(there, step)]).toEqual([step, expected])
        }
        expect(there.tables()).toEqual(here.tables())
        for (const { service } of [here, there])
          expect(await runInProcess(['check', '--db', service.ctx.config.db])).toMatchObject({ out: 'ok\n' })
        for (const { service } of open.splice(0)) service.close()
      }),
      { numRuns: runs(4, 400) },
    )
  },
  RANDOM_CASES_MS,
)

test('writes of another thread are delivered and reach watches; refused and dry runs do not', async () => {
  const hooked = await startHooked({ file: folder.file('hooked.db'), threads: 'always' })
  const agent = await connectAgent(hooked.app, hooked.key)
  await declare(hooked, 'Row', [{ key: 'text', type: 'text' }])
  await subscribe(hooked, 'Row', hooked.url, { events: ['record.created', 'record.deleted'] })
  const watched = await watch(hooked, 'Row')
  await watched.event('answer')
  const { body } = await hooked.post('/v1/records', { structure: 'Row', data: { text: 'a' } })
  const { id } = body.records[0]
  await until(() => hooked.arrived().length === 1)
  hooked.clock.advance(1_000)
  expect((await watched.event('answer')).total).toBe(1)
  expect((await hooked.patch(`/v1/records/${id}`, { data: { none: 1 } })).status).toBe(400)
  const tried = await agent.call('write_records', {
    structure: 'Row',
    rows: [{ data: { text: 'b' } }],
    dry_run: true,
  })
  expect([tried.isError, tried.data.inserted]).toEqual([false, 1])
  hooked.clock.advance(1_000)
  expect(await watched.rest()).toEqual([])
  await agent.call('delete', { kind: 'record', id })
  await until(() => hooked.arrived().length === 2)
  expect(hooked.arrived().map(({ type, record }) => [type, record.id])).toEqual([
    ['record.created', id],
    ['record.deleted', id],
  ])
  await watched.leave()
  await agent.close()
  await hooked.end()
}, 60_000)
