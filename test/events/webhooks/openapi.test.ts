import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { OpenApiDocument } from '../../../src/http/openapi/document.ts'
import { EVENTS, type EventType, RECORD_EVENTS } from '../../../src/log/message.ts'
import { faultsOf } from '../../contract/json-schema.ts'
import { deleteFile, makeFile } from '../../support/files.ts'
import { makeNote } from '../../support/notes.ts'
import { openApiDocument } from '../../support/openapi.ts'
import { declare, write } from '../../support/records.ts'
import { type Hooked, startHooked, subscribe } from '../../support/webhooks.ts'

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

test.each([...EVENTS])('its example of %s matches its declared schema', (type: EventType) => {
  const { schema, example } = described(type)
  expect(example.type).toBe(type)
  expect(faultsOf(example, schema, document.components)).toEqual([])
})

test('deliveries have the declared headers and bodies', async () => {
  await declare(service, 'Tasks', [
    { key: 'what', type: 'text' },
    { key: 'due', type: 'datetime' },
  ])
  const moments = { events: [...RECORD_EVENTS, 'record.due'], due: { field: 'due' } }
  const webhook = await subscribe(service, 'Tasks', service.url, moments)
  for (const kind of ['note', 'file'])
    await service.post('/v1/webhooks', {
      kind,
      url: service.url,
      ...(kind === 'note' && { quiet_seconds: 0 }),
    })
  const note = await makeNote(service)
  await service.patch(`/v1/notes/${note.id}`, { title: 'B' })
  await service.delete(`/v1/notes/${note.id}`)
  await service.post(`/v1/notes/${note.id}/restore`)
  const file = await makeFile(service, { pages: ['one'] })
  await service.patch(`/v1/files/${file}`, { file_name: 'b.txt' })
  await deleteFile(service, file)
  await write(service, 'Tasks', { due: '2026-11-21T09:30:01Z' })
  service.clock.advance(1_000)
  await service.receiver.until(9)
  const [{ id }] = await write(service, 'Tasks', { what: 'tea' })
  await service.patch(`/v1/records/${id}`, { data: { what: null } })
  await service.delete(`/v1/records/${id}`)
  await service.post(`/v1/webhooks/${webhook.id}/test`)
  await service.receiver.until(EVENTS.length + 1)
  const { received } = service.receiver
  const types = new Set(received.map(({ headers }) => headers['x-service-event']))
  expect([...types].sort()).toEqual([...EVENTS].sort())
  for (const { headers, body } of received) {
    const { schema, parameters } = described(headers['x-service-event'] ?? '')
    expect(faultsOf(JSON.parse(body), schema, document.components)).toEqual([])
    const declared = parameters.filter(({ required }) => required).map(({ name }) => name.toLowerCase())
    const ofHttp = ['host', 'accept', 'content-type', 'content-length', 'user-agent']
    expect(Object.keys(headers).sort()).toEqual([...declared, ...ofHttp].sort())
  }
})
