import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { deleteFile, makeFile, readFile } from '../../support/files.ts'
import type { TestService } from '../../support/service.ts'
import { deliveriesOf, type Hooked, payloadsOf, startHooked, until } from '../../support/webhooks.ts'

let hooked: Hooked
beforeEach(async () => {
  hooked = await startHooked()
})
afterEach(() => hooked.end())

const SECOND = 1_000

const subscribed = async (service: TestService, url: string, more: object = {}) => {
  const { status, body } = await service.post('/v1/webhooks', { kind: 'note', url, ...more })
  expect([status, body.error]).toEqual([201, undefined])
  return body.webhook
}
const newNote = async (content = 'a', more: object = {}): Promise<string> =>
  (await hooked.post('/v1/notes', { title: 'Tea', content, ...more })).body.note.id
const arrived = async (count: number) => {
  await until(() => hooked.receiver.received.length >= count)
  return hooked.arrived()
}
/** Expects that no event of a webhook is pending, after this many: the next one is that of a later change. */
async function isQuiet({ id }: { id: string }, events: number): Promise<void> {
  const later = await newNote()
  await hooked.patch(`/v1/notes/${later}`, { title: 'Later' })
  hooked.clock.advance(3_600 * SECOND)
  await until(async () => (await payloadsOf(hooked, id)).some(({ data }) => data.note.id === later))
  expect(await deliveriesOf(hooked, id)).toHaveLength(events + 1)
}

