import { afterAll, afterEach, expect, test } from 'bun:test'
import { makeNote } from '../support/notes.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

const folder = newFolder()
let service: TestService
afterEach(() => service.close())
afterAll(() => folder.remove())

const MIB = 1024 * 1024
const NOTES = 12
const body = `${'lorem '.repeat(150_000)}needle`

async function filled(file: string): Promise<void> {
  service = await startService({ file: folder.file(file) })
  for (let at = 0; at < NOTES; at++)
    await makeNote(service, { title: `Note ${at}`, content: body, tags: ['long'] })
}

interface Page {
  notes: { id: string; content: string }[]
  total: number
  has_more: boolean
}

test('a page of notes ends before 8 MiB of text, and following pages return each note once', async () => {
  await filled('pages.db')
  const filter = { type: 'tags', op: 'has_any', tag_ids: [1] }
  const view = (await service.post('/v1/views', { name: 'Long', filter })).body.view.id
  const reads: ((offset: number) => Promise<{ status: number; body: Page }>)[] = [
    (offset) => service.get(`/v1/notes?limit=200&offset=${offset}`),
    (offset) => service.get(`/v1/notes?limit=200&tag=long&offset=${offset}`),
    (offset) => service.get(`/v1/notes?limit=200&search=needle&offset=${offset}`),
    (offset) => service.post('/v1/notes/query', { filter, limit: 200, offset }),
    (offset) => service.post('/v1/notes/query', { filter, search: 'lorem', limit: 200, offset }),
    (offset) => service.get(`/v1/views/${view}/notes?limit=200&offset=${offset}`),
  ]
  for (const read of reads) {
    const seen = new Set<string>()
    let more = true
    while (more) {
      const { status, body: page } = await read(seen.size)
      const bytes = page.notes.reduce((sum, { content }) => sum + content.length, 0)
      expect([status, page.total, bytes > 0, bytes <= 8 * MIB]).toEqual([200, NOTES, true, true])
      for (const { id } of page.notes) seen.add(id)
      expect(page.has_more).toBe(seen.size < NOTES)
      more = page.has_more
    }
    expect(seen.size).toBe(NOTES)
  }
})

test('revisions of any size are all given, newest first', async () => {
  service = await startService()
  const { id } = await makeNote(service, { title: 'Note', content: '' })
  for (let at = 0; at < 6; at++)
    await service.patch(`/v1/notes/${id}`, { content: `${at} ${'é'.repeat(700_000)}` })
  const { revisions } = (await service.get(`/v1/notes/${id}/revisions`)).body
  expect(revisions.map(({ content }: { content: string }) => content.slice(0, 1))).toEqual([
    '4',
    '3',
    '2',
    '1',
    '0',
    '',
  ])
  expect((await service.get(`/v1/notes/${id}/revisions?limit=2`)).body.revisions).toEqual(
    revisions.slice(0, 2),
  )
  const head = await service.request('HEAD', `/v1/notes/${id}/revisions`)
  expect([head.status, head.body]).toEqual([200, ''])
  expect((await service.get(`/v1/notes/${crypto.randomUUID()}/revisions`)).status).toBe(404)
})

test('a long note is found by every word at once, whether changed or not while a worker splits it', async () => {
  service = await startService({ file: folder.file('words.db') })
  const { id } = await makeNote(service, { title: 'Note', content: `${'wörter '.repeat(20_000)} first` })
  const found = async (word: string) => (await service.get(`/v1/notes?search=${word}&limit=1`)).body.total
  const [first] = await Promise.all([
    found('first'),
    service.patch(`/v1/notes/${id}`, { content: `${'wörter '.repeat(20_000)} second` }),
  ])
  expect([0, 1]).toContain(first)
  expect([await found('first'), await found('second'), await found('worter')]).toEqual([0, 1, 1])
  await service.delete(`/v1/notes/${id}`)
  expect(await found('second')).toBe(0)
})
