import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { FORMAT } from '../../../src/transfer/workspace/format.ts'
import { newFolder } from '../../support/process.ts'
import { declare, field } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'
import { importFrom } from '../../support/workspace-files.ts'

let service: TestService

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const KEYS = Array.from({ length: 100 }, (_, at) => `f${at}`)
const FIELDS = KEYS.map((key) => field(key, 'text', { unique: true }))
const PAIRS = KEYS.slice(0, 50).map((key, at) => [key, `f${at + 1}`])

test('a structure has at most 200 fields in its unique sets', async () => {
  const most = await declare(service, 'Most', FIELDS, { unique_together: PAIRS })
  expect(most.unique_together).toEqual(PAIRS)
  const refusal = {
    code: 'refused',
    error: expect.stringMatching(/would be 201 in all.* at most 200, so leave some out/),
  }
  const [first = [], ...others] = PAIRS
  const tooMany = { fields: FIELDS, unique_together: [[...first, 'f2'], ...others] }
  const created = await service.post('/v1/records/structures', { name: 'More', ...tooMany })
  expect([created.status, created.body]).toEqual([400, refusal])
  const patched = await service.patch('/v1/records/structures/Most', tooMany)
  expect([patched.status, patched.body]).toEqual([400, refusal])
  expect((await service.get('/v1/records/structures/Most')).body.structure).toEqual(most)
})

test('more fields in unique sets than a structure may have now stay where they were', async () => {
  const sets = [KEYS.slice(0, 99), KEYS.slice(1)]
  const folder = newFolder()
  mkdirSync(folder.file('structures'))
  const id = '019aa1f2-7c3e-7001-8a4b-6f0c2d9e1b35'
  const created_at = '2026-11-21T09:30:00.000Z'
  const old = { id, created_at, name: 'Old', fields: FIELDS, unique_together: sets }
  writeFileSync(folder.file('daybook.json'), JSON.stringify({ format: FORMAT }))
  writeFileSync(folder.file('structures/old.json'), JSON.stringify(old))
  writeFileSync(folder.file('structures/old.jsonl'), '')
  expect((await importFrom(service, folder.path)).refused).toEqual([])
  folder.remove()
  const patch = async (change: object) => (await service.patch('/v1/records/structures/Old', change)).status
  expect(await patch({ description: 'As before' })).toBe(200)
  expect(await patch({ unique_together: [...sets, ['f0', 'f1']] })).toBe(400)
  expect(await patch({ unique_together: sets.slice(1) })).toBe(200)
  expect(await patch({ unique_together: sets })).toBe(400)
})

test('rows with long texts in many unique sets are written in batches of a tenth of a second', async () => {
  const sets = KEYS.slice(1, 40).map((key) => ['f0', key])
  const fields = KEYS.slice(0, 40).map((key) => field(key, 'text'))
  await declare(service, 'Long', fields, { unique_together: sets })
  const text = 'x'.repeat(99_990)
  const rows = Array.from({ length: 6 }, (_, at) => ({ data: { f0: text + at } }))
  const send = (count: number) =>
    service.post('/v1/records', { structure: 'Long', rows: rows.slice(0, count) })
  expect((await send(5)).status).toBe(400)
  expect((await send(5)).body).toEqual({
    code: 'invalid_request',
    error: expect.stringMatching(/fewer rows/),
  })
  expect((await send(4)).body.inserted).toBe(4)
})
