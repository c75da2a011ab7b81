import { afterEach, beforeEach, expect, test } from 'bun:test'
import { History } from '../../support/change-history.ts'
import { expireChanges } from '../../support/jobs.ts'
import { mirrorOf, type TestMirror } from '../../support/mirror.ts'
import { startService, type TestService } from '../../support/service.ts'

/* A newer minor version of the API adds attributes; a copy works without them. */

let service: TestService
let mirror: TestMirror
/** The attributes that the newer remote adds. */
let added: object

interface Sent {
  readonly kind?: string
  readonly op?: string
  readonly changed?: string[]
  readonly previous?: object
  readonly object?: { fields?: object[] } | null
}

function newer(sent: Sent): Sent {
  if (!sent.object) return sent
  const fields = sent.object.fields?.map((field) => ({ ...field, pattern: '^a' }))
  const object = { ...sent.object, ...(fields && { fields }), flavour: { of: ['vanilla'] } }
  if (sent.op !== 'updated' || sent.kind === 'record') return { ...sent, ...added, object }
  return {
    ...sent,
    ...added,
    object,
    changed: [...(sent.changed ?? []), 'flavour'],
    previous: { ...sent.previous, flavour: null },
  }
}

async function between(request: Request, answer: () => Promise<Response>): Promise<Response> {
  const { pathname } = new URL(request.url)
  const response = await answer()
  if (!response.ok) return response
  if (pathname === '/v1/changes/snapshot') {
    const lines = (await response.text()).trimEnd().split('\n')
    return new Response(lines.map((line) => `${JSON.stringify(newer(JSON.parse(line)))}\n`).join(''))
  }
  if (pathname !== '/openapi.json' && pathname !== '/v1/changes') return response
  const body = (await response.json()) as { info: { version: string }; changes: Sent[] }
  if (pathname === '/openapi.json') body.info.version = '1.99.0'
  else body.changes = body.changes.map(newer)
  return Response.json(body)
}

beforeEach(async () => {
  added = { weather: 'fair' }
  service = await startService()
})

afterEach(async () => {
  await mirror.close()
  service.close()
})

const snapshotOf = async (client: Pick<TestService, 'get'>) =>
  ((await client.get('/v1/changes/snapshot')).body as string)
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/"enabled":true,"status":"\w+"/, '"enabled":false,"status":"disabled"'))
    .sort()

test('copies and follows a remote of a newer minor version, without the parts only that version knows', async () => {
  const history = new History(service, 7)
  for (let step = 0; step < 30; step++) await history.step()
  await service.post('/v1/notes', { title: 'tagged', tags: ['tagged'] })
  mirror = await mirrorOf(service, { between })
  expect(await snapshotOf(mirror)).toEqual(await snapshotOf(service))
  const { cursor } = (await mirror.get('/v1/changes?after=now')).body
  const { tags } = (await service.get('/v1/tags')).body
  await service.patch(`/v1/tags/${tags[0].id}`, { color: '#123456' })
  for (let step = 0; step < 30; step++) await history.step()
  await mirror.catchUp()
  expect(await snapshotOf(mirror)).toEqual(await snapshotOf(service))
  const log = (await mirror.get(`/v1/changes?limit=1000&after=${cursor}`)).body.changes
  expect(log).toContainEqual(expect.objectContaining({ kind: 'tag', op: 'updated', changed: ['color'] }))
  expect(JSON.stringify(log)).not.toMatch(/flavour|weather|pattern/)
}, 60_000)

test('parts that only a newer version knows are no difference when the copy is verified or recreated', async () => {
  await service.post('/v1/records/structures', { name: 'Rows', fields: [{ key: 'n', type: 'number' }] })
  const { note } = (await service.post('/v1/notes', { title: 'one', tags: ['a'] })).body
  mirror = await mirrorOf(service, { between })
  expect(await mirror.differing()).toEqual([])
  const { cursor } = (await mirror.get('/v1/changes?after=now')).body
  await service.patch(`/v1/notes/${note.id}`, { title: 'two' })
  service.clock.advance(1_000)
  await expireChanges(service.ctx)
  await mirror.catchUp()
  const { changes } = (await mirror.get(`/v1/changes?after=${cursor}`)).body
  expect(changes.map(({ kind, op, changed }: Required<Sent>) => [kind, op, changed])).toEqual([
    ['note', 'updated', ['title']],
  ])
}, 60_000)

test('applies the result of an operation that only a newer version knows', async () => {
  mirror = await mirrorOf(service, { between })
  added = { op: 'archived' }
  await service.post('/v1/notes', { title: 'x' })
  await mirror.catchUp()
  expect((await mirror.get('/v1/notes')).body.total).toBe(1)
}, 60_000)
