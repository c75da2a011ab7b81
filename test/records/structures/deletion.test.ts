import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sizesOf } from '../../support/database.ts'
import { runJobs } from '../../support/jobs.ts'
import { declare, list, write } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'
import { deleteStructure, markDeleted } from '../../support/structures.ts'
import { deliveriesOf, subscribe } from '../../support/webhooks.ts'

let service: TestService

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const FIELDS = [{ key: 'n', type: 'number', unique: true }]
const many = (from: number) => Array.from({ length: 500 }, (_, at) => ({ n: from + at }))

/** Returns everything that the file stores for any structure: tables of rows, records and definitions. */
const TABLES = [
  "sqlite_schema WHERE name LIKE 'rows@_%' ESCAPE '@' AND type = 'table'",
  ...['small_rows', 'records', 'structures', 'structure_stats'],
]

test('a deleted structure leaves nothing behind, and others keep everything', async () => {
  await declare(service, 'Kept', FIELDS)
  const [kept] = await write(service, 'Kept', { n: 1 })
  await declare(service, 'Gone', FIELDS)
  for (const from of [0, 500, 1000]) await write(service, 'Gone', ...many(from))
  const [gone] = (await list(service, 'Gone')).body.records
  await service.delete(`/v1/records/${gone.id}`)

  await deleteStructure(service, 'gone')

  expect(sizesOf(service, ...TABLES)).toEqual([0, 1, 1, 1, 1])
  expect((await list(service, 'Gone')).status).toBe(404)
  expect((await service.post(`/v1/records/${gone.id}/restore`)).status).toBe(404)
  expect((await list(service, 'Kept')).body.records).toEqual([kept])
  await declare(service, 'Gone', FIELDS)
  expect((await list(service, 'Gone')).body.total).toBe(0)
})

test('a deleted structure deletes its webhooks with their deliveries and events, and no others', async () => {
  const counts = () => sizesOf(service, 'webhooks', 'webhook_deliveries', 'webhook_events')
  for (const name of ['Kept', 'Gone']) await declare(service, name, FIELDS)
  const { id } = await subscribe(service, 'Kept', 'https://hooks.example.com')
  for (const name of ['Gone', 'Gone']) await subscribe(service, name, 'https://hooks.example.com')
  for (const name of ['Kept', 'Gone']) await write(service, name, { n: 1 }, { n: 2 })
  const kept = await deliveriesOf(service, id)
  expect(counts()).toEqual([3, 6, 4])

  await deleteStructure(service, 'Gone')
  await runJobs(service.ctx)

  expect(counts()).toEqual([1, 2, 2])
  expect(await deliveriesOf(service, id)).toEqual(kept)
})

test('a deletion that was interrupted is not visible and is finished later', async () => {
  await declare(service, 'Gone', FIELDS)
  const [record] = await write(service, 'Gone', { n: 1 })
  await markDeleted(service, 'Gone')
  expect(sizesOf(service, 'small_rows', 'records')).toEqual([1, 1])
  expect((await service.get('/v1/records/structures')).body).toEqual({ structures: [] })
  expect((await service.patch(`/v1/records/${record.id}`, { data: { n: 2 } })).status).toBe(404)
  expect((await service.get('/v1/workspace')).body.workspace.counts).toMatchObject({
    structures: 0,
    records: 0,
  })

  await runJobs(service.ctx)

  expect(sizesOf(service, ...TABLES)).toEqual([0, 0, 0, 0, 0])
})

test('two processes that finish one deletion do not hinder each other', async () => {
  await declare(service, 'Gone', FIELDS)
  for (const from of [0, 500, 1000, 1500]) await write(service, 'Gone', ...many(from))
  const { ctx } = service
  await Promise.all([deleteStructure(service, 'Gone'), runJobs(ctx), runJobs(ctx)])
  expect(sizesOf(service, ...TABLES)).toEqual([0, 0, 0, 0, 0])
})

test('a definition that points to a deleted structure is still patched as it was read', async () => {
  const gone = await declare(service, 'Gone', FIELDS)
  const { fields } = await declare(service, 'Kept', [{ key: 'r', type: 'record', structure: 'Gone' }])
  await deleteStructure(service, 'Gone')
  const patch = async (sent: unknown[]) =>
    (await service.patch('/v1/records/structures/Kept', { fields: sent })).body

  const added = await patch([...fields, { key: 'n', type: 'number' }])
  expect(added.structure.fields.map(({ structure }: { structure: string }) => structure)).toEqual([
    gone.id,
    null,
  ])
  expect(await patch([...fields, { key: 'other', type: 'record', structure: gone.id }])).toEqual({
    error: `"fields[1].structure" names "${gone.id}", and there is no such structure here.`,
    code: 'refused',
  })
})

test('an unknown structure is not found', async () => {
  await expect(deleteStructure(service, 'Nothing')).rejects.toMatchObject({
    code: 'not_found',
  })
})
