import { makeFile } from './files.ts'
import { mirrorOf } from './mirror.ts'
import { startService, type TestService } from './service.ts'
import { makePayments } from './sources.ts'

/* A workspace with an object of each kind that a mirror copies, and a front server that omits some attributes. */

type Shown = Record<string, unknown>

interface Notification {
  kind: string
  readonly object: Shown | null
}

/** Changes an object, or the kind in `told`, to the state that another version of the server would send. */
export type Alter = (kind: string, object: Shown, told: Notification) => void

const altered = <Line extends Notification>(told: Line, alter: Alter): Line => {
  alter(told.kind, told.object ?? {}, told)
  return told
}

async function alteredBy(request: Request, response: Response, alter: Alter): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (!response.ok) return response
  if (pathname === '/v1/changes/snapshot') {
    const lines = (await response.text()).trimEnd().split('\n')
    return new Response(
      lines
        .map(
          (line) =>
            `${line.startsWith('{"kind"') ? JSON.stringify(altered(JSON.parse(line), alter)) : line}\n`,
        )
        .join(''),
    )
  }
  if (pathname === '/v1/changes') {
    const page = (await response.json()) as { changes: Notification[] }
    return Response.json({ ...page, changes: page.changes.map((told) => altered(told, alter)) })
  }
  if (pathname !== '/v1/records/structures') return response
  const { structures } = (await response.json()) as { structures: Shown[] }
  return Response.json({
    structures: structures.map((object) => altered({ kind: 'structure', object }, alter).object),
  })
}

/** A mirror of a service in which `alter` changes each object before it is sent. */
export const mirrorOfAltered = (service: TestService, alter: Alter) =>
  mirrorOf(service, { between: async (request, answer) => alteredBy(request, await answer(), alter) })

/** Starts the service; returns it with its objects, one of each kind. */
export async function startFullService() {
  const service = await startService()
  const make = async (path: string, body: object) => {
    const made = await service.post(path, body)
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    return made.body
  }
  await make('/v1/properties', { key: 'status', type: 'select', options: ['open'], is_pinned: true })
  const filter = { type: 'field', field: 'title', op: 'contains', value: 'a' }
  const { note } = await make('/v1/notes', {
    title: 'Ada',
    content: 'Engines',
    tags: ['work', 'tea'],
    alias: 'a',
    properties: { status: 'open' },
  })
  const { tags } = (await service.get('/v1/tags')).body
  await service.put(`/v1/tags/${tags[0].id}/links`, { linked_tag_ids: [tags[1].id] })
  const payments = await makePayments(service, { icon: 'book', unique_together: [['number', 'paid']] })
  await make('/v1/records', { structure: payments, data: { number: 'one', amount: 1 } })
  await make('/v1/presets', { name: 'Meeting', tags: ['work'], content: '##' })
  await make('/v1/views', { name: 'Open', filter, is_default: true, icon: 'book' })
  await make('/v1/lenses', { name: 'Work', scope: filter })
  await make('/v1/quick-access', { note_id: note.id, color: '#123456' })
  await makeFile(service, { name: 'book.txt', noteId: note.id, pages: ['one', 'two'] })
  await make('/v1/webhooks', { structure: payments, url: 'https://example.com/hook' })
  await make('/v1/sources', {
    name: 'Payments',
    structure: payments,
    provider: 'none',
    options: { unverified: true },
    map: { number: '/n' },
  })
  await make('/v1/comments', { note_id: note.id, text: 'Which engine?' })
  await make('/v1/records/views', { structure: payments, name: 'Board', kind: 'board', group_by: 'paid' })
  const examples = new Map<string, Shown>()
  const { body } = await service.get('/v1/changes/snapshot?edited=true')
  for (const line of (body as string).trimEnd().split('\n').slice(1, -1)) {
    const { kind, object } = JSON.parse(line)
    examples.set(kind, object)
  }
  return { service, examples }
}

export type FullService = Awaited<ReturnType<typeof startFullService>>

/** Changes the object of each kind that can be changed; `round` makes each change differ. */
export async function changeAll({ service, examples }: FullService, round: number): Promise<void> {
  const idOf = (kind: string) => examples.get(kind)?.id
  await service.patch(`/v1/notes/${idOf('note')}`, { title: `Ada ${round}` })
  await service.patch(`/v1/tags/${idOf('tag')}`, { is_pinned: round % 2 === 1 })
  await service.patch(`/v1/properties/${idOf('property')}`, { label: `Status ${round}` })
  await service.patch(`/v1/records/structures/${idOf('structure')}`, { description: `It ${round}` })
  await service.patch(`/v1/records/${idOf('record')}`, { data: { amount: round } })
  await service.patch(`/v1/presets/${idOf('preset')}`, { content: `Text ${round}` })
  await service.patch(`/v1/views/${idOf('view')}`, { name: `Open ${round}` })
  await service.patch(`/v1/lenses/${idOf('lens')}`, { name: `Work ${round}` })
  await service.patch(`/v1/quick-access/${idOf('quick_access_item')}`, { icon: `icon${round}` })
  await service.patch(`/v1/webhooks/${idOf('webhook')}`, { description: `It ${round}` })
  await service.patch(`/v1/sources/${idOf('source')}`, { description: `It ${round}` })
  await service.patch(`/v1/comments/${idOf('comment')}`, { text: `Which of ${round}?` })
  await service.patch(`/v1/records/views/${idOf('row_view')}`, { search: `s${round}` })
}
