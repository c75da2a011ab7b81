import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { storedValues } from '../../support/database.ts'
import { declare, write } from '../../support/records.ts'
import { settle } from '../../support/service.ts'
import { type Hooked, payloadsOf, startHooked, until } from '../../support/webhooks.ts'

const DAY_MS = 86_400_000
const FIELDS = [
  { key: 'what', type: 'text' },
  { key: 'day', type: 'date' },
  { key: 'time', type: 'datetime' },
] as const

let hooked: Hooked
beforeEach(async () => {
  hooked = await startHooked()
  await declare(hooked, 'Tasks', [...FIELDS])
})
afterEach(() => hooked.end())

const subscribed = async (due: object, more: object = {}) => {
  const { status, body } = await hooked.post('/v1/webhooks', {
    structure: 'Tasks',
    url: hooked.url,
    events: ['record.due'],
    due,
    ...more,
  })
  expect([status, body.error]).toEqual([201, undefined])
  return body.webhook
}
const moments = () =>
  storedValues<number>(hooked, 'SELECT due_at FROM webhook_moments ORDER BY due_at').map((at) =>
    new Date(at).toISOString(),
  )
const events = async () => {
  const [{ id }] = (await hooked.get('/v1/webhooks')).body.webhooks
  return payloadsOf(hooked, id)
}
const goTo = async (instant: string) => {
  hooked.clock.set(Date.parse(instant))
  for (let turn = 0; turn < 3; turn++) {
    await settle()
    await Bun.sleep(15)
  }
}

describe('the due time of a row', () => {
  test('sends one event at a local time of day, with the row as it is then', async () => {
    const webhook = await subscribed({ field: 'day', offset_days: -1, at: '09:00', tz: 'Europe/Berlin' })
    expect(webhook.due).toEqual({ field: 'day', offset_days: -1, at: '09:00', tz: 'Europe/Berlin' })
    const [{ id }] = await write(hooked, 'Tasks', { what: 'tea', day: '2026-11-24' })
    expect(moments()).toEqual(['2026-11-23T08:00:00.000Z'])
    await goTo('2026-11-23T08:00:00.000Z')
    await until(() => hooked.receiver.received.length === 1)
    expect(await events()).toEqual([
      {
        id: expect.any(String),
        type: 'record.due',
        occurred_at: '2026-11-23T08:00:00.000Z',
        workspace_id: expect.any(String),
        structure: webhook.structure,
        record: expect.objectContaining({ id, data: { what: 'tea', day: '2026-11-24' } }),
        changed: [],
        previous: {},
        data: { due_at: '2026-11-23T08:00:00.000Z' },
        source: { surface: 'system', key_id: null },
      },
    ])
    await hooked.patch(`/v1/records/${id}`, { data: { what: 'coffee' } })
    await goTo('2026-11-30T08:00:00.000Z')
    expect(await events()).toHaveLength(1)
  })

  test('moves with the value, and goes with the row', async () => {
    await subscribed({ field: 'time' })
    const [one, two] = await write(
      hooked,
      'Tasks',
      { time: '2026-12-01T10:00:00Z' },
      { time: '2026-12-01T11:00:00Z' },
    )
    await hooked.patch(`/v1/records/${one.id}`, { data: { time: '2026-12-02T10:00:00Z' } })
    await hooked.delete(`/v1/records/${two.id}`)
    expect(moments()).toEqual(['2026-12-02T10:00:00.000Z'])
    await hooked.post(`/v1/records/${two.id}/restore`)
    await hooked.patch(`/v1/records/${one.id}`, { data: { time: null } })
    expect(moments()).toEqual(['2026-12-01T11:00:00.000Z'])
    await hooked.patch(`/v1/records/${two.id}`, { data: { time: '2026-11-20T11:00:00Z' } })
    expect(moments()).toEqual([])
  })

  test('is scheduled for existing rows, only in the future, also in a large structure', async () => {
    const rows = Array.from({ length: 450 }, (_, at) => ({ day: at % 2 === 0 ? '2026-11-20' : '2026-11-25' }))
    await write(hooked, 'Tasks', ...rows)
    await subscribed({ field: 'day' })
    await until(() => moments().length === 225)
    expect(new Set(moments())).toEqual(new Set(['2026-11-25T08:00:00.000Z']))
  })

  test('that was missed is sent once, marked as late', async () => {
    await subscribed({ field: 'day' })
    await write(
      hooked,
      'Tasks',
      { what: 'a', day: '2026-11-22' },
      { what: 'b', day: '2026-11-23' },
      { what: 'c', day: '2026-11-24' },
    )
    await hooked.stop()
    hooked.clock.advance(3 * DAY_MS)
    hooked.start()
    await until(async () => (await events()).length === 3)
    await hooked.stop()
    hooked.start()
    await goTo('2026-11-25T00:00:00.000Z')
    expect((await events()).map(({ record, data }) => [record.data.what, data])).toEqual([
      ['a', { due_at: '2026-11-22T08:00:00.000Z', late: true }],
      ['b', { due_at: '2026-11-23T08:00:00.000Z', late: true }],
      ['c', { due_at: '2026-11-24T08:00:00.000Z', late: true }],
    ])
  })

  test('is matched by the filter when it is due, and sends nothing while the subscription is disabled', async () => {
    const { id } = await subscribed(
      { field: 'day' },
      { filter: [{ field: 'what', op: 'eq', value: 'open' }] },
    )
    const [row] = await write(
      hooked,
      'Tasks',
      { what: 'done', day: '2026-11-22' },
      { what: 'open', day: '2026-11-23' },
    )
    await hooked.patch(`/v1/records/${row.id}`, { data: { what: 'open' } })
    await goTo('2026-11-22T08:00:00.000Z')
    expect(await events()).toHaveLength(1)
    await hooked.patch(`/v1/webhooks/${id}`, { enabled: false })
    await write(hooked, 'Tasks', { what: 'open', day: '2026-11-26' })
    await goTo('2026-11-24T08:00:00.000Z')
    await hooked.patch(`/v1/webhooks/${id}`, { enabled: true })
    await until(() => moments().length === 1)
    await goTo('2026-11-26T08:00:00.000Z')
    expect((await events()).map(({ data }) => data.due_at)).toEqual([
      '2026-11-22T08:00:00.000Z',
      '2026-11-26T08:00:00.000Z',
    ])
  })

  test('follows a new rule from its change on', async () => {
    const { id } = await subscribed({ field: 'day' })
    await write(hooked, 'Tasks', { day: '2026-12-01', time: '2026-12-24T18:00:00Z' })
    await hooked.patch(`/v1/webhooks/${id}`, { due: { field: 'time', offset_days: 1 } })
    await until(() => moments().join() === '2026-12-25T18:00:00.000Z')
    await hooked.delete(`/v1/webhooks/${id}`)
    await until(() => moments().length === 0)
  })
})

