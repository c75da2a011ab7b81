import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { runs } from '../support/counts.ts'
import { makeNote, readNote, revisionsOf } from '../support/notes.ts'
import { clientOf, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const WRITERS = 16

/** All writers send the same `if_unchanged` at once, in several rounds; exactly one may win each round. */
async function race(
  patch: (id: string, body: object) => Promise<{ status: number; body: { code?: string } }>,
) {
  const note = await makeNote(service)
  for (let round = 0; round < runs(10, 200); round++) {
    const { updated_at } = await readNote(service, note.id)
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) =>
        patch(note.id, { content: `${round} by ${writer}`, if_unchanged: updated_at }),
      ),
    )
    const winner = answers.findIndex(({ status }) => status === 200)
    const codes = answers.filter((_, at) => at !== winner).map(({ status, body }) => [status, body.code])
    expect(codes).toEqual(Array.from({ length: WRITERS - 1 }, () => [409, 'stale']))
    expect((await readNote(service, note.id)).content).toBe(`${round} by ${winner}`)
  }
  const { body } = await service.get(`/v1/notes/${note.id}/revisions?limit=200`)
  expect(body.revisions).toHaveLength(Math.min(200, runs(10, 200)))
}

describe('exactly one of concurrent writers with one if_unchanged succeeds each round', () => {
  test('in one process', () => race((id, body) => service.patch(`/v1/notes/${id}`, body)))

  test('over sockets', async () => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => service.app.fetch(request),
    })
    const overSocket = clientOf(
      { fetch: (request) => fetch(request.url.replace('http://localhost', server.url.origin), request) },
      service.key,
    )
    await race((id, body) => overSocket.patch(`/v1/notes/${id}`, body))
    await server.stop(true)
  })
})

const SAME_INSTANT = [
  '2026-11-21T09:30:00.000Z',
  '2026-11-21T09:30:00Z',
  '2026-11-21t09:30:00.0z',
  '2026-11-21T10:30:00+01:00',
  '2026-11-21T00:00:00.000-09:30',
  '2026-11-22T00:00:00.000000000+14:30',
]
const OTHER_INSTANTS = [
  '2026-11-21T09:29:59.999Z',
  '2026-11-21T09:30:00.001Z',
  '2026-11-21T09:30:00.000001Z',
  '2026-11-21T09:30:00.000000001Z',
  '2026-11-21T09:29:59.999999999Z',
  '2026-11-21T09:30:00+01:00',
  '1999-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
]
const NO_INSTANTS = ['', 'now', '2026-11-21', '2026-11-21T09:30:00', '2026-02-30T00:00:00Z', '1763717400000']

test('instants are compared, however they are written', async () => {
  const note = await makeNote(service)
  for (const instant of SAME_INSTANT) {
    expect((await service.patch(`/v1/notes/${note.id}`, { if_unchanged: instant })).body).toEqual({ note })
  }
})

test('any other instant is stale, earlier or later, also when the patch would change nothing', async () => {
  const note = await makeNote(service, { content: 'text' })
  for (const instant of OTHER_INSTANTS) {
    for (const patch of [{}, { content: 'text' }, { content: 'new', tags: ['t'] }]) {
      const { status, body } = await service.patch(`/v1/notes/${note.id}`, {
        ...patch,
        if_unchanged: instant,
      })
      expect([instant, status, body.code]).toEqual([instant, 409, 'stale'])
    }
  }
  expect(await readNote(service, note.id)).toEqual(note)
  expect(await revisionsOf(service, note.id)).toEqual([])
  expect((await service.get('/v1/tags')).body.tags).toEqual([])
})

test('refuses a value that is no timestamp, even for a note that does not exist', async () => {
  const note = await makeNote(service)
  for (const id of [note.id, 'none']) {
    for (const if_unchanged of [...NO_INSTANTS, null, 5]) {
      const { status, body } = await service.patch(`/v1/notes/${id}`, { content: 'new', if_unchanged })
      expect([status, body.code]).toEqual([400, 'invalid_request'])
    }
  }
  expect(await readNote(service, note.id)).toEqual(note)
})

test('changes of tags and properties make it stale, renames of them do not', async () => {
  await service.post('/v1/properties', { key: 'size', type: 'number' })
  const note = await makeNote(service, { tags: ['a'] })
  const tag = (await service.get('/v1/tags')).body.tags[0]
  await service.patch(`/v1/tags/${tag.id}`, { name: 'b' })
  await service.patch('/v1/properties/size', { key: 'length', label: 'Length' })
  const path = `/v1/notes/${note.id}`
  const guarded = async () => (await service.patch(path, { if_unchanged: note.updated_at })).status
  expect(await guarded()).toBe(200)
  await service.patch(`${path}/properties`, { length: 1 })
  expect(await guarded()).toBe(409)
})
