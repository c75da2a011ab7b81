import { afterEach, beforeEach, expect, test } from 'bun:test'
import { repair } from '../../support/check.ts'
import { runInProcess } from '../../support/cli.ts'
import { alter, storedValues } from '../../support/database.ts'
import { makeFile, readFile, replaceFile } from '../../support/files.ts'
import { EVERYTHING, faultsOf, mirrorOf, type TestMirror } from '../../support/mirror.ts'
import { startService, type TestService } from '../../support/service.ts'
import { subscribe } from '../../support/webhooks.ts'

let service: TestService
let mirror: TestMirror

beforeEach(async () => {
  service = await startService()
})

afterEach(async () => {
  await mirror.close()
  service.close()
})

test('daybook check finds no fault in a copy whose newest row is gone on the remote', async () => {
  await service.post('/v1/records/structures', { name: 'Rows', fields: [{ key: 'n', type: 'number' }] })
  mirror = await mirrorOf(service)
  const rows = [1, 2, 3].map((n) => ({ data: { n } }))
  const { body } = await service.post('/v1/records', { structure: 'Rows', rows })
  await mirror.catchUp()
  await service.delete(`/v1/records/${body.records[2].id}`)
  await mirror.catchUp()
  expect((await mirror.get('/v1/records?structure=Rows')).body.total).toBe(2)
  expect(faultsOf(mirror)).toEqual([])
})

test('daybook check does not miss the originals that a copy leaves out', async () => {
  await makeFile(service, { pages: ['text'] })
  mirror = await mirrorOf(service, { selection: { ...EVERYTHING, hasFiles: false } })
  expect(faultsOf(mirror)).toEqual([])
})

test('the deliveries that a copy has of its own go with their webhook', async () => {
  await service.post('/v1/records/structures', { name: 'Rows', fields: [{ key: 'n', type: 'number' }] })
  const { id } = await subscribe(service, 'Rows', 'https://hooks.example.com/')
  mirror = await mirrorOf(service)
  const { exitCode, out } = await runInProcess(['webhooks', 'test', id, '--db', mirror.file])
  expect([exitCode, out]).toEqual([0, expect.stringMatching(/^[\w-]{36}\n$/)])
  await service.delete(`/v1/webhooks/${id}`)
  await mirror.catchUp()
  expect((await mirror.get('/v1/webhooks')).body.webhooks).toEqual([])
  expect(faultsOf(mirror)).toEqual([])
})

test('a repair of a copy leaves the files as the remote has them, and mends what is derived', async () => {
  const id = await makeFile(service, { pages: ['one', 'two'] })
  mirror = await mirrorOf(service)
  const file = async () => (await mirror.get(`/v1/files/${id}`)).body.file
  const before = await file()
  await alter(mirror, 'DELETE FROM file_pages WHERE pk = (SELECT max(pk) FROM file_pages)')
  await repair(mirror)
  expect([before.status, await file()]).toEqual(['ready', before])
  expect(faultsOf(mirror)).toEqual([`The text of the file ${id} does not have the pages that it counts.`])
})

test('verify finds bytes and texts of files that are not those of the remote', async () => {
  const [changed, cut, misread] = [
    await makeFile(service, { pages: ['one'] }),
    await makeFile(service, { bytes: new Uint8Array(600_000).fill(7) }),
    await makeFile(service, { pages: ['first', 'second'] }),
  ]
  await makeFile(service, { pages: ['the same'] })
  mirror = await mirrorOf(service)
  expect(await mirror.differing()).toEqual([])
  const parts = storedValues<number>(mirror, 'SELECT pk FROM file_parts ORDER BY pk')
  expect(parts).toHaveLength(5)
  await alter(
    mirror,
    `UPDATE file_parts SET bytes = zeroblob(length(bytes)) WHERE pk = ${parts[0]};
     DELETE FROM file_parts WHERE pk = ${parts[2]};
     UPDATE file_pages SET text = 'third' WHERE text = 'second'`,
  )
  const differing = await mirror.differing()
  expect(differing.toSorted()).toEqual([changed, cut, misread].map((id) => `file ${id}`).toSorted())
})

test('a file that an import gave other content has it in the copy, and its text', async () => {
  const id = await makeFile(service, { name: 'a.txt', pages: ['before'] })
  mirror = await mirrorOf(service)
  const replace = (text: string) => replaceFile(service, id, text)
  const expectSame = async () => {
    await mirror.catchUp()
    for (const path of [`/v1/files/${id}`, `/v1/files/${id}/content`, '/v1/files/search?q=before'])
      expect((await mirror.get(path)).body).toEqual((await service.get(path)).body)
    expect(faultsOf(mirror)).toEqual([])
  }
  await replace('others')
  await expectSame()
  await readFile(service, id)
  await expectSame()
  expect((await mirror.get(`/v1/files/${id}/text`)).body.text).toContain('others')
  await replace('')
  await readFile(service, id)
  await expectSame()
})
