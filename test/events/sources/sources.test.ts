import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sizesOf } from '../../support/database.ts'
import { runJobs, runRetention } from '../../support/jobs.ts'
import { settle, startService, type TestService } from '../../support/service.ts'
import { call, makePayments, makeSource, pay, paymentEvent, stripeHeader } from '../../support/sources.ts'

let service: TestService

beforeEach(async () => {
  service = await startService()
  await makePayments(service)
})
afterEach(() => service.close())

const create = (more: object) =>
  service.post('/v1/sources', {
    name: 'Other',
    structure: 'Payments',
    provider: 'stripe',
    secret: 's',
    ...more,
  })

describe('a source', () => {
  test('has the given values, and its secret is in no response and no log', async () => {
    const { status, body } = await create({ map: { amount: '/a' }, description: 'Live' })
    expect(status).toBe(201)
    const { source } = body
    expect(source).toEqual({
      id: expect.any(String),
      name: 'Other',
      structure: { id: expect.any(String), name: 'Payments' },
      provider: 'stripe',
      options: {},
      url: expect.stringMatching(/^http:\/\/localhost\/in\/[\w-]{22,}$/),
      map: { amount: '/a' },
      external_id: null,
      event: null,
      when: [],
      on_conflict: 'refuse',
      newer_by: null,
      enabled: true,
      description: 'Live',
      counts: { written: 0, updated: 0, duplicate: 0, ignored: 0, stale: 0, unmapped: 0, rejected: 0 },
      last_event_at: null,
      created_at: '2026-11-21T09:30:00.000Z',
      updated_at: '2026-11-21T09:30:00.000Z',
    })
    const { body: patched } = await service.patch(`/v1/sources/${source.id}`, {
      secret: 'another',
      name: 'New',
    })
    expect(patched.source.name).toBe('New')
    const { changes } = (await service.get('/v1/changes?kinds=source')).body
    expect(changes[1]).toMatchObject({ changed: ['name', 'secret'], previous: { name: 'Other' } })
    expect((await service.get('/v1/sources')).body.sources).toEqual([patched.source])
  })

  test.each([
    ['a name that is taken', { name: 'CARD PAYMENTS' }, 409, 'name_taken'],
    ['no secret', { secret: undefined }, 400, 'invalid_request'],
    ['options that Stripe has not', { options: { header: 'X' } }, 400, 'invalid_request'],
    ['a place that Stripe fixes', { external_id: '/id' }, 400, 'invalid_request'],
    ['a type whose place Stripe fixes', { event: '/type' }, 400, 'invalid_request'],
    ['no options of an HMAC', { provider: 'hmac' }, 400, 'invalid_request'],
    ['no word that nothing is verified', { provider: 'none', secret: undefined }, 400, 'invalid_request'],
    ['a secret that is no key', { provider: 'standard', secret: 'whsec_!' }, 400, 'invalid_request'],
    ['another provider', { provider: 'paypal' }, 400, 'invalid_request'],
    ['an unknown structure', { structure: 'Nothing' }, 404, 'not_found'],
    [
      'options that Stripe has not, and an unknown structure',
      { structure: 'Nothing', options: { a: 1 } },
      400,
      'invalid_request',
    ],
    [
      'no secret, and an unknown structure',
      { structure: 'Nothing', secret: undefined },
      400,
      'invalid_request',
    ],
    ['a long name', { name: 'x'.repeat(201) }, 400, 'invalid_request'],
  ])('with %s is refused', async (_, more, status, code) => {
    await makeSource(service)
    const refused = await create(more)
    expect([refused.status, refused.body.code]).toEqual([status, code])
  })

  test('keeps its structure and its provider', async () => {
    const { id } = await makeSource(service)
    for (const change of [{ structure: 'Payments' }, { provider: 'github' }])
      expect((await service.patch(`/v1/sources/${id}`, change)).status).toBe(400)
  })

  test('is refused beyond 100', async () => {
    for (let at = 0; at < 100; at++) expect((await create({ name: `Source ${at}` })).status).toBe(201)
    const { status, body } = await create({ name: 'One more' })
    expect([status, body.code]).toEqual([400, 'refused'])
  })

  test('prevents the removal of its fields, and is deleted with its structure', async () => {
    const source = await makeSource(service)
    const fields = [{ key: 'number', type: 'text', unique: true }]
    const refused = await service.patch('/v1/records/structures/Payments', { fields })
    expect([refused.status, refused.body.code]).toEqual([409, 'in_use'])
    expect(refused.body.error).toContain('Card payments')
    await pay(service, source, 'evt_1', { number: 'A1' })
    await service.delete(`/v1/sources/${source.id}`)
    expect((await service.get(`/v1/sources/${source.id}`)).status).toBe(404)
    expect((await pay(service, source, 'evt_2', {})).status).toBe(404)
    await runJobs(service.ctx)
    expect(sizesOf(service, 'source_events', 'source_sealed')).toEqual([0, 0])
    expect((await service.get('/v1/records?structure=Payments')).body.total).toBe(1)
  })
})

