import { afterEach, beforeEach, expect, test } from 'bun:test'
import { runInProcess } from '../../support/cli.ts'
import { makeNote } from '../../support/notes.ts'
import { newFolder } from '../../support/process.ts'
import { committed, startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)

test('a key returns its user, workspace and scope', async () => {
  const { status, body } = await service.get('/v1/me')
  expect([status, body]).toEqual([
    200,
    { user_id: id, workspace_id: id, key: { id, name: 'first key', scope: 'write' } },
  ])
  const reader = await service.as(await service.newKey({ scope: 'read' })).get('/v1/me')
  expect(reader.body).toEqual({ ...body, key: { id, name: 'test key', scope: 'read' } })
  const viewer = await service.as(await service.newKey({ user: 'Vera', role: 'viewer' })).get('/v1/me')
  expect(viewer.body.workspace_id).toBe(body.workspace_id)
  expect(viewer.body.user_id).not.toBe(body.user_id)
})

test('a key is valid until the instant of its expiry, exclusively', async () => {
  const lent = service.as(await service.newKey({ expiresAt: service.clock.now() + 1_000 }))
  service.clock.advance(999)
  expect((await lent.get('/v1/me')).status).toBe(200)
  service.clock.advance(1)
  const { status, body } = await lent.get('/v1/me')
  expect([status, body]).toEqual([401, { error: expect.any(String), code: 'unauthorized' }])
})

test('a key that a command has just created is accepted immediately', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const server = await startService({ file })
  expect((await server.get('/v1/me')).status).toBe(200)
  // The use of the key must already be recorded, because that commit would end the read snapshot.
  await committed(server)
  for (let round = 0; round < 3; round++) {
    // The server reads from the snapshot of this instant for some milliseconds.
    expect((await server.get('/v1/me')).status).toBe(200)
    const { out } = await runInProcess(['keys', 'create', '--name', `key ${round}`, '--db', file])
    expect((await server.as(out.trim()).get('/v1/me')).status).toBe(200)
    await committed(server)
  }
  server.close()
  folder.remove()
})

test('a workspace counts its own objects only', async () => {
  const empty = (await service.get('/v1/workspace')).body.workspace
  expect(empty).toEqual({
    id: (await service.get('/v1/me')).body.workspace_id,
    name: 'Personal',
    created_at: '2026-11-21T09:30:00.000Z',
    counts: Object.fromEntries(Object.keys(empty.counts).map((kind) => [kind, 0])),
  })
  expect(Object.keys(empty.counts)).toEqual([
    'notes',
    'trashed_notes',
    'structures',
    'records',
    'tags',
    'properties',
    'presets',
    'views',
    'lenses',
    'quick_access',
    'files',
    'webhooks',
  ])
  const other = service.as(await service.newWorkspace('Other'))
  const before = (await other.get('/v1/workspace')).body
  await makeNote(service, { tags: ['a', 'b'] })
  const gone = await makeNote(service)
  await service.delete(`/v1/notes/${gone.id}`)
  await service.post('/v1/properties', { key: 'size', type: 'number' })
  expect((await service.get('/v1/workspace')).body.workspace).toEqual({
    ...empty,
    counts: { ...empty.counts, notes: 1, trashed_notes: 1, tags: 2, properties: 1 },
  })
  expect((await other.get('/v1/workspace')).body).toEqual(before)
  expect(before.workspace.name).toBe('Other')
})
