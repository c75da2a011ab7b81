import { afterAll, beforeAll, expect, test } from 'bun:test'
import { EVENTS, type EventType } from '../../src/delivery/payload.ts'
import type { OpenApiDocument } from '../../src/http/openapi/document.ts'
import { faultsOf } from '../contract/json-schema.ts'
import { openApiDocument } from '../support/openapi.ts'
import { declare, write } from '../support/records.ts'
import { type Hooked, startHooked, subscribe } from '../support/webhooks.ts'

interface Described {
  post: {
    security: object[]
    parameters: { name: string; in: string; required: boolean }[]
    requestBody: { content: { 'application/json': { schema: object; example: { type: string } } } }
  }
}

let service: Hooked
let document: OpenApiDocument
beforeAll(async () => {
  service = await startHooked()
  document = await openApiDocument()
})
afterAll(() => service.end())

const described = (type: string) => {
  const { [type]: item } = document.webhooks as Record<string, Described>
  if (!item) throw new Error(`${type} is not in the document`)
  return { ...item.post, ...item.post.requestBody.content['application/json'] }
}

test('the document describes every type of event, without a key of the API', () => {
  expect(Object.keys(document.webhooks as object)).toEqual([...EVENTS])
  for (const type of EVENTS) expect(described(type).security).toEqual([])
})

test.each([...EVENTS])('its example of %s has the form it declares', (type: EventType) => {
  const { schema, example } = described(type)
  expect(example.type).toBe(type)
  expect(faultsOf(example, schema, document.components)).toEqual([])
})

test('deliveries have the headers and bodies that it declares', async () => {
  await declare(service, 'Tasks', [{ key: 'what', type: 'text' }])
  const webhook = await subscribe(service, 'Tasks', service.url)
  const [{ id }] = await write(service, 'Tasks', { what: 'tea' })
  await service.patch(`/v1/records/${id}`, { data: { what: null } })
  await service.delete(`/v1/records/${id}`)
  await service.post(`/v1/webhooks/${webhook.id}/test`)
  await service.receiver.until(EVENTS.length)
  const { received } = service.receiver
  expect(received.map(({ headers }) => headers['x-service-event']).sort()).toEqual([...EVENTS].sort())
  for (const { headers, body } of received) {
    const { schema, parameters } = described(headers['x-service-event'] ?? '')
    expect(faultsOf(JSON.parse(body), schema, document.components)).toEqual([])
    const declared = parameters.map(({ name }) => name.toLowerCase())
    const ofHttp = ['host', 'accept', 'content-type', 'content-length', 'user-agent']
    expect(Object.keys(headers).sort()).toEqual([...declared, ...ofHttp].sort())
  }
})
