import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { resolveSelection } from '../../../src/transfer/mirror/selection.ts'
import { sizesOf, storedValues } from '../../support/database.ts'
import { makeFile } from '../../support/files.ts'
import { runJobs } from '../../support/jobs.ts'
import { EVERYTHING, mirrorOf, type TestMirror } from '../../support/mirror.ts'
import { startService, type TestService } from '../../support/service.ts'
import { deleteStructure } from '../../support/structures.ts'

/* A selection by name applies to every structure that later has the name. */

const SECRET = 'ada@secret.example'
const SELECTION = { structures: ['Customers'], hasFiles: true, omitFields: ['Customers.email'] }

let service: TestService
let mirror: TestMirror

async function addCustomers(name: string): Promise<string> {
  const fields = [
    { key: 'name', type: 'text' },
    { key: 'email', type: 'text' },
  ]
  const { body } = await service.post('/v1/records/structures', { name, fields })
  await service.post('/v1/records', { structure: name, data: { name: 'Ada', email: SECRET } })
  return body.structure.id
}

beforeEach(async () => {
  service = await startService()
  await addCustomers('Customers')
  mirror = await mirrorOf(service, { selection: SELECTION })
})

afterEach(async () => {
  await mirror.close()
  service.close()
})

const rows = async (structure: string) =>
  (await mirror.get(`/v1/records?structure=${structure}`)).body.records.map(
    ({ data }: { data: object }) => data,
  )

const leakingFiles = () =>
  readdirSync(dirname(mirror.file)).filter(
    (name) =>
      name.startsWith(basename(mirror.file)) &&
      readFileSync(join(dirname(mirror.file), name)).includes(SECRET),
  )

test('a structure that is deleted and recreated is copied without its omitted fields', async () => {
  const { id } = (await service.get('/v1/records/structures')).body.structures[0]
  await deleteStructure(service, id)
  await mirror.catchUp()
  const again = await addCustomers('customers')
  await mirror.catchUp()
  expect(await rows('customers')).toEqual([{ name: 'Ada' }])
  expect(leakingFiles()).toEqual([])
  const [selection = ''] = storedValues<string>(mirror, 'SELECT selection FROM mirrors')
  expect(JSON.parse(selection)).toMatchObject({ omitted: { [again]: ['email'] } })
  await service.patch(`/v1/records/structures/${again}`, { name: 'Clients' })
  await service.post('/v1/records', { structure: 'Clients', data: { name: 'Bob', email: SECRET } })
  await mirror.catchUp()
  expect(await rows('Clients')).toEqual([{ name: 'Bob' }, { name: 'Ada' }])
  expect(leakingFiles()).toEqual([])
}, 60_000)

test('a structure renamed to a selected name is copied with its rows, without its omitted fields', async () => {
  const old = (await service.get('/v1/records/structures')).body.structures[0].id
  const next = await addCustomers('Customers 2')
  await mirror.catchUp()
  expect(await rows('Customers 2')).toEqual([])
  await service.patch(`/v1/records/structures/${old}`, { name: 'Old customers' })
  await service.patch(`/v1/records/structures/${next}`, { name: 'Customers' })
  await mirror.catchUp()
  expect(await rows('Customers')).toEqual([{ name: 'Ada' }])
  expect(await rows('Old customers')).toEqual([{ name: 'Ada' }])
  expect(leakingFiles()).toEqual([])
}, 60_000)

test('an update of omitted fields alone is in the log of the copy without them, for its updated_at', async () => {
  const { cursor } = (await mirror.get('/v1/changes?after=now')).body
  const [{ id }] = (await service.get('/v1/records?structure=Customers')).body.records
  await service.patch(`/v1/records/${id}`, { data: { email: `2${SECRET}` } })
  await service.patch(`/v1/records/${id}`, { data: { email: `3${SECRET}`, name: 'Ada L.' } })
  await mirror.catchUp()
  const { changes } = (await mirror.get(`/v1/changes?include=objects&after=${cursor}`)).body
  expect(changes).toEqual([
    expect.objectContaining({ op: 'updated', changed: [], previous: {} }),
    expect.objectContaining({ op: 'updated', changed: ['name'], previous: { name: 'Ada' } }),
  ])
  expect(changes[0].object).toEqual((await mirror.get(`/v1/records/${id}`)).body.record)
  expect(changes[0].object.data).toEqual({ name: 'Ada L.' })
}, 60_000)

