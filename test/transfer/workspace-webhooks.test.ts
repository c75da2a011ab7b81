import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { newFolder } from '../support/process.ts'
import { declare } from '../support/records.ts'
import { startService } from '../support/service.ts'
import { exportTo, importFrom } from '../support/workspace-files.ts'

/** Imports a workspace of one structure, with these webhooks in its file. */
async function importedWith(webhooks: (structure: string) => object[]) {
  const folder = newFolder()
  const [origin, other] = [await startService(), await startService()]
  const { id: structure } = await declare(origin, 'Books', [{ key: 'title', type: 'text' }])
  exportTo(origin, folder.file('export'))
  writeFileSync(folder.file('export/webhooks.json'), JSON.stringify(webhooks(structure)))
  const report = await importFrom(other, folder.file('export'))
  const { body } = await other.get('/v1/webhooks')
  folder.remove()
  for (const service of [origin, other]) service.close()
  return { report, webhooks: body.webhooks }
}

const least = (structure: string) => ({
  id: '019aa1f2-7c3e-7001-8a4b-6f0c2d9e1b35',
  created_at: '2026-11-21T09:30:00.000Z',
  structure,
  url: 'https://hooks.example.com/books',
})

test('a webhook with only its required members is imported as the API would create it', async () => {
  const { report, webhooks } = await importedWith((structure) => [least(structure)])
  expect(report.refused).toEqual([])
  expect(webhooks).toEqual([
    {
      ...least(webhooks[0]?.structure.id),
      structure: { id: expect.any(String), name: expect.any(String) },
      events: ['record.created', 'record.updated', 'record.deleted'],
      filter: [],
      fields: null,
      ignore_own_key: false,
      ignore_key_id: null,
      description: null,
      enabled: true,
      status: 'enabled',
      paused_at: null,
      consecutive_failures: 0,
      created_by_key_id: null,
      updated_at: '2026-11-21T09:30:00.000Z',
    },
  ])
})

test('a webhook that names an unknown field is refused, and nothing is imported', async () => {
  const { report, webhooks } = await importedWith((structure) => [{ ...least(structure), fields: ['pages'] }])
  expect(report).toMatchObject({
    isWritten: false,
    refused: [
      {
        place: 'webhooks.json, entry 1',
        reason: '"fields" names "pages", and the structure has no such field.',
      },
    ],
  })
  expect(webhooks).toEqual([])
})

test('webhooks of notes, files and moments are restored, with the tag ids of this workspace', async () => {
  const folder = newFolder()
  const [origin, other] = [await startService(), await startService()]
  await declare(origin, 'Books', [{ key: 'due', type: 'date' }])
  await other.post('/v1/notes', { title: 'a', tags: ['first'] })
  await origin.post('/v1/notes', { title: 'a', tags: ['work'] })
  const tag_ids = [(await origin.get('/v1/tags')).body.tags[0].id]
  const url = 'https://hooks.example.com/books'
  const due = { field: 'due', offset_days: -3, at: '09:30', tz: 'Europe/Berlin' }
  for (const hook of [
    {
      kind: 'note',
      filter: { type: 'tags', op: 'has_any', tag_ids },
      quiet_seconds: 5,
      include_content: true,
    },
    { kind: 'file', format: 'ntfy', template: '{file.file_name}' },
    { structure: 'Books', events: ['record.due'], due, format: 'slack', template: '{record.due}' },
  ])
    expect((await origin.post('/v1/webhooks', { url, ...hook })).status).toBe(201)
  exportTo(origin, folder.file('export'))
  const report = await importFrom(other, folder.file('export'))
  expect(report.refused).toEqual([])
  const before = (await origin.get('/v1/webhooks')).body.webhooks
  const after = (await other.get('/v1/webhooks')).body.webhooks
  const tag = (await other.get('/v1/tags')).body.tags.find(({ name }: { name: string }) => name === 'work').id
  expect(tag).not.toBe(tag_ids[0])
  before[0].filter.tag_ids = [tag]
  expect(after).toEqual(before)
  folder.remove()
  for (const service of [origin, other]) service.close()
})