describe('a subscription to notes', () => {
  test('has no structure, and shows only its given attributes', async () => {
    const webhook = await subscribed(hooked, hooked.url)
    expect(webhook).toMatchObject({
      kind: 'note',
      structure: null,
      filter: null,
      fields: null,
      events: ['note.created', 'note.updated', 'note.deleted', 'note.restored'],
    })
    for (const name of ['format', 'template', 'quiet_seconds', 'include_content', 'due'])
      expect(webhook).not.toHaveProperty(name)
    const { body } = await hooked.patch(`/v1/webhooks/${webhook.id}`, { quiet_seconds: 5 })
    expect(body.webhook).toMatchObject({ kind: 'note', quiet_seconds: 5 })
    expect((await hooked.get('/v1/webhooks')).body.webhooks).toEqual([body.webhook])
  })

  test.each([
    ['a structure', { structure: 'X' }],
    ['a list of conditions', { filter: [{ field: 'a', op: 'eq', value: 1 }] }],
    ['fields', { fields: ['a'] }],
    ['a moment', { due: { field: 'a' } }],
    ['events of rows', { events: ['record.created'] }],
    ['too long a quiet time', { quiet_seconds: 3_601 }],
    ['a template of JSON', { template: '{event}' }],
  ])('has not %s', async (_, more) => {
    const { status, body } = await hooked.post('/v1/webhooks', { kind: 'note', url: hooked.url, ...more })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
  })

  test('receives created, deleted and restored notes, in the transaction of the change', async () => {
    await subscribed(hooked, hooked.url)
    const id = await newNote('b', { tags: ['x'], alias: 'T', aliases: ['U'] })
    await hooked.delete(`/v1/notes/${id}`)
    await hooked.post(`/v1/notes/${id}/restore`)
    const events = await arrived(3)
    expect(events.map(({ type }) => type).sort()).toEqual(['note.created', 'note.deleted', 'note.restored'])
    const { created_at, updated_at } = (await hooked.get(`/v1/notes/${id}`)).body.note
    const names = { title: 'Tea', tags: ['x'], alias: 'T', aliases: ['U'] }
    const note = { id, ...names, properties: {}, created_at, updated_at }
    for (const event of events) {
      expect(event).toMatchObject({ structure: null, data: { note, changed: [], previous: {} } })
      expect(Object.keys(event)).toEqual([
        'id',
        'type',
        'occurred_at',
        'workspace_id',
        'structure',
        'data',
        'source',
      ])
    }
    const { deliveries } = (
      await hooked.get(`/v1/webhooks/${(await hooked.get('/v1/webhooks')).body.webhooks[0].id}/deliveries`)
    ).body
    for (const delivery of deliveries) expect(delivery).toMatchObject({ record_id: null, object_id: id })
  })

  test('gets the updates within the quiet time as one', async () => {
    const webhook = await subscribed(hooked, hooked.url, { events: ['note.updated'] })
    const id = await newNote()
    await hooked.patch(`/v1/notes/${id}`, { title: 'Coffee' })
    hooked.clock.advance(20 * SECOND)
    await hooked.patch(`/v1/notes/${id}`, { title: 'Cocoa', content: 'b' })
    hooked.clock.advance(20 * SECOND)
    await Bun.sleep(20)
    expect(await deliveriesOf(hooked, webhook.id)).toEqual([])
    hooked.clock.advance(10 * SECOND)
    const [event] = await arrived(1)
    expect(event.data.changed.sort()).toEqual(['content', 'title'])
    expect(event.data.previous).toEqual({ title: 'Tea' })
    expect(event.data.note).not.toHaveProperty('content')
    await isQuiet(webhook, 1)
  })

  test('gets the text and the previous one on request', async () => {
    await subscribed(hooked, hooked.url, { include_content: true, quiet_seconds: 1 })
    const id = await newNote('a')
    for (const text of ['b', 'c']) await hooked.post(`/v1/notes/${id}/append`, { text })
    hooked.clock.advance(SECOND)
    const event = (await arrived(2)).find(({ type }) => type === 'note.updated')
    expect(event.data).toMatchObject({
      note: { content: 'a\n\nb\n\nc' },
      changed: ['content'],
      previous: { content: 'a' },
    })
  })

  test('gets nothing when nothing differs in the end', async () => {
    const webhook = await subscribed(hooked, hooked.url, { events: ['note.updated'] })
    const id = await newNote()
    await hooked.patch(`/v1/notes/${id}`, { title: 'Coffee', content: 'b' })
    await hooked.patch(`/v1/notes/${id}`, { title: 'Tea', content: 'a' })
    hooked.clock.advance(30 * SECOND)
    await isQuiet(webhook, 0)
  })

  test('receives changes of properties by any name, and not of their order', async () => {
    for (const key of ['id', 'constructor', 'z']) await hooked.post('/v1/properties', { key, type: 'text' })
    const webhook = await subscribed(hooked, hooked.url, { events: ['note.updated'] })
    const id = await newNote('a', { properties: { id: '1', z: 'z' } })
    const change = (properties: object) => hooked.patch(`/v1/notes/${id}/properties`, properties)
    const move = (position: number) => hooked.patch('/v1/properties/z', { position })
    await change({ id: '2', constructor: 'then' })
    await move(0)
    hooked.clock.advance(30 * SECOND)
    const [event] = await arrived(1)
    const previous = { properties: { id: '1', constructor: null } }
    expect(event?.data).toMatchObject({ changed: ['properties'], previous })
    await change({ id: '3' })
    await move(2)
    await change({ id: '2' })
    hooked.clock.advance(30 * SECOND)
    await isQuiet(webhook, 1)
  })

  test('waits for ten times the quiet time at most', async () => {
    const webhook = await subscribed(hooked, hooked.url, { events: ['note.updated'], quiet_seconds: 10 })
    const id = await newNote()
    for (let at = 0; at < 12; at++) {
      await hooked.post(`/v1/notes/${id}/append`, { text: String(at) })
      hooked.clock.advance(9 * SECOND)
      await Bun.sleep(1)
    }
    await until(async () => (await deliveriesOf(hooked, webhook.id)).length === 1)
  })

  test('gets pending updates before the deletion, and every update immediately without quiet time', async () => {
    const late = await subscribed(hooked, hooked.url, { events: ['note.updated', 'note.deleted'] })
    const soon = await subscribed(hooked, hooked.url, { events: ['note.updated'], quiet_seconds: 0 })
    const previous = async ({ id }: { id: string }) =>
      (await payloadsOf(hooked, id)).map(({ type, data }) => [type, data.previous])
    const id = await newNote()
    for (const title of ['B', 'C']) await hooked.patch(`/v1/notes/${id}`, { title })
    const immediate = [
      ['note.updated', { title: 'Tea' }],
      ['note.updated', { title: 'B' }],
    ]
    expect([await previous(late), await previous(soon)]).toEqual([[], immediate])
    await hooked.delete(`/v1/notes/${id}`)
    expect(await previous(late)).toEqual([
      ['note.updated', { title: 'Tea' }],
      ['note.deleted', {}],
    ])
    expect(await previous(soon)).toEqual(immediate)
  })

  test('matches its filter on the note after the change, and before a deletion', async () => {
    await newNote('first', { tags: ['work'] })
    const tag = (await hooked.get('/v1/tags')).body.tags[0].id
    const filter = { type: 'tags', op: 'has_any', tag_ids: [tag] }
    const webhook = await subscribed(hooked, hooked.url, { filter, quiet_seconds: 0 })
    expect(webhook.filter).toEqual(filter)
    const id = await newNote('a')
    await hooked.post(`/v1/notes/${id}/tags`, { tags: ['work'] })
    await hooked.delete(`/v1/notes/${id}`)
    await newNote('b', { tags: ['work'] })
    expect((await payloadsOf(hooked, webhook.id)).map(({ type }) => type)).toEqual([
      'note.updated',
      'note.deleted',
      'note.created',
    ])
    const refused = await hooked.delete(`/v1/tags/${tag}`)
    expect([refused.status, refused.body.code]).toEqual([409, 'in_use'])
    const unknown = await hooked.patch(`/v1/webhooks/${webhook.id}`, {
      filter: { ...filter, tag_ids: [999] },
    })
    expect([unknown.status, unknown.body.code]).toEqual([400, 'refused'])
  })

  test('receives neither changes of an ignored key nor unchanged properties', async () => {
    const webhook = await subscribed(hooked, hooked.url, { ignore_own_key: true, quiet_seconds: 0 })
    const other = hooked.as(await hooked.newKey())
    const id = await newNote()
    await hooked.patch(`/v1/notes/${id}`, { title: 'B' })
    expect(await deliveriesOf(hooked, webhook.id)).toEqual([])
    await hooked.post('/v1/properties', { key: 'stars', type: 'number' })
    await other.patch(`/v1/notes/${id}/properties`, { stars: 3 })
    const sent = await payloadsOf(hooked, webhook.id)
    expect(sent.map(({ data }) => data.previous)).toEqual([{ properties: { stars: null } }])
  })

  test('receives the removal of a deleted tag or property from a note, with its time', async () => {
    await hooked.post('/v1/properties', { key: 'stars', type: 'number' })
    const id = await newNote('a', { tags: ['x', 'y'], properties: { stars: 3 } })
    const webhook = await subscribed(hooked, hooked.url, { quiet_seconds: 0 })
    const last = async () => (await payloadsOf(hooked, webhook.id)).at(-1).data
    const shown = async () => (await hooked.get(`/v1/notes/${id}`)).body.note
    const tag = (await hooked.get('/v1/tags')).body.tags.find(({ name }: { name: string }) => name === 'x')
    await hooked.delete(`/v1/tags/${tag.id}`)
    expect(await last()).toMatchObject({
      note: { tags: ['y'], updated_at: (await shown()).updated_at },
      changed: ['tags'],
      previous: { tags: ['x', 'y'] },
    })
    await hooked.delete('/v1/properties/stars')
    expect(await last()).toMatchObject({
      note: { properties: {}, updated_at: (await shown()).updated_at },
      changed: ['properties'],
      previous: { properties: { stars: 3 } },
    })
  })

  test('is tested without a note', async () => {
    const { id } = await subscribed(hooked, hooked.url)
    const { status, body } = await hooked.post(`/v1/webhooks/${id}/test`)
    expect([status, body.delivery.record_id, body.delivery.object_id]).toEqual([202, null, null])
    const [event] = await arrived(1)
    expect(event).toMatchObject({ type: 'webhook.test', structure: null, data: null })
  })
})

