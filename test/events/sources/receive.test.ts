import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { PASSWORD, setUpIn } from '../../support/browser-client.ts'
import { holdWrites } from '../../support/held-writes.ts'
import { runRetention } from '../../support/jobs.ts'
import { newFolder } from '../../support/process.ts'
import { measureProcessorTime } from '../../support/processor-time.ts'
import { settle, startService, type TestService } from '../../support/service.ts'
import {
  call,
  makePayments,
  makeSource,
  pathOf,
  pay,
  paymentEvent,
  STRIPE_SECRET,
  stripeHeader,
} from '../../support/sources.ts'

let service: TestService

beforeEach(async () => {
  service = await startService()
  await makePayments(service)
})
afterEach(() => service.close())

const rows = async () =>
  (await service.get('/v1/records?structure=Payments&sort=number&direction=asc')).body.records
const countsOf = async (id: string) => (await service.get(`/v1/sources/${id}`)).body.source.counts
const eventsOf = async (id: string, query = '') =>
  (await service.get(`/v1/sources/${id}/events${query}`)).body.events
const NONE = { written: 0, updated: 0, duplicate: 0, ignored: 0, stale: 0, unmapped: 0, rejected: 0 }

describe('a verified call', () => {
  test('becomes a row, an event and a change of the source, and is acknowledged once all are stored', async () => {
    const source = await makeSource(service)
    const { status, body } = await pay(service, source, 'evt_1', { number: 'A1', amount: 33_000 })
    expect(status).toBe(200)
    const [record] = await rows()
    expect(body).toEqual({ status: 'written', event_id: expect.any(String), record_id: record.id })
    expect(record.data).toEqual({ number: 'A1', amount: 330, paid_at: '2026-11-23T09:41:11.000Z' })
    const text = paymentEvent('evt_1', { number: 'A1', amount: 33_000 })
    expect(await eventsOf(source.id)).toEqual([
      {
        id: body.event_id,
        external_id: 'evt_1',
        event: 'payment.paid',
        status: 'written',
        record_id: record.id,
        error: null,
        size: text.length,
        received_at: '2026-11-21T09:30:00.000Z',
      },
    ])
    const { body: detail } = await service.get(`/v1/sources/${source.id}/events/${body.event_id}`)
    expect(detail.body).toBe(text)
    expect(JSON.stringify(detail.headers)).not.toContain('stripe-signature')
    const { body: feed } = await service.get('/v1/changes?before=now&kinds=record')
    expect(feed.changes[0].actor).toEqual({
      surface: 'source',
      user_id: null,
      key_id: null,
      name: 'Card payments',
    })
    expect(await countsOf(source.id)).toEqual({ ...NONE, written: 1 })
  })

  test('repeated, is a duplicate and writes nothing; after 30 days it is new', async () => {
    const source = await makeSource(service, { map: { amount: '/data/amount' } })
    const first = (await pay(service, source, 'evt_1', { amount: 1 })).body
    const { body } = await pay(service, source, 'evt_1', { amount: 2 })
    expect(body).toEqual({ ...first, status: 'duplicate' })
    expect(await rows()).toHaveLength(1)
    expect(await eventsOf(source.id)).toHaveLength(1)
    service.clock.advance(31 * 86_400_000)
    expect((await pay(service, source, 'evt_1', { amount: 2 })).body.status).toBe('written')
    expect(await countsOf(source.id)).toEqual({ ...NONE, written: 2, duplicate: 1 })
  })

  test('with a refused row is stored with the reason, and processed again when it is repeated', async () => {
    const source = await makeSource(service, { map: { amount: { path: '/data/amount', as: 'number' } } })
    const first = (await pay(service, source, 'evt_1', { amount: 'much' })).body
    expect(first).toEqual({ status: 'unmapped', event_id: expect.any(String), record_id: null })
    const [event] = await eventsOf(source.id)
    expect(event.error).toBe('The value of "amount" cannot be read as number.')
    service.clock.advance(1_000)
    const again = (await pay(service, source, 'evt_1', { amount: '5.5' })).body
    expect(again).toEqual({ status: 'written', event_id: first.event_id, record_id: expect.any(String) })
    expect(await countsOf(source.id)).toEqual({ ...NONE, written: 1 })
    const [after] = await eventsOf(source.id)
    expect(after).toMatchObject({ status: 'written', error: null, received_at: '2026-11-21T09:30:01.000Z' })
  })

  test('that collides is unmapped, or updates the row', async () => {
    const source = await makeSource(service)
    await pay(service, source, 'evt_1', { number: 'A1', amount: 100 })
    expect((await pay(service, source, 'evt_2', { number: 'A1', amount: 200 })).body.status).toBe('unmapped')
    await service.patch(`/v1/sources/${source.id}`, { on_conflict: 'update' })
    const { body } = await service.post(`/v1/sources/${source.id}/replay`, { status: 'unmapped' })
    expect(body).toEqual({ replayed: 1, unmapped: 0 })
    expect((await rows())[0].data.amount).toBe(2)
    expect(await countsOf(source.id)).toEqual({ ...NONE, written: 1, updated: 1 })
  })

  test('that "when" does not match, or while the source is disabled, is ignored', async () => {
    const source = await makeSource(service, { when: [{ event: true, op: 'eq', value: 'payment.made' }] })
    expect((await pay(service, source, 'evt_1', { amount: 1 })).body.status).toBe('ignored')
    await service.patch(`/v1/sources/${source.id}`, { when: [], enabled: false })
    const { body } = await pay(service, source, 'evt_1', { amount: 1 })
    expect(body.status).toBe('ignored')
    await service.patch(`/v1/sources/${source.id}`, { enabled: true })
    const replayed = await service.post(`/v1/sources/${source.id}/events/${body.event_id}/replay`)
    expect(replayed.body.event).toMatchObject({ status: 'written', record_id: expect.any(String) })
    const again = await service.post(`/v1/sources/${source.id}/events/${body.event_id}/replay`)
    expect([again.status, again.body.code]).toEqual([400, 'refused'])
    expect(await countsOf(source.id)).toEqual({ ...NONE, written: 1 })
  })

  test('whose body cannot be read is unmapped, without an id of the provider', async () => {
    const source = await makeSource(service)
    for (const body of ['{"id": "evt_1"', '', `${'['.repeat(200)}${']'.repeat(200)}`]) {
      const { body: answer } = await call(service, source.url, body, {
        'stripe-signature': stripeHeader(body, service.clock.now()),
      })
      expect(answer.status).toBe('unmapped')
    }
    expect((await eventsOf(source.id)).map((event: { external_id: null }) => event.external_id)).toEqual([
      null,
      null,
      null,
    ])
  })

  test('with a value that cannot be stored is unmapped if the value is mapped', async () => {
    const source = await makeSource(service, { map: { raw: '/data/raw' } })
    const { body } = await pay(service, source, 'evt_1', { raw: 'a\0b', other: '\ud800' })
    expect(body.status).toBe('unmapped')
    expect((await pay(service, source, 'evt_2', { raw: 'ab', other: 'a\0b' })).body.status).toBe('written')
  })

  test('as JSON keeps the order of its keys, also of numeric ones', async () => {
    const source = await makeSource(service, { map: { raw: { path: '/data/list/1', as: 'json' } } })
    const body =
      '{"id": "evt_1", "data": {"list": [0, {"b": 1.0, "2": "\\u00e9\\"", "1": [true, {"10": null, "9": []}]}]}}'
    await call(service, source.url, body, { 'stripe-signature': stripeHeader(body, service.clock.now()) })
    expect((await rows())[0].data.raw).toBe('{"b":1,"2":"é\\"","1":[true,{"10":null,"9":[]}]}')
  })

  test('may be a form, and its payload JSON', async () => {
    const source = await makeSource(service, {
      provider: 'bearer',
      secret: 'token',
      map: { number: '/number', raw: { path: '', as: 'json' } },
    })
    const headers = { authorization: 'Bearer token', 'content-type': 'application/x-www-form-urlencoded' }
    await call(service, source.url, 'number=A1&tag=x&tag=y+z', headers)
    await call(service, source.url, `payload=${encodeURIComponent('{"number":"A2"}')}&number=A3`, headers)
    expect((await rows()).map(({ data }: { data: object }) => data)).toEqual([
      { number: 'A1', raw: '{"number":"A1","tag":["x","y z"]}' },
      { number: 'A2', raw: '{"number":"A2"}' },
    ])
    const many = await call(service, source.url, `number=A4${'&a'.repeat(10_000)}`, headers)
    expect(many.body.status).toBe('unmapped')
    expect((await eventsOf(source.id, '?status=unmapped'))[0].error).toContain('10,000 fields')
  })
})