test('the values of formulas over omitted fields never reach the copy, which computes them without these', async () => {
  const [{ id, fields }] = (await service.get('/v1/records/structures')).body.structures
  const shown = { key: 'shown', type: 'formula', expression: '{name} & " " & {email}' }
  const length = { key: 'length', type: 'formula', expression: 'LEN({name})' }
  await service.patch(`/v1/records/structures/${id}`, { fields: [...fields, shown, length] })
  await runJobs(service.ctx)
  await mirror.catchUp()
  const { cursor } = (await mirror.get('/v1/changes?after=now')).body
  const [row] = (await service.get('/v1/records?structure=Customers')).body.records
  expect(row.data).toEqual({ name: 'Ada', email: SECRET, shown: `Ada ${SECRET}`, length: 3 })
  await service.patch(`/v1/records/${row.id}`, { data: { email: `2${SECRET}` } })
  await service.patch(`/v1/records/${row.id}`, { data: { name: 'Eve' } })
  // The rows before hold values of the earlier expression.
  const plain = { ...shown, expression: '{name}' }
  await service.patch(`/v1/records/structures/${id}`, { fields: [...fields, plain, length] })
  await mirror.catchUp()
  const { changes } = (await mirror.get(`/v1/changes?after=${cursor}`)).body
  expect(changes.slice(0, 2)).toMatchObject([
    { changed: [], previous: {} },
    { changed: ['name'], previous: { name: 'Ada' } },
  ])
  await service.patch(`/v1/records/structures/${id}`, { fields: [...fields, shown, length] })
  await runJobs(service.ctx)
  await mirror.catchUp()
  await runJobs(mirror.ctx)
  expect(await rows('Customers')).toEqual([{ name: 'Eve', shown: 'Eve ', length: 3 }])
  expect(await mirror.differing()).toEqual([])
  expect(leakingFiles()).toEqual([])
  const { structures } = (await service.get('/v1/records/structures')).body
  const selection = { ...SELECTION, omitFields: ['Customers.length'] }
  expect(() => resolveSelection(selection, structures)).toThrow('computes "length"')
}, 60_000)

test('a copy without file contents never requests them, has their texts, and returns 404 for their content', async () => {
  const asked: string[] = []
  const bare = await mirrorOf(service, {
    selection: { ...EVERYTHING, hasFiles: false },
    between: (request, answer) => {
      asked.push(new URL(request.url).pathname)
      return answer()
    },
  })
  const before = await makeFile(service, { pages: ['one'] })
  await bare.catchUp()
  const { cursor } = (await bare.get('/v1/changes?after=now')).body
  const later = await makeFile(service, { pages: ['two', 'three'] })
  await bare.catchUp()
  for (const id of [before, later]) {
    expect(asked).toContain(`/v1/files/${id}/text`)
    for (const path of [`/v1/files/${id}`, `/v1/files/${id}/text`])
      expect(await bare.get(path)).toMatchObject({
        status: 200,
        body: (await service.get(path)).body,
      })
    const content = await bare.get(`/v1/files/${id}/content`)
    expect([content.status, content.body.code]).toEqual([404, 'not_found'])
    expect((await service.get(`/v1/files/${id}/content`)).status).toBe(200)
  }
  expect((await bare.get('/v1/files/search?q=three')).body.total).toBe(1)
  expect((await bare.get(`/v1/changes?after=${cursor}`)).body.changes[0]).toMatchObject({ kind: 'file' })
  expect(asked.filter((path) => path.endsWith('/content'))).toEqual([])
  expect(sizesOf(bare, 'file_parts')).toEqual([0])
  await bare.close()
}, 60_000)

test('a selected id means the structure with that id, even if another has it as its name', () => {
  const fields = [{ key: 'email' }]
  const [id, other] = ['0198c0de-0000-7000-8000-000000000001', '0198c0de-0000-7000-8000-000000000002']
  const remote = [
    { id: other, name: id, fields },
    { id, name: 'Customers', fields },
  ]
  const request = { structures: [id], hasFiles: true, omitFields: [`${id}.email`] }
  const { structures, omitted } = resolveSelection(request, remote)
  expect([structures, omitted]).toEqual([[id], { [id]: ['email'] }])
})