test.each([
  ['note', { notes: 'none' }],
  ['file', { files: 'none' }],
  ['file', { notes: 'none' }],
] as const)(
  'a key without access neither creates nor sees a subscription of the kind %s (%p)',
  async (kind, access) => {
    const narrowed = hooked.as(await hooked.newKey({ access }))
    const { body } = await hooked.post('/v1/webhooks', { kind, url: hooked.url })
    const { id } = body.webhook
    const made = await narrowed.post('/v1/webhooks', { kind, url: hooked.url })
    expect([made.status, made.body.code]).toEqual([403, 'no_access'])
    expect((await narrowed.get('/v1/webhooks')).body.webhooks).toEqual([])
    const { error, transactions } = (await narrowed.get('/v1/changes/transactions?kinds=webhook')).body
    expect([error, transactions]).toEqual([undefined, []])
    for (const path of [`/v1/webhooks/${id}`, `/v1/webhooks/${id}/deliveries`])
      expect((await narrowed.get(path)).status).toBe(404)
    for (const { status } of [
      await narrowed.patch(`/v1/webhooks/${id}`, { enabled: false }),
      await narrowed.post(`/v1/webhooks/${id}/test`),
      await narrowed.delete(`/v1/webhooks/${id}`),
    ])
      expect(status).toBe(404)
  },
)

