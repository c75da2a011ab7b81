import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { alter } from '../support/database.ts'
import { newFolder } from '../support/process.ts'
import { declare } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'
import { exportTo, importFrom } from '../support/workspace-files.ts'

let service: TestService
// biome-ignore lint/suspicious/noExplicitAny: answered by the service
let note: any
let tag: number
beforeAll(async () => {
  service = await startService()
  await declare(service, 'Rows', [{ key: 'text', type: 'text' }])
  await service.post('/v1/presets', { name: 'Meeting' })
  note = (await service.post('/v1/notes', { title: 'A', tags: ['one'] })).body.note
  tag = (await service.get('/v1/tags')).body.tags[0].id
})
afterAll(() => service.close())

const fields = [{ key: 'text', type: 'text' }]
const calls: [call: string, send: (name: string) => Promise<{ status: number; body: unknown }>][] = [
  ['a note that is created', (name) => service.post('/v1/notes', { title: 'B', tags: ['two', name] })],
  ['a note that is changed', (name) => service.patch(`/v1/notes/${note.id}`, { tags: [name] })],
  ['tags that are added', (name) => service.post(`/v1/notes/${note.id}/tags`, { tags: [` ${name} `] })],
  ['a tag that is renamed', (name) => service.patch(`/v1/tags/${tag}`, { name })],
  ['a preset', (name) => service.post('/v1/presets', { name })],
  ['a preset that is renamed', (name) => service.patch('/v1/presets/Meeting', { name })],
  ['the tags of a preset', (name) => service.patch('/v1/presets/Meeting', { tags: [name] })],
  ['a structure', (name) => service.post('/v1/records/structures', { name, fields })],
  ['a structure that is renamed', (name) => service.patch('/v1/records/structures/Rows', { name })],
  [
    'changes that are applied',
    (name) =>
      service.post('/v1/changes/apply', {
        changes: [
          { kind: 'note', op: 'created', id: Bun.randomUUIDv7(), data: { title: 'C', tags: [name] } },
        ],
      }),
  ],
]

const everything = async () =>
  Promise.all(
    ['notes', 'tags', 'presets', 'records/structures'].map(
      async (kind) => (await service.get(`/v1/${kind}`)).body,
    ),
  )

describe('a name that no URL can address is refused, and nothing is written', () => {
  test.each(calls)('%s', async (_, send) => {
    const before = await everything()
    for (const name of ['.', '..']) {
      const { status, body } = await send(name)
      expect({ status, body }).toEqual({
        status: 400,
        body: { error: expect.stringContaining(`cannot be named "${name}"`), code: 'refused' },
      })
    }
    expect(await everything()).toEqual(before)
  })
})

test.each(['...', '.a', 'a/b', '%2E%2E', 'a%2Fb', '?', '#', 'a b', '\\', '+', '~', ':', '"'])(
  'the name %p is a tag, a preset and a structure that its URL leads to',
  async (name) => {
    const made = await service.post('/v1/notes', { title: 'Odd', tags: [name] })
    expect(made.status).toBe(201)
    const encoded = encodeURIComponent(name)
    const without = await service.delete(`/v1/notes/${made.body.note.id}/tags/${encoded}`)
    expect([without.status, without.body.note.tags]).toEqual([200, []])
    for (const [kind, one] of [
      ['presets', { name }],
      ['records/structures', { name, fields }],
    ] as const) {
      expect((await service.post(`/v1/${kind}`, one)).status).toBe(201)
      expect((await service.get(`/v1/${kind}/${encoded}`)).status).toBe(200)
    }
  },
)

test('an imported workspace of an older server keeps such names, which can be used and changed', async () => {
  const older = await startService()
  const folder = newFolder()
  await older.post('/v1/notes', { title: 'Old', tags: ['parent folder'] })
  await alter(older, "UPDATE tags SET name = '..', name_fold = '..' WHERE name = 'parent folder'")
  exportTo(older, folder.file('all'))
  const newer = await startService()
  await importFrom(newer, folder.file('all'))
  const { notes } = (await newer.get('/v1/notes')).body
  expect(notes[0].tags).toEqual(['..'])
  expect((await newer.post('/v1/notes', { title: 'New', tags: ['..'] })).status).toBe(201)
  const { tags } = (await newer.get('/v1/tags')).body
  expect((await newer.patch(`/v1/tags/${tags[0].id}`, { name: '..', color: '#1E90FF' })).status).toBe(200)
  expect((await newer.patch(`/v1/tags/${tags[0].id}`, { name: 'parent' })).body.tag.name).toBe('parent')
  await older.close()
  await newer.close()
  folder.remove()
})
