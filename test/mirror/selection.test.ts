import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { systemAuthor } from '../../src/changes/log.ts'
import { findState } from '../../src/mirror/state.ts'
import { deleteStructure } from '../../src/structures/deletion.ts'
import { mirrorOf, type TestMirror } from '../support/mirror.ts'
import { startService, type TestService } from '../support/service.ts'

/* What was asked for by the name of a structure holds for every structure that has the name later. */

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

test('a structure that is deleted and made again is copied without its omitted fields', async () => {
  const { id } = (await service.get('/v1/records/structures')).body.structures[0]
  await deleteStructure(service.ctx, systemAuthor(1), id)
  await mirror.catchUp()
  const again = await addCustomers('customers')
  await mirror.catchUp()
  expect(await rows('customers')).toEqual([{ name: 'Ada' }])
  expect(leakingFiles()).toEqual([])
  expect(findState(mirror.ctx.db)?.selection).toMatchObject({ omitted: { [again]: ['email'] } })
  await service.patch(`/v1/records/structures/${again}`, { name: 'Clients' })
  await service.post('/v1/records', { structure: 'Clients', data: { name: 'Bob', email: SECRET } })
  await mirror.catchUp()
  expect(await rows('Clients')).toEqual([{ name: 'Bob' }, { name: 'Ada' }])
  expect(leakingFiles()).toEqual([])
})

test('a structure that is renamed to a name that was asked for is copied with its rows, without its omitted fields', async () => {
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
})
