import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RANDOM_CASES_MS, runs } from '../../support/counts.ts'
import { startService } from '../../support/service.ts'
import { call, makePayments, makeSource } from '../../support/sources.ts'

/* In whatever order and however often the events of an order arrive, the row reflects the newest. */

interface Step {
  readonly order: number
  readonly version: number
}

const history = fc.array(
  fc.record({ order: fc.integer({ min: 0, max: 2 }), version: fc.integer({ min: 0, max: 9 }) }),
  {
    minLength: 1,
    maxLength: 12,
  },
)

test(
  'histories that arrive out of order all end in the same rows',
  async () => {
    const service = await startService()
    await makePayments(service)
    const source = await makeSource(service, {
      provider: 'bearer',
      secret: 'token',
      external_id: '/id',
      map: { number: '/number', amount: '/version' },
      on_conflict: 'update',
      newer_by: 'amount',
    })
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        history.chain((steps) =>
          fc.tuple(fc.constant(steps), fc.shuffledSubarray(steps, { minLength: steps.length })),
        ),
        async ([steps, arrived]) => {
          run += 1
          // A source accepts a limited number of calls per minute.
          service.clock.advance(60_000)
          const numberOf = ({ order }: Step) => `${run}-${order}`
          for (const step of [...arrived, ...steps]) {
            const { order, version } = step
            const body = { id: `${run} ${order} ${version}`, number: numberOf(step), version }
            const { status } = await call(service, source.url, JSON.stringify(body), {
              authorization: 'Bearer token',
            })
            expect(status).toBe(200)
          }
          const newest = new Map<string, number>()
          for (const step of steps)
            newest.set(numberOf(step), Math.max(step.version, newest.get(numberOf(step)) ?? 0))
          for (const [number, amount] of newest) {
            const filter = encodeURIComponent(JSON.stringify([{ field: 'number', op: 'eq', value: number }]))
            const { body } = await service.get(`/v1/records?structure=Payments&filter=${filter}`)
            expect(body.records.map(({ data }: { data: object }) => data)).toEqual([{ number, amount }])
          }
        },
      ),
      { numRuns: runs(60, 1_000) },
    )
    service.close()
  },
  RANDOM_CASES_MS,
)

test('an older value is stale and names the row; null on either side never is', async () => {
  const service = await startService()
  await makePayments(service)
  const source = await makeSource(service, {
    provider: 'bearer',
    secret: 'token',
    map: { number: '/number', paid_on: '/on', amount: '/amount' },
    on_conflict: 'update',
    newer_by: 'paid_on',
  })
  const send = async (body: object) =>
    (await call(service, source.url, JSON.stringify(body), { authorization: 'Bearer token' })).body
  const first = await send({ number: 'A', amount: 1 })
  expect((await send({ number: 'A', on: '2026-11-21', amount: 2 })).status).toBe('updated')
  expect(await send({ number: 'A', on: '2026-11-20', amount: 3 })).toEqual({
    status: 'stale',
    event_id: expect.any(String),
    record_id: first.record_id,
  })
  expect((await send({ number: 'A', amount: 4 })).status).toBe('updated')
  expect((await send({ number: 'A', on: '2026-11-21', amount: 5 })).status).toBe('updated')
  const { body } = await service.get(`/v1/records/${first.record_id}`)
  expect(body.record.data).toEqual({ number: 'A', paid_on: '2026-11-21', amount: 5 })
  for (const wrong of [{ on_conflict: 'refuse' }, { newer_by: 'raw' }, { map: { number: '/number' } }])
    expect((await service.patch(`/v1/sources/${source.id}`, wrong)).status).toBe(400)
  service.close()
})
