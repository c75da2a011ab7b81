import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { FORMAT } from '../../src/transfer/workspace/format.ts'
import { alter } from '../support/database.ts'
import { makeNote } from '../support/notes.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'
import { newVaultTest } from '../support/vault.ts'
import { importFrom } from '../support/workspace-files.ts'

/* Limits apply to additions. Existing objects beyond them can be imported, updated and restored. */

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const run = (text: string, ...values: (string | number)[]) => alter(service, text, ...values)

const undoNewest = async () => {
  const { changes } = (await service.get('/v1/changes?before=now&limit=1')).body
  return service.post('/v1/changes/undo', { transaction: changes[0].transaction })
}

const propertiesOf = async (id: string) => (await service.get(`/v1/notes/${id}/properties`)).body.properties

const IDENTITY = { created_at: '2026-11-21T09:30:00.000Z', updated_at: '2026-11-21T09:30:00.000Z' }
const idOf = (at: number) => `019aa1f2-7c3e-7001-8a4b-${String(at).padStart(12, '0')}`

const LONG_OPTIONS = Array.from({ length: 300 }, (_, at) => `${at}`.padEnd(500, 'x'))

/** Imports an exported workspace with these files. */
async function importFiles(files: Record<string, object>) {
  const folder = newFolder()
  for (const [name, content] of Object.entries({ 'daybook.json': { format: FORMAT }, ...files }))
    writeFileSync(folder.file(name), JSON.stringify(content))
  const report = await importFrom(service, folder.path)
  folder.remove()
  return report
}

test('an exported property with options over the limit is imported', async () => {
  const property = { ...IDENTITY, id: idOf(1), key: 'state', type: 'select', options: LONG_OPTIONS }
  expect((await importFiles({ 'properties.json': [property] })).refused).toEqual([])
  expect((await service.get('/v1/properties/state')).body.property.options).toEqual(LONG_OPTIONS)
})

test('a select with options over the limit may be given fewer, but not more', async () => {
  const options = LONG_OPTIONS
  await service.post('/v1/properties', { key: 'state', type: 'select', options: ['open'] })
  await run('UPDATE properties SET options = ?', JSON.stringify(options))
  const patch = async (wanted: string[]) =>
    (await service.patch('/v1/properties/state', { options: wanted })).status
  expect(await patch(options.toReversed())).toBe(200)
  expect(await patch(options.slice(1))).toBe(200)
  expect(await patch(options)).toBe(400)
})

test('options are counted in characters, as other texts are', async () => {
  const options = Array.from({ length: 200 }, (_, at) => String.fromCodePoint(0x1f300 + at).repeat(500))
  const { status } = await service.post('/v1/properties', { key: 'state', type: 'select', options })
  expect(status).toBe(201)
})

test('a file with more front matter keys than a note may be given is imported again', async () => {
  const vault = await newVaultTest()
  const keys = Array.from({ length: 1_001 }, (_, at) => `key${at}: `)
  const withValue = (value: string) => `---\n${keys.map((key) => key + value).join('\n')}\n---\nbody`
  vault.write({ 'A.md': withValue('1') })
  expect((await vault.run()).exitCode).toBe(0)
  vault.write({ 'A.md': withValue('2') })
  const { exitCode, report } = await vault.report('--update')
  expect([exitCode, report.refused, report.counts.updated_notes]).toEqual([0, [], 1])
  vault.remove()
})

test('undo restores values over the limit that were cleared', async () => {
  const value = 'x'.repeat(5 * 1024 * 1024)
  for (const key of ['a', 'b']) await service.post('/v1/properties', { key, type: 'json' })
  const { id } = await makeNote(service, { properties: { a: 1, b: 1 } })
  await run('UPDATE note_properties SET value = ?', JSON.stringify(value))
  expect((await service.patch(`/v1/notes/${id}/properties`, { b: null })).status).toBe(200)
  expect((await undoNewest()).status).toBe(200)
  expect((await propertiesOf(id)).b).toHaveLength(value.length)
})

test('a value of a property that is being deleted does not count', async () => {
  for (const key of ['a', 'b']) await service.post('/v1/properties', { key, type: 'json' })
  const { id } = await makeNote(service, { properties: { a: 1 } })
  await run('UPDATE note_properties SET value = ?', JSON.stringify('x'.repeat(8 * 1024 * 1024)))
  await run("DELETE FROM properties WHERE key = 'a'")
  expect((await service.patch(`/v1/notes/${id}/properties`, { b: 'x'.repeat(1024) })).status).toBe(200)
})

describe('a Quick Access over the limit', () => {
  const PINNED = 10_002

  const makeNotes = (count: number) =>
    run(
      `INSERT INTO notes (id, workspace, title, title_fold, created_at, updated_at)
       SELECT printf('${idOf(0).slice(0, -12)}%012d', value), (SELECT pk FROM workspaces), value, value, 0, 0
       FROM json_each(?)`,
      JSON.stringify(Array.from({ length: count }, (_, at) => at)),
    )

  const pinAll = (position: string) =>
    run(
      `INSERT INTO quick_access (id, workspace, note, icon_filled, position, created_at)
       SELECT printf('%032x', pk), workspace, pk, 0, ${position}, 0 FROM notes
       WHERE pk NOT IN (SELECT note FROM quick_access)`,
    )

  test('gets more by an import', async () => {
    await makeNotes(PINNED - 1)
    await pinAll('CAST(title AS INTEGER)')
    const { id: note_id } = await makeNote(service)
    const item = { id: idOf(PINNED), note_id, created_at: IDENTITY.created_at }
    expect((await importFiles({ 'quick-access.json': [item] })).refused).toEqual([])
    const { items } = (await service.get('/v1/quick-access')).body
    expect([items.length, items.at(-1).note_id]).toEqual([PINNED, note_id])
  })

  test('a note over the limit is restored by undo of its deletion', async () => {
    await makeNotes(PINNED - 1)
    await pinAll('CAST(title AS INTEGER) + 1')
    const { id } = await makeNote(service)
    await pinAll('0')
    await service.delete(`/v1/notes/${id}`)
    expect((await undoNewest()).status).toBe(200)
    const { items } = (await service.get('/v1/quick-access')).body
    expect([items.length, items[0].note_id]).toEqual([PINNED, id])
  })
})
