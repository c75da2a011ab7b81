import { connectApp } from '../support/connected-app.ts'
import { contentOf } from '../support/content.ts'
import { makeFile } from '../support/files.ts'
import { tagNamed } from '../support/notes.ts'
import {
  type Client,
  startService,
  type TestService,
  type TestServiceOptions,
  testClock,
} from '../support/service.ts'

/** Sample objects for path parameters, keyed by the preceding segment and the parameter name. */
export type Samples = Readonly<Record<string, string>>

const made = async (answer: ReturnType<Client['post']>) => {
  const { status, body } = await answer
  if (status !== 201) throw new Error(`a sample was refused: ${JSON.stringify(body)}`)
  return body
}

async function sampleNote(client: Client) {
  const { note } = await made(
    client.post('/v1/notes', { title: 'Meeting', content: 'Ask about [[Engines]].', tags: ['work'] }),
  )
  await client.patch(`/v1/notes/${note.id}`, { title: 'Meeting with Ada' })
  const { body } = await client.get(`/v1/notes/${note.id}/revisions`)
  return { noteId: note.id as string, revisionId: body.revisions[0].id as string }
}

/** Creates one object of every kind in the client's workspace. Files are added without the API. */
export async function makeSamples(service: TestService, client: Client = service): Promise<Samples> {
  const { noteId, revisionId } = await sampleNote(client)
  const { property } = await made(client.post('/v1/properties', { key: 'due', type: 'date' }))
  const { body } = await client.get('/v1/tags')
  const { view } = await made(client.post('/v1/views', { name: 'Newest', display_properties: ['due'] }))
  const { item } = await made(client.post('/v1/quick-access', { note_id: noteId }))
  const { preset } = await made(client.post('/v1/presets', { name: 'Errand', ask: [{ key: 'due' }] }))
  const { lens } = await made(
    client.post('/v1/lenses', { name: 'All', settings: { layers: { tags: true } } }),
  )
  const { structure } = await made(
    client.post('/v1/records/structures', {
      name: 'Errands',
      fields: [
        { key: 'what', type: 'text' },
        { key: 'done', type: 'bool' },
        { key: 'due', type: 'date' },
      ],
    }),
  )
  const { records } = await made(
    client.post('/v1/records', { structure: structure.id, data: { what: 'Buy tea' } }),
  )
  const { webhook } = await made(
    client.post('/v1/webhooks', { structure: structure.id, url: 'https://hooks.example.com/errands' }),
  )
  const { webhook: pulled } = await made(
    client.post('/v1/webhooks', { structure: structure.id, delivery: 'pull' }),
  )
  await client.post(`/v1/webhooks/${pulled.id}/test`)
  const { source } = await made(
    client.post('/v1/sources', {
      name: 'Errands by mail',
      structure: structure.id,
      provider: 'none',
      options: { unverified: true },
      map: { what: { path: '/what', as: 'text' } },
      forward: [{ url: TARGET }],
    }),
  )
  const path = new URL(source.url).pathname
  const { body: received } = await client.request('POST', path, { what: ['Buy milk'] })
  const { body: passedOn } = await client.get(`/v1/sources/${source.id}/deliveries`)
  const { row_view } = await made(
    client.post('/v1/records/views', { structure: structure.id, name: 'Tea', search: 'tea' }),
  )
  const { share } = await made(client.post('/v1/shares', { kind: 'note', target_id: noteId }))
  const { comment } = await made(client.post('/v1/comments', { note_id: noteId, text: 'Which one?' }))
  const { body: tested } = await client.post(`/v1/webhooks/${webhook.id}/test`)
  const fileId = await makeFile(
    service,
    { noteId, pages: ['Cards carry the operations.', 'Two mills.'] },
    client,
  )
  const { body: history } = await client.get(`/v1/records/${records[0].id}/history`)
  return {
    'cursor of the record': history.versions[0].cursor,
    'cursor of the event': `${pulled.id}.1`,
    'pulled webhooks/{id}': pulled.id,
    'notes/{id}': noteId,
    'trash/{id}': noteId,
    'revisions/{revisionId}': revisionId,
    'views/{id}': view.id,
    'records/views/{id}': row_view.id,
    'lenses/{id}': lens.id,
    'presets/{idOrName}': preset.id,
    'quick-access/{id}': item.id,
    'tags/{id}': String(body.tags[0].id),
    'tags/{name}': body.tags[0].name,
    'properties/{idOrKey}': property.id,
    'structures/{nameOrId}': structure.id,
    'records/{id}': records[0].id,
    'files/{id}': fileId,
    'shares/{id}': share.id,
    'comments/{id}': comment.id,
    'sources/{id}': source.id,
    'sources/deliveries/{deliveryId}': passedOn.deliveries[0].id,
    'events/{eventId}': received.event_id,
    'in/{token}': path.slice('/in/'.length),
    'webhooks/{id}': webhook.id,
    'deliveries/{deliveryId}': tested.delivery.id,
  }
}

/** Samples with more people, and with objects that only requests of the application name. */
async function makeSampled() {
  const service = await startService()
  const samples = await makeSamples(service)
  const vera = service.as(await service.newKey({ user: 'Vera', role: 'editor' }))
  const { key, user_id, workspace_id } = (await vera.get('/v1/me')).body
  const connected = await connectApp(service, 'Vera')
  await service.post('/v1/notes', { title: 'Tagged', tags: ['other'] })
  const all: Samples = {
    ...samples,
    app: connected.id,
    key: key.id,
    member: user_id,
    workspace: workspace_id,
    'other tag': String((await tagNamed(service, 'other')).id),
  }
  const content = contentOf(service)
  service.close()
  return { samples: all, content }
}

let sampled: ReturnType<typeof makeSampled> | undefined

/** Starts a service with one object of every kind, which are created once for all tests of a process. */
export async function startSampled(options: TestServiceOptions = {}) {
  sampled ??= makeSampled()
  const { samples, content } = await sampled
  const clock = testClock(Date.parse('2026-11-21T09:31:00.000Z'))
  return { service: await startService({ content, clock, ...options }), samples }
}

/** The URL that the source passes its events on to. */
export const TARGET = 'https://books.example.com/stripe'

/**
 * Returns the position of a parameter in a path: its name after the preceding segment, or after two where one is
 * ambiguous.
 */
export function placeOf(segments: readonly string[], index: number): string {
  const [before, further] = segments
    .slice(0, index)
    .toReversed()
    .filter((named) => !named.startsWith('{'))
  if (before === 'webhooks' && segments[index + 1] === 'events') return `pulled webhooks/${segments[index]}`
  if (further === 'sources' && before === 'deliveries') return `sources/deliveries/${segments[index]}`
  const collection = `${further}/${before}` === 'records/views' ? 'records/views' : before
  return `${collection}/${segments[index]}`
}

/**
 * Returns `/v1/notes/{id}` with the samples filled in. An unknown parameter throws, because it needs its own sample.
 */
export function filled(path: string, samples: Samples): string {
  const segments = path.split('/')
  return segments
    .map((segment, index) => {
      if (!segment.startsWith('{')) return segment
      const sample = samples[placeOf(segments, index)]
      if (sample === undefined)
        throw new Error(`test/contract/samples.ts makes no ${placeOf(segments, index)}`)
      return encodeURIComponent(sample)
    })
    .join('/')
}
