import { afterAll, afterEach, expect, test } from 'bun:test'
import { refreshLinks } from '../../src/notes/links/indexing.ts'
import { callerOf } from '../support/cli.ts'
import { makeNote } from '../support/notes.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService, type TestServiceOptions } from '../support/service.ts'

const folder = newFolder()
const open: TestService[] = []

async function start(worker: TestServiceOptions['worker']) {
  const service = await startService({ file: folder.file('links.db'), worker })
  open.push(service)
  return service
}

afterEach(() => {
  for (const service of open.splice(0)) service.close()
})
afterAll(() => folder.remove())

test('the many links of one note are resolved in the worker, and the few of another are not', async () => {
  const impatient = await start({ timeLimitMs: 0 })
  const content = Array.from({ length: 3_000 }, (_, at) => `[[Note ${at}]]`).join(' ')
  const many = await makeNote(impatient, { title: 'Many', content })
  const few = await makeNote(impatient, { title: 'Note 7', content: '[[many]]' })
  expect((await impatient.get(`/v1/notes/${many.id}/links`)).body.code).toBe('refused')
  expect((await impatient.get(`/v1/notes/${few.id}/links`)).body.outgoing[0].note.title).toBe('Many')
  const patient = await start({})
  const inline = await start({ manyRows: 1_000_000 })
  const { status, body } = await patient.get(`/v1/notes/${many.id}/links`)
  expect([status, body.outgoing.length, body.backlinks.length]).toEqual([200, 3_000, 1])
  expect(body).toEqual((await inline.get(`/v1/notes/${many.id}/links`)).body)
  const everything = await start({ manyRows: -1 })
  expect((await everything.get(`/v1/notes/${few.id.toUpperCase()}/links`)).body.code).toBe('not_found')
})

test('the many backlinks of one note are found in the worker', async () => {
  const impatient = await start({ timeLimitMs: 0, manyRows: 50 })
  const hub = await makeNote(impatient, { title: 'Hub' })
  for (let at = 0; at < 50; at++) await makeNote(impatient, { title: `Spoke ${at}`, content: '[[hub]]' })
  expect((await impatient.get(`/v1/notes/${hub.id}/links`)).body.backlinks).toHaveLength(50)
  await makeNote(impatient, { title: 'One more', content: '[[ Hub ]]' })
  expect((await impatient.get(`/v1/notes/${hub.id}/links`)).body.code).toBe('refused')
})

test('links that are not written yet are found for the request that reads them, and for the next when it is gone', async () => {
  const service = await start({})
  const content = Array.from({ length: 3_000 }, (_, at) => `[[Note ${at}]]`).join(' ')
  const { id } = await makeNote(service, { content })
  const pending = () => service.ctx.db.sql.scalar('SELECT count(*) FROM links_pending')
  const caller = callerOf(service)
  const client = new AbortController()
  const reads = [
    refreshLinks(service.ctx, { ...caller, signal: client.signal }),
    refreshLinks(service.ctx, caller),
  ]
  client.abort()
  const [gone, here] = await Promise.allSettled(reads)
  expect(gone).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
  expect(here?.status).toBe('fulfilled')
  expect(pending()).toBe(0)
  expect((await service.get(`/v1/notes/${id}/links`)).body.outgoing).toHaveLength(3_000)
})