describe('events', () => {
  test('are paged in both directions, and waited for', async () => {
    const source = await makeSource(service, { map: { amount: '/data/amount' } })
    const path = `/v1/sources/${source.id}/events`
    const ids: string[] = []
    for (const n of [1, 2, 3]) ids.push((await pay(service, source, `evt_${n}`, { amount: n })).body.event_id)
    const page = async (query: string) => {
      const { body } = await service.get(`${path}${query}`)
      return [body.events.map(({ id }: { id: string }) => ids.indexOf(id)), body.has_more]
    }
    expect(await page('?limit=2')).toEqual([[2, 1], true])
    expect(await page(`?before=${ids[1]}`)).toEqual([[0], false])
    expect(await page('?after=start&limit=2')).toEqual([[0, 1], true])
    expect(await page(`?after=${ids[1]}`)).toEqual([[2], false])
    expect(await page('?status=unmapped')).toEqual([[], false])
    const waiting = service.get(`${path}?after=${ids[2]}&wait=60`)
    await settle()
    const { body } = await pay(service, source, 'evt_4', { amount: 4 })
    expect((await waiting).body.events[0].id).toBe(body.event_id)
    const empty = service.get(`${path}?after=${body.event_id}&wait=5`)
    await settle()
    service.clock.advance(5_000)
    expect((await empty).body).toEqual({ events: [], has_more: false })
    for (const query of [
      '?wait=1',
      '?after=x',
      `?after=start&before=${ids[0]}`,
      '?limit=201',
      '?wait=61&after=start',
    ])
      expect([query, (await service.get(path + query)).status]).toEqual([query, 400])
  })

  test('are deleted after 30 days, with their encrypted data', async () => {
    const source = await makeSource(service)
    await pay(service, source, 'evt_1', { number: 'A' })
    service.clock.advance(30 * 86_400_000 + 1)
    await runRetention(service.ctx)
    expect((await service.get(`/v1/sources/${source.id}/events`)).body.events).toEqual([])
    expect(sizesOf(service, 'source_sealed')).toEqual([0])
    expect((await service.get(`/v1/sources/${source.id}`)).body.source.counts.written).toBe(1)
  })

  test('are encrypted with a key of the secret, for callers with write access, until the secret is replaced', async () => {
    const source = await makeSource(service)
    const body = paymentEvent('evt_1', { number: 'A' })
    const signature = stripeHeader(body, service.clock.now())
    const { body: answer } = await call(service, source.url, body, {
      'stripe-signature': signature,
      cookie: 'a=b',
      authorization: 'Bearer x',
    })
    const path = `/v1/sources/${source.id}/events/${answer.event_id}`
    const { body: plain } = await service.get(path)
    expect(JSON.stringify(plain)).not.toMatch(/v1=|a=b|Bearer|sealed/)
    const { body: shown } = await service.get(`${path}?sealed=true`)
    // `listen.test.ts` opens it with the secret, and verifies the original signature.
    expect(shown.sealed).toMatch(/^[\w+/]{40,}={0,2}$/)
    for (const part of [body, signature])
      expect(Buffer.from(shown.sealed, 'base64').includes(part)).toBe(false)
    const reader = service.as(await service.newKey({ scope: 'read' }))
    expect((await reader.get(`${path}?sealed=true`)).body).toEqual(plain)
    await service.patch(`/v1/sources/${source.id}`, { secret: 'another' })
    expect((await service.get(`${path}?sealed=true`)).body.sealed).toBeNull()
    await runJobs(service.ctx)
    expect(sizesOf(service, 'source_sealed')).toEqual([0])
  })
})

test('an event of another workspace or source is not found', async () => {
  const [one, other] = [await makeSource(service), await makeSource(service, { name: 'Other' })]
  const { body } = await pay(service, one, 'evt_1', { number: 'A' })
  expect((await service.get(`/v1/sources/${other.id}/events/${body.event_id}`)).status).toBe(404)
  expect((await pay(service, other, 'evt_1', { number: 'B' })).body.status).toBe('written')
})

test('a request that waits for events is answered when the server stops', async () => {
  const source = await makeSource(service)
  const waiting = service.get(`/v1/sources/${source.id}/events?after=start&wait=60`)
  await settle()
  service.app.stop()
  expect((await waiting).status).toBe(200)
})
