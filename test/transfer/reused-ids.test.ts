import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { createIdSource } from '../../src/lib/ids.ts'
import { faultsIn } from '../support/check.ts'
import { runJobs } from '../support/jobs.ts'
import { faultsOf, mirrorOf } from '../support/mirror.ts'
import { newFolder } from '../support/process.ts'
import { declare, list, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'
import { markDeleted } from '../support/structures.ts'
import { exportTo, importFrom } from '../support/workspace-files.ts'

/* Jobs remove the rows of a deleted structure after the deletion, while an import or a mirror may write their ids again. */

let service: TestService
const folder = newFolder()

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())
afterAll(() => folder.remove())

const FIELDS = [{ key: 'n', type: 'number', unique: true }]

/** The structures that hold rows in the shared table, and in a table of their own. */
const SIZES = { few: 3, many: 700 }

async function declareFilled(size: number) {
  const { id } = await declare(service, 'Rows', FIELDS)
  for (let from = 0; from < size; from += 500)
    await write(
      service,
      'Rows',
      ...Array.from({ length: Math.min(500, size - from) }, (_, at) => ({ n: from + at })),
    )
  const [, last] = (await list(service, 'Rows')).body.records
  await service.delete(`/v1/records/${last.id}`)
  return id as string
}

for (const [name, size] of Object.entries(SIZES)) {
  test(`imports ${name} rows whose ids belong to a structure being deleted, and keeps them`, async () => {
    const id = await declareFilled(size)
    const before = (await list(service, 'Rows')).body
    exportTo(service, folder.file(name))
    await markDeleted(service, id)

    expect(await importFrom(service, folder.file(name))).toMatchObject({ isWritten: true, refused: [] })
    expect((await list(service, 'Rows')).body).toEqual(before)
    await runJobs(service.ctx)

    expect((await list(service, 'Rows')).body).toEqual(before)
    expect(faultsIn(service)).toEqual([])
  })
}

test('a mirror keeps rows that moved to another structure when the first is deleted', async () => {
  const id = await declareFilled(SIZES.many)
  exportTo(service, folder.file('moved'))
  const definition = folder.file('moved/structures/Rows.json')
  const text = readFileSync(definition, 'utf8')
  writeFileSync(definition, text.replaceAll(id, createIdSource()(1)))
  const mirror = await mirrorOf(service)
  await markDeleted(service, id)
  expect(await importFrom(service, folder.file('moved'))).toMatchObject({ isWritten: true, refused: [] })

  await mirror.catchUp()
  await runJobs(mirror.ctx)

  expect((await mirror.get('/v1/records?structure=Rows')).body).toEqual((await list(service, 'Rows')).body)
  expect(await mirror.differing()).toEqual([])
  expect(faultsOf(mirror)).toEqual([])
  await mirror.close()
})

test('a mirror detects that a structure was deleted and recreated since its last request', async () => {
  const id = await declareFilled(SIZES.few)
  exportTo(service, folder.file('again'))
  await write(service, 'Rows', { n: -1 }, { n: -2 })
  const mirror = await mirrorOf(service)
  await markDeleted(service, id)
  expect(await importFrom(service, folder.file('again'))).toMatchObject({ isWritten: true, refused: [] })

  await mirror.catchUp()

  expect((await mirror.get('/v1/records?structure=Rows')).body).toEqual((await list(service, 'Rows')).body)
  expect(await mirror.differing()).toEqual([])
  expect(faultsOf(mirror)).toEqual([])
  await mirror.close()
})
