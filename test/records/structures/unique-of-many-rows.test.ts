import { afterAll, afterEach, expect, test } from 'bun:test'
import { newFolder } from '../../support/process.ts'
import { declare, list, write } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'

/* The unique index of many rows is built in the writer thread. No two rows collide once a field is unique. */

const folder = newFolder()
const open: TestService[] = []
let files = 0

const FIELDS = [
  { key: 'code', type: 'text' },
  { key: 'n', type: 'number' },
]

async function start() {
  const service = await startService({ file: folder.file(`${++files}.db`) })
  open.push(service)
  await declare(service, 'rows', FIELDS)
  return service
}

afterEach(() => {
  for (const service of open.splice(0)) service.close()
})
afterAll(() => folder.remove())

const makeUnique = (service: TestService) =>
  service.patch('/v1/records/structures/rows', {
    fields: [{ key: 'code', type: 'text', unique: true }, FIELDS[1]],
  })

async function writeMany(service: TestService, count: number) {
  const rows = []
  for (let from = 0; from < count; from += 500)
    rows.push(
      ...(await write(
        service,
        'rows',
        ...Array.from({ length: 500 }, (_, at) => ({ code: `c${from + at}`, n: from + at })),
      )),
    )
  return rows
}

test('a field becomes unique while rows are written, and refuses collisions from then on', async () => {
  const service = await start()
  const rows = await writeMany(service, 2_500)
  const patched = makeUnique(service)
  const changes = Array.from({ length: 40 }, async (_, n) => {
    await service.patch(`/v1/records/${rows[n].id}`, { data: { code: `d${n}` } })
    await service.delete(`/v1/records/${rows[2_499 - n].id}`)
    await write(service, 'rows', { code: `e${n}` }, { n })
  })
  expect((await patched).status).toBe(200)
  await Promise.all(changes)
  for (const code of ['c50', 'd3', 'e7']) {
    const refusal = await service.post('/v1/records', { structure: 'rows', data: { code } })
    expect([code, refusal.body.code]).toEqual([code, 'unique_violation'])
  }
  await write(service, 'rows', { code: 'c3' }, { code: 'c2499' }, {}, {})
  const filter = [{ field: 'code', op: 'eq', value: 'c50' }]
  expect((await list(service, 'rows', { filter })).body.records).toEqual([rows[50]])
})

test('names colliding rows, leaves the field unchanged, and refuses no concurrent write', async () => {
  const service = await start()
  const rows = await writeMany(service, 2_500)
  await service.patch(`/v1/records/${rows[3].id}`, { data: { code: 'c1' } })
  const refusal = await makeUnique(service)
  expect(refusal.body).toEqual({
    error: `The field "code" cannot become unique while rows collide; change or delete one of "${rows[1].id}" and "${rows[3].id}" first.`,
    code: 'refused',
  })
  await write(service, 'rows', { code: 'c5' })
  await service.patch(`/v1/records/${rows[3].id}`, { data: { code: 'd' } })
  expect((await makeUnique(service)).status).toBe(400)
})
