import { afterAll, afterEach, expect, test } from 'bun:test'
import { makeNote, type NoteAnswer } from '../support/notes.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService, type TestServiceOptions } from '../support/service.ts'

const folder = newFolder()
const open: TestService[] = []

async function start(file: string, worker: TestServiceOptions['worker']) {
  const service = await startService({ file: folder.file(file), worker })
  open.push(service)
  return service
}

afterEach(() => {
  for (const service of open.splice(0)) service.close()
})
afterAll(() => folder.remove())

const searched = (service: TestService, search: string, more = '') =>
  service.get(`/v1/notes?search=${encodeURIComponent(search)}${more}`)

test('a search for more than one whole word runs in the worker', async () => {
  const impatient = await start('notes.db', { timeLimitMs: 0 })
  for (let at = 0; at < 20; at++) {
    const words = Array.from({ length: 600 }, (_, word) => `pre${at}x${word}`)
    await makeNote(impatient, { title: `note ${at}`, content: words.join(' '), tags: ['present'] })
  }
  const tooLong = {
    error: 'The query took longer than 0 seconds and was stopped; narrow it with a filter.',
    code: 'refused',
  }
  const worker = ['pre*', 'note pre*', 'pre1x1-pre*', 'note -pre*']
  for (const search of worker) {
    const { status, body } = await searched(impatient, search)
    expect({ search, status, body }).toEqual({ search, status: 400, body: tooLong })
  }
  expect((await searched(impatient, 'note')).body.total).toBe(20)
  const patient = await start('notes.db', {})
  const inline = await start('notes.db', { manyRows: 1_000_000 })
  for (const search of worker) {
    const answer = await searched(patient, search, '&limit=7&offset=5')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual((await searched(inline, search, '&limit=7&offset=5')).body)
  }
})

test('the worker finds every note that was written before the search', async () => {
  const service = await start('fresh.db', { manyRows: -1 })
  for (let count = 1; count <= 20; count++) {
    const { id } = await makeNote(service, { title: `Note ${count}`, content: 'zebra', tags: ['one'] })
    const { body } = await searched(service, 'zeb*', '&tag=one&sort=created_at&limit=1')
    expect([body.notes[0].id, body.total]).toEqual([id, count])
  }
  const [first] = (await searched(service, 'zebra')).body.notes as NoteAnswer[]
  await service.delete(`/v1/notes/${first?.id}`)
  expect((await searched(service, 'zebra')).body.total).toBe(19)
  const nothing = { notes: [], total: 0, has_more: false }
  expect((await searched(service, 'zebra', '&tag=unknown')).body).toEqual(nothing)
  expect((await searched(service, '-zebra')).body).toEqual(nothing)
})