test('pending events are sent by the next server, however the last one ended', async () => {
  await hooked.stop()
  await subscribed(hooked, hooked.url, { events: ['note.updated'] })
  const id = await newNote()
  await hooked.patch(`/v1/notes/${id}`, { title: 'B' })
  hooked.clock.advance(3_600 * SECOND)
  hooked.start()
  expect((await arrived(1))[0].data.previous).toEqual({ title: 'Tea' })
})

describe('a subscription to files', () => {
  const types = async ({ id }: { id: string }) => (await payloadsOf(hooked, id)).map(({ type }) => type)

  test('receives a file once its text is extracted or could not be read', async () => {
    const { body } = await hooked.post('/v1/webhooks', { kind: 'file', url: hooked.url })
    expect(body.webhook).toMatchObject({ structure: null, filter: null })
    const read = await makeFile(hooked, { name: 'a.txt', pages: ['one'] })
    await makeFile(hooked, { name: 'b.pdf', failed: 'It is broken.' })
    const unread = await makeFile(hooked, { name: 'c.txt' })
    expect(await types(body.webhook)).toEqual(['file.created', 'file.created'])
    await hooked.patch(`/v1/files/${unread}`, { file_name: 'd.txt' })
    await hooked.patch(`/v1/files/${read}`, { file_name: 'e.txt' })
    await readFile(hooked, unread)
    await deleteFile(hooked, read)
    expect((await types(body.webhook)).slice(2)).toEqual(['file.updated', 'file.created', 'file.deleted'])
    const events = await arrived(5)
    const of = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data)
    expect(of('file.updated')).toEqual([
      {
        file: expect.objectContaining({ id: read, file_name: 'e.txt' }),
        changed: ['file_name'],
        previous: { file_name: 'a.txt' },
      },
    ])
    expect(
      of('file.created')
        .map(({ file }) => file.status)
        .sort(),
    ).toEqual(['failed', 'ready', 'ready'])
  })

  test('receives nothing about a file that is deleted before its text is extracted', async () => {
    const { body } = await hooked.post('/v1/webhooks', { kind: 'file', url: hooked.url })
    await deleteFile(hooked, await makeFile(hooked))
    expect(await types(body.webhook)).toEqual([])
  })

  test.each([
    ['a filter', { filter: [] }],
    ['a quiet time', { quiet_seconds: 1 }],
  ])('has not %s', async (_, more) => {
    const { status, body } = await hooked.post('/v1/webhooks', { kind: 'file', url: hooked.url, ...more })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
  })
})
