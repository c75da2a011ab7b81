import { afterEach, beforeEach, expect, test } from 'bun:test'
import { wholeWorkspace } from '../../../src/context.ts'
import { replaceFileContent } from '../../../src/files/new-file.ts'
import { findFile, partKey } from '../../../src/files/store.ts'
import { VERSION } from '../../../src/lib/version.ts'
import { systemAuthor } from '../../../src/log/log.ts'
import { repairDerived } from '../../../src/operation/integrity.ts'
import { openDatabase } from '../../../src/storage/database.ts'
import { Remote } from '../../../src/transfer/mirror/remote.ts'
import { verifyCopy } from '../../../src/transfer/mirror/verify.ts'
import { runInProcess } from '../../support/cli.ts'
import { makeFile, readFile } from '../../support/files.ts'
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
  await mirror.ctx.db.write(({ sql }): void => {
    sql.run(
      'DELETE FROM file_pages WHERE pk = ?',
      partKey(findFile(mirror.ctx.db, wholeWorkspace(1), id)?.pk ?? 0, 2),
    )
  })
  await repairDerived(mirror.ctx.db)
  expect([before.status, await file()]).toEqual(['ready', before])
  expect(faultsOf(mirror)).toEqual([`The text of the file ${id} does not have the pages that it counts.`])
})

test('verify finds bytes and texts of files that are not those of the remote', async () => {
  const [changed, cut, misread, same] = [
    await makeFile(service, { pages: ['one'] }),
    await makeFile(service, { bytes: new Uint8Array(600_000).fill(7) }),
    await makeFile(service, { pages: ['first', 'second'] }),
    await makeFile(service, { pages: ['four'] }),
  ]
  mirror = await mirrorOf(service)
  const { clock, log } = mirror.ctx
  const db = openDatabase({ file: mirror.file, programVersion: VERSION, clock, log, role: 'command' })
  const key = await service.newKey({ scope: 'read' })
  const remote = new Remote({ url: mirror.url, key, clock, signal: new AbortController().signal })
  expect((await verifyCopy(db, remote)).identical).toBe(true)
  const keyOf = (id: string, number: number) => partKey(findFile(db, wholeWorkspace(1), id)?.pk ?? 0, number)
  await db.write(({ sql }): void => {
    sql.run('UPDATE file_parts SET bytes = zeroblob(length(bytes)) WHERE pk = ?', keyOf(changed, 0))
    sql.run('DELETE FROM file_parts WHERE pk = ?', keyOf(cut, 1))
    sql.run("UPDATE file_pages SET text = 'third' WHERE pk = ?", keyOf(misread, 2))
  })
  const { identical, kinds } = await verifyCopy(db, remote)
  expect(identical).toBe(false)
  const { differing } = kinds.find(({ kind }) => kind === 'file') ?? {}
  expect(differing?.toSorted()).toEqual([changed, cut, misread].toSorted())
  expect(differing).not.toContain(same)
  db.close()
})

test('a file that an import gave other content has it in the copy, and its text', async () => {
  const id = await makeFile(service, { name: 'a.txt', pages: ['before'] })
  mirror = await mirrorOf(service)
  const replace = (text: string) =>
    service.ctx.db.write((tx): void => {
      const file = findFile(tx, wholeWorkspace(1), id)
      if (file) replaceFileContent(tx, systemAuthor(1), file, new TextEncoder().encode(text))
    })
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
