import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { FORMAT } from '../../src/transfer/workspace/format.ts'
import { newFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { importFrom } from '../support/workspace-files.ts'

const IDENTITY = { id: '019aa1f2-7c3e-7001-8a4b-6f0c2d9e1b35', created_at: '2026-11-21T09:30:00.000Z' }

const FILES = {
  'daybook.json': { format: FORMAT },
  'tags.json': [{ id: 7, name: 'work' }],
  'properties.json': [{ ...IDENTITY, key: 'due', type: 'date' }],
  'presets.json': [{ ...IDENTITY, name: 'Meeting' }],
  'views.json': [{ ...IDENTITY, name: 'Newest' }],
  'lenses.json': [{ ...IDENTITY, name: 'All' }],
}

test('objects with only their required members are imported as the API would create them', async () => {
  const folder = newFolder()
  for (const [name, content] of Object.entries(FILES))
    writeFileSync(folder.file(name), JSON.stringify(content))
  const [service, other] = [await startService(), await startService()]
  const report = await importFrom(service, folder.path)
  expect(report.refused).toEqual([])
  await other.post('/v1/notes', { title: 'A', tags: ['work'] })
  await other.post('/v1/properties', { key: 'due', type: 'date' })
  await other.post('/v1/presets', { name: 'Meeting' })
  await other.post('/v1/views', { name: 'Newest' })
  await other.post('/v1/lenses', { name: 'All' })
  for (const kind of ['tags', 'properties', 'presets', 'views', 'lenses']) {
    const [imported, created] = await Promise.all([service, other].map((one) => one.get(`/v1/${kind}`)))
    const expected =
      kind === 'tags' ? { id: 7, note_count: 0 } : { ...IDENTITY, updated_at: IDENTITY.created_at }
    expect(imported?.body).toEqual({ [kind]: [{ ...created?.body[kind][0], ...expected }] })
  }
  for (const one of [service, other]) one.close()
  folder.remove()
})

test('invisible names, which an older version allowed, are imported as they are', async () => {
  const folder = newFolder()
  const name = '\u200b'
  const named = {
    'daybook.json': { format: FORMAT },
    'tags.json': [{ id: 7, name }],
    'presets.json': [{ ...IDENTITY, name }],
    'views.json': [{ ...IDENTITY, name }],
    'lenses.json': [{ ...IDENTITY, name }],
  }
  for (const [file, content] of Object.entries(named))
    writeFileSync(folder.file(file), JSON.stringify(content))
  const service = await startService()
  const { refused } = await importFrom(service, folder.path)
  expect(refused).toEqual([])
  for (const kind of ['tags', 'presets', 'views', 'lenses'])
    expect((await service.get(`/v1/${kind}`)).body[kind]).toMatchObject([{ name }])
  service.close()
  folder.remove()
})