test.each([
  ['a field that is no date', { due: { field: 'what' } }, 'refused'],
  ['an unknown field', { due: { field: 'nope' } }, 'refused'],
  ['a time of day for a datetime', { due: { field: 'time', at: '08:00' } }, 'refused'],
  ['a zone that is none', { due: { field: 'day', tz: 'Mars/Base' } }, 'invalid_request'],
  ['a time that is none', { due: { field: 'day', at: '24:00' } }, 'invalid_request'],
  ['too many days', { due: { field: 'day', offset_days: 366 } }, 'invalid_request'],
  ['no rule', {}, 'invalid_request'],
  ['a rule without its event', { due: { field: 'day' }, events: ['record.created'] }, 'invalid_request'],
  ['a quiet time', { due: { field: 'day' }, quiet_seconds: 5 }, 'invalid_request'],
])('a subscription to due times is refused with %s', async (_, more, code) => {
  const hook = { structure: 'Tasks', url: hooked.url, events: ['record.due'], ...more }
  const { status, body } = await hooked.post('/v1/webhooks', hook)
  expect([status, body.code]).toEqual([400, code])
  expect((await hooked.get('/v1/webhooks')).body.webhooks).toEqual([])
})

test('a field that a rule or a template names cannot be removed', async () => {
  await subscribed({ field: 'day' })
  const text = { structure: 'Tasks', url: hooked.url, format: 'text', template: '{record.what}' }
  await hooked.post('/v1/webhooks', text)
  for (const key of ['day', 'what']) {
    const fields = FIELDS.filter((field) => field.key !== key)
    const { status, body } = await hooked.patch('/v1/records/structures/Tasks', { fields })
    expect([status, body.code]).toEqual([409, 'in_use'])
  }
})