describe('a call that is not verified', () => {
  test('is 401, is counted and leaves nothing; an unknown URL is 404', async () => {
    const source = await makeSource(service)
    const body = paymentEvent('evt_1', { amount: 1 })
    const now = service.clock.now()
    const good = stripeHeader(body, now)
    for (const signature of [
      '',
      good.replace(/.$/, 'x'),
      stripeHeader(body, now, 'another'),
      stripeHeader(body, now - 301_000),
      stripeHeader(body, now + 301_000),
      `${good}, ${good}`,
    ]) {
      const refused = await call(
        service,
        source.url,
        body,
        signature ? { 'stripe-signature': signature } : {},
      )
      expect([refused.status, refused.body.code]).toEqual([401, 'unauthorized'])
    }
    expect(await countsOf(source.id)).toEqual({ ...NONE, rejected: 6 })
    expect(await eventsOf(source.id)).toEqual([])
    expect(await rows()).toEqual([])
    const unknown = await call(service, 'http://x/in/unknown', body, { 'stripe-signature': good })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
    expect(JSON.stringify(service.logged())).not.toContain(pathOf(source.url).slice('/in/'.length))
  })

  test('does not count toward the 6,000 calls a minute of a source', async () => {
    const source = await makeSource(service, {
      provider: 'bearer',
      secret: 'token',
      when: [{ event: true, op: 'exists' }],
    })
    for (let at = 0; at < 6_001; at++) await call(service, source.url, '{}')
    const headers = { authorization: 'Bearer token' }
    const statuses = new Map<number, number>()
    for (let at = 0; at < 6_001; at++) {
      const { status } = await call(service, source.url, '', headers)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    const { counts } = (await service.get(`/v1/sources/${source.id}`)).body.source
    const { rejected, ...accepted } = counts as Record<string, number>
    expect([rejected, Object.values(accepted).reduce((sum, count) => sum + count)]).toEqual([6_001, 6_000])
    expect([...statuses]).toEqual([
      [200, 6_000],
      [429, 1],
    ])
    service.clock.advance(60_000)
    expect((await call(service, source.url, '{}', headers)).status).toBe(200)
  })
})

test('the URL is replaced immediately, and hidden from readers', async () => {
  const source = await makeSource(service)
  const { body } = await service.post(`/v1/sources/${source.id}/rotate`)
  expect(body.source.url).not.toBe(source.url)
  expect((await pay(service, source, 'evt_1', {})).status).toBe(404)
  expect((await pay(service, body.source, 'evt_1', { amount: 1 })).status).toBe(200)
  const reader = service.as(await service.newKey({ scope: 'read' }))
  expect((await reader.get(`/v1/sources/${source.id}`)).body.source.url).toBeNull()
  const { body: changes } = await service.get('/v1/changes?kinds=source&include=objects')
  expect(JSON.stringify(changes)).not.toContain(body.source.url)
  expect(JSON.stringify(changes)).not.toContain(STRIPE_SECRET)
  expect(changes.changes.map(({ op, changed }: { op: string; changed: string[] }) => [op, changed])).toEqual([
    ['created', []],
    ['updated', ['url']],
  ])
})

/** A longer write leaves the main thread. */
const LONG = 'x'.repeat(600_000)

test('a long call is processed like any other, with its refusal, its replay and a trial', async () => {
  const folder = newFolder()
  const long = await startService({ file: folder.file('long.db') })
  await makePayments(long)
  const source = await makeSource(long, { map: { raw: '/data/raw', amount: '/data/amount' } })
  const refused = await pay(long, source, 'evt_1', { raw: 'x'.repeat(5_000), amount: 'much', more: LONG })
  expect(refused.body.status).toBe('unmapped')
  const path = `/v1/sources/${source.id}`
  await long.patch(path, { map: { raw: '/data/raw' } })
  const { body } = await long.post(`${path}/try`, { event_id: refused.body.event_id })
  expect([body.status, body.data.raw.length]).toEqual(['written', 5_000])
  expect((await long.post(`${path}/replay`, { status: 'unmapped' })).body).toEqual({
    replayed: 1,
    unmapped: 0,
  })
  expect((await pay(long, source, 'evt_1', {})).body.status).toBe('duplicate')
  expect((await long.get('/v1/records?structure=Payments')).body.total).toBe(1)
  long.close()
  folder.remove()
})

test('numeric ids too large for a double are not confused', async () => {
  const source = await makeSource(service, {
    name: 'Numbers',
    provider: 'none',
    secret: undefined,
    options: { unverified: true },
    external_id: '/id',
    map: { raw: { path: '/id', as: 'json' } },
  })
  const send = async (id: string) => (await call(service, source.url, `{"id":${id}}`)).body.status
  expect([await send('9007199254740993'), await send('9007199254740992')]).toEqual(['written', 'written'])
  expect(await send('9007199254740993')).toBe('duplicate')
})

test('a pointer of many slashes is refused as fast as any other', async () => {
  const source = await makeSource(service)
  const processorTime = measureProcessorTime()
  const when = [{ path: `${'/'.repeat(10_000)}~`, op: 'exists' }]
  expect((await service.post(`/v1/sources/${source.id}/try`, { body: {}, when })).status).toBe(400)
  expect(processorTime()).toBeLessThan(500)
})

test('a call with too many values for one write is unmapped, also as a form', async () => {
  const source = await makeSource(service, {
    provider: 'none',
    secret: undefined,
    options: { unverified: true },
    map: { number: '/x' },
  })
  const many = `{${Array.from({ length: 200_001 }, (_, at) => `"k${at}":1`).join(',')}}`
  const json = `{"x":"A1","y":${many}}`
  const form = new URLSearchParams({ payload: json }).toString()
  for (const sent of [
    () => call(service, source.url, json),
    () => call(service, source.url, form, { 'content-type': 'application/x-www-form-urlencoded' }),
  ]) {
    const { status, body } = await sent()
    expect([status, body.status, body.record_id]).toEqual([200, 'unmapped', null])
    const [{ error }] = await eventsOf(source.id)
    expect(error).toContain('members of objects')
  }
  expect(await rows()).toEqual([])
})

describe('the stored bytes of a source', () => {
  const detailOf = async (id: string, event: string, client: Pick<TestService, 'get'> = service) =>
    (await client.get(`/v1/sources/${id}/events/${event}?sealed=true`)).body
  const keptBytes = async (): Promise<number> => {
    const { body } = await service.as(await service.newKey({ role: 'owner' })).get('/metrics')
    return Number(/^daybook_source_kept_bytes (\d+)$/m.exec(body)?.[1])
  }

  test("are 64 KiB of an ignored event's body, which can be neither replayed nor tried", async () => {
    const source = await makeSource(service, { when: [{ path: '/type', op: 'eq', value: 'other' }] })
    const { body } = await pay(service, source, 'evt_1', { number: 'x'.repeat(100_000) })
    expect(body.status).toBe('ignored')
    const shown = await detailOf(source.id, body.event_id)
    expect([shown.body.length, shown.event.size > 100_000, shown.sealed]).toEqual([65_536, true, null])
    const path = `/v1/sources/${source.id}`
    for (const refused of [
      await service.post(`${path}/events/${body.event_id}/replay`),
      await service.post(`${path}/try`, { event_id: body.event_id }),
    ]) {
      expect([refused.status, refused.body.code]).toEqual([400, 'refused'])
      expect(refused.body.error).toContain('64 KiB')
    }
    await service.patch(path, { when: [] })
    expect((await pay(service, source, 'evt_1', { number: 'x'.repeat(100_000) })).body.status).toBe('written')
    expect((await detailOf(source.id, body.event_id)).body.length).toBeGreaterThan(100_000)
  })

  test('have a limit; the oldest bodies are discarded first, and the events stay', async () => {
    const small = await startService({ config: { sourceBytes: 10_000 } })
    await makePayments(small)
    const source = await makeSource(small, { map: {} })
    const events: string[] = []
    for (const at of [1, 2, 3])
      events.push((await pay(small, source, `evt_${at}`, { number: 'x'.repeat(4_000) })).body.event_id)
    const bodies = await Promise.all(events.map((event) => detailOf(source.id, event, small)))
    expect(bodies.map(({ body }) => body === null)).toEqual([true, false, false])
    const [first] = bodies
    expect([first.event.size > 4_000, first.headers, first.sealed]).toEqual([true, [], null])
    const path = `/v1/sources/${source.id}`
    const replay = await small.post(`${path}/events/${events[0]}/replay`)
    expect([replay.status, replay.body.code]).toEqual([400, 'refused'])
    await small.patch(path, { map: { number: '/id' } })
    expect((await small.post(`${path}/replay`, { status: 'unmapped' })).body).toEqual({
      replayed: 2,
      unmapped: 1,
    })
    small.close()
  })

  test('are counted in the metrics, until their events are deleted', async () => {
    const source = await makeSource(service)
    await pay(service, source, 'evt_1', { number: 'A1' })
    expect(await keptBytes()).toBeGreaterThan(100)
    service.clock.advance(31 * 86_400_000)
    await runRetention(service.ctx)
    expect(await keptBytes()).toBe(0)
  })
})

test('calls of one source alternate with those of another, and with visitors who sign in', async () => {
  const open = {
    provider: 'none',
    secret: undefined,
    options: { unverified: true },
    map: { number: '/number' },
  }
  const flooded = await makeSource(service, { ...open, name: 'Flooded' })
  const quiet = await makeSource(service, { ...open, name: 'Quiet' })
  const browser = await setUpIn(service, 'owner', '198.51.100.7')
  /** Waits until all calls are queued for writing. */
  const settled = async () => {
    for (let round = 0; round < 10; round++) await settle()
  }
  let answered = 0
  const send = async (source: { url: string }, number: string, address: string) => {
    const from = { requestIP: () => ({ address }), timeout: () => {} }
    const init = { method: 'POST', body: JSON.stringify({ number }) }
    const response = await service.app.fetch(new Request(source.url, init), from)
    expect(response.status).toBe(200)
    answered += 1
    return answered
  }
  const release = holdWrites(service)
  const calls = Array.from({ length: 1_000 }, (_, at) => send(flooded, `${at}`, '192.0.2.1'))
  await settled()
  const quick = send(quiet, 'quick', '192.0.2.2')
  const session = browser.request('POST', '/app/api/session', { user: 'owner', password: PASSWORD })
  await settled()
  await release()
  expect(await quick).toBeLessThan(500)
  expect([(await session).status, answered < 800]).toEqual([200, true])
  await Promise.all(calls)
})

test('headers that hold credentials of the sender are not shown', async () => {
  const source = await makeSource(service, {
    provider: 'none',
    secret: undefined,
    options: { unverified: true },
    map: { number: '/id' },
  })
  const names = ['x-api-key', 'X-Gitlab-Token', 'x-client-secret', 'x-authority', 'x-other-signature']
  const headers = { 'x-topic': 'paid', ...Object.fromEntries(names.map((name) => [name, 'hidden'])) }
  const { body } = await call(service, source.url, '{"id":"A1"}', headers)
  const shown = (await service.get(`/v1/sources/${source.id}/events/${body.event_id}`)).body.headers
  expect(shown).toContainEqual(['x-topic', 'paid'])
  expect(JSON.stringify(shown)).not.toContain('hidden')
})
