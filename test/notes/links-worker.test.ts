import { afterAll, afterEach, expect, test } from 'bun:test'
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
