import { afterEach, beforeEach, expect, test } from 'bun:test'
import { declare } from '../../support/records.ts'
import { type Hooked, startHooked } from '../../support/webhooks.ts'

let it: Hooked

beforeEach(async () => {
  it = await startHooked()
  await declare(it, 'Tasks', [{ key: 'n', type: 'number' }])
})
afterEach(() => it.end())

const SECRET = 'Bearer very-secret-token'
const create = (headers: unknown) => it.post('/v1/webhooks', { structure: 'Tasks', url: it.url, headers })

async function sentHeaders(id: string) {
  const count = it.receiver.received.length + 1
  await it.post(`/v1/webhooks/${id}/test`)
  await it.receiver.until(count)
  return it.receiver.received[count - 1]?.headers
}

test('custom headers are in each delivery, masked in responses, and in no log', async () => {
  const created = await create({ Authorization: SECRET, 'X-Team': 'a b\tc' })
  expect([created.status, created.body.webhook.headers]).toEqual([201, { Authorization: '…', 'X-Team': '…' }])
  const { id } = created.body.webhook
  expect(await sentHeaders(id)).toMatchObject({
    authorization: SECRET,
    'x-team': 'a b\tc',
    'content-type': 'application/json',
    'x-service-event': 'webhook.test',
  })
  const shown = [await it.get(`/v1/webhooks/${id}`), await it.get('/v1/webhooks'), it.logged()]
  expect(JSON.stringify(shown)).not.toContain('very-secret')

  const patched = await it.patch(`/v1/webhooks/${id}`, { headers: { 'X-Other': 'd' } })
  expect(patched.body.webhook.headers).toEqual({ 'X-Other': '…' })
  const sent = await sentHeaders(id)
  expect([sent?.authorization, sent?.['x-other']]).toEqual([undefined, 'd'])
  const renamed = await it.patch(`/v1/webhooks/${id}`, { description: 'with its headers' })
  expect(renamed.body.webhook.headers).toEqual({ 'X-Other': '…' })
})

test.each([[null], [{}], [undefined]])('the attribute is absent after %j', async (headers) => {
  const { status, body } = await create(headers)
  expect([status, 'headers' in body.webhook]).toEqual([201, false])
  const { id } = (await create({ 'X-Team': 'a' })).body.webhook
  if (headers === undefined) return
  const { body: patched } = await it.patch(`/v1/webhooks/${id}`, { headers })
  expect('headers' in patched.webhook).toBe(false)
  expect((await sentHeaders(id))?.['x-team']).toBeUndefined()
})

const many = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`X-${at}`, 'a']))

test.each<[string, unknown]>([
  ['eleven', many],
  ['a list', ['X-Team']],
  ['a number', { 'X-Team': 7 }],
  ['an empty value', { 'X-Team': '' }],
  ['an empty name', { '': 'a' }],
  ['a line break in a value', { 'X-Team': 'a\r\nX-Evil: b' }],
  ['a line break in a name', { 'X-Team\r\nX-Evil': 'b' }],
  ['a colon in a name', { 'X-Team:': 'b' }],
  ['a space around a value', { 'X-Team': ' a' }],
  ['a value that is not ASCII', { 'X-Team': 'ä' }],
  ['a mask that was read', { 'X-Team': '…' }],
  ['a name twice', { 'X-Team': 'a', 'x-team': 'b' }],
  ['a long value', { 'X-Team': 'a'.repeat(4_097) }],
  ...[
    'Host',
    'content-length',
    'Content-Type',
    'Transfer-Encoding',
    'Connection',
    'Expect',
    'User-Agent',
    'X-Service-Signature',
    'x-service-other',
    'webhook-id',
    'Webhook-Signature',
  ].map((name): [string, unknown] => [name, { [name]: 'a' }]),
])('%s is refused, and nothing is made or changed', async (_, headers) => {
  const { id } = (await create({ 'X-Kept': 'k' })).body.webhook
  for (const answer of [await create(headers), await it.patch(`/v1/webhooks/${id}`, { headers })]) {
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
  }
  const { body } = await it.get('/v1/webhooks')
  expect(body.webhooks.map((webhook: { headers: object }) => webhook.headers)).toEqual([{ 'X-Kept': '…' }])
})
