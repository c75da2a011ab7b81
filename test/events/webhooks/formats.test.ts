import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { verifyDelivery } from '../../../src/events/delivery/verify-signature.ts'
import { filled } from '../../../src/lib/template.ts'
import { measureProcessorTime } from '../../support/processor-time.ts'
import { declare, write } from '../../support/records.ts'
import { type Hooked, startHooked, until } from '../../support/webhooks.ts'

let hooked: Hooked
beforeEach(async () => {
  hooked = await startHooked()
  const fields = [
    { key: 'what', type: 'text' },
    { key: 'amount', type: 'number' },
  ]
  await declare(hooked, 'Costs', fields)
})
afterEach(() => hooked.end())

const hook = (more: object) =>
  hooked.post('/v1/webhooks', { structure: 'Costs', url: hooked.url, events: ['record.created'], ...more })

/** Returns the delivered message for a row, with its media type. */
async function sent(more: object, data: object) {
  const { status, body } = await hook(more)
  expect([status, body.error]).toEqual([201, undefined])
  await write(hooked, 'Costs', data as Record<string, unknown>)
  await until(() => hooked.receiver.received.length === 1)
  const [received] = hooked.receiver.received
  if (!received) throw new Error('nothing arrived')
  const headers = new Map(
    Object.entries(received.headers).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const text = { headers, body: Buffer.from(received.body) }
  for (const { errors } of verifyDelivery(text, body.secret, hooked.clock.now())) expect(errors).toEqual([])
  return { body: received.body, type: headers.get('content-type') }
}

const long = '\u{1F600}'.repeat(99_990)
const cut = (count: number) => `${'\u{1F600}'.repeat(count)}…`

describe('an event is sent, and signed,', () => {
  test.each([
    ['as it is', {}, { what: 'tea' }, undefined],
    [
      'to Slack',
      { format: 'slack', template: '<{event}> & {record.what}' },
      { what: 'a<b>&c' },
      { text: '<record.created> & a&lt;b&gt;&amp;c' },
    ],
    [
      'to Discord',
      { format: 'discord', template: '{record.what} {record.amount}' },
      { what: '@everyone', amount: 1.5 },
      { content: '@everyone 1.5', allowed_mentions: { parse: [] } },
    ],
    ['to Slack, cut', { format: 'slack', template: '{record.what}' }, { what: long }, { text: cut(39_999) }],
    [
      'to Discord, cut',
      { format: 'discord', template: '{record.what}' },
      { what: long },
      { content: cut(1_999), allowed_mentions: { parse: [] } },
    ],
  ])('%s', async (_, more, data, expected) => {
    const { body, type } = await sent(more, data)
    expect(type).toBe('application/json')
    if (expected) expect(JSON.parse(body)).toEqual(expected)
    else expect(JSON.parse(body).record.data).toEqual(data)
  })

  test.each([
    [
      'text',
      '{structure}: {event} {changed}|{record.amount}|{ no hole } {"a": {}}',
      { what: 'x' },
      'Costs: record.created ||{ no hole } {"a": {}}',
    ],
    ['ntfy', '{record.what}', { what: long }, cut(1_023)],
    ['text', 'aaaaaaaaaaaaaaaaaaaa{record.what}', { what: long }, `${'a'.repeat(20)}${cut(99_979)}`],
    ['text', '{record.what}', { what: long }, long],
  ])('as plain text: %s %s', async (format, template, data, expected) => {
    const { body, type } = await sent({ format, template }, data)
    expect(type).toBe('text/plain; charset=utf-8')
    expect(body).toBe(expected)
  })

  test('with a default text without a template', async () => {
    await hooked.patch('/v1/records/structures/Costs', { label_field: 'what' })
    expect((await sent({ format: 'ntfy' }, { what: 'tea' })).body).toBe('Costs: record.created: tea')
  })
})

test('subscriptions with different formats get the same event, each in its format, also redelivered', async () => {
  const made = [{}, { format: 'text' }, { format: 'text', template: '{event}' }, {}]
  for (const more of made) expect((await hook(more)).status).toBe(201)
  await write(hooked, 'Costs', { what: 'tea' })
  await until(() => hooked.receiver.received.length === 4)
  const { received } = hooked.receiver
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  const texts = received.map(({ body }) => body).filter((body) => !body.startsWith('{'))
  expect(texts.sort()).toEqual(['Costs: record.created', 'record.created'])
})

test.each(['{nope}', '{record.nope}', '{note.title}', '{file.file_name}', '{event.x}'])(
  'a template with the placeholder %s is refused',
  async (hole) => {
    const { status, body } = await hook({ format: 'text', template: `a ${hole}` })
    expect([status, body.error.includes(hole)]).toEqual([400, true])
  },
)

test('a test as chat text has no values', async () => {
  const { body } = await hook({ format: 'slack', template: '{event}{record.what}' })
  await hooked.post(`/v1/webhooks/${body.webhook.id}/test`)
  await until(() => hooked.receiver.received.length === 1)
  expect(hooked.arrived()).toEqual([{ text: 'webhook.test' }])
  const [delivery] = (await hooked.get(`/v1/webhooks/${body.webhook.id}/deliveries`)).body.deliveries
  expect(delivery).not.toHaveProperty('object_id')
  const log = await hooked.get(`/v1/webhooks/${body.webhook.id}/deliveries/${delivery.id}`)
  expect(log.body.body).toBe('{"text":"webhook.test"}')
})

test('a template with many long values is cut without building the whole text', () => {
  const processorTime = measureProcessorTime()
  const text = filled('{a}'.repeat(1_000), () => 'x'.repeat(100_000), 200_000)
  expect([text.length <= 300_000, processorTime() < 500]).toEqual([true, true])
})
