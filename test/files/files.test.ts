import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { faultsIn } from '../support/check.ts'
import { sizesOf } from '../support/database.ts'
import { deleteFile, makeFile } from '../support/files.ts'
import { runJobs, runRetention } from '../support/jobs.ts'
import { makeNote, readNote, revisionsOf } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

const UNKNOWN = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'
const DAY_MS = 86_400_000

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const fileNames = async (path = '/v1/files') =>
  (await service.get(path)).body.files.map((file: { file_name: string }) => file.file_name)

const remove = async (id: string) => {
  await deleteFile(service, id)
  await runJobs(service.ctx)
}

describe('a file', () => {
  test('is answered with all its members, and with its outline when it is read alone', async () => {
    const note = await makeNote(service)
    const outline = [{ title: 'The mill', level: 2, page: 1 }]
    const id = await makeFile(service, {
      name: 'handbook.md',
      noteId: note.id,
      pages: ['one', 'two'],
      outline,
    })
    const file = {
      id,
      file_name: 'handbook.md',
      note_id: note.id,
      mime_type: 'text/markdown',
      size: 7,
      status: 'ready',
      pages: 2,
      error: null,
      created_at: '2026-11-21T09:30:00.000Z',
      updated_at: '2026-11-21T09:30:00.001Z',
    }
    expect((await service.get('/v1/files')).body).toEqual({ files: [file] })
    expect((await service.get(`/v1/notes/${note.id}/files`)).body).toEqual({ files: [file] })
    expect((await service.get(`/v1/files/${id}`)).body).toEqual({ file: { ...file, outline } })
  })

  test('is processing until its text is there, and failed with the reason when none is', async () => {
    await makeFile(service, { name: 'waiting.pdf' })
    await makeFile(service, { name: 'broken.pdf', failed: 'The file is protected by a password.' })
    const { body } = await service.get('/v1/files')
    const states = body.files.map(({ status, pages, error }: Record<string, unknown>) => [
      status,
      pages,
      error,
    ])
    expect(states).toEqual([
      ['processing', null, null],
      ['failed', null, 'The file is protected by a password.'],
    ])
  })

  test('is listed in the order of creation, in all lists and the count of the workspace', async () => {
    const note = await makeNote(service)
    for (const [name, noteId] of [
      ['b.txt', null],
      ['c.txt', note.id],
      ['a.txt', note.id],
    ] as const) {
      service.clock.advance(1_000)
      await makeFile(service, { name, noteId })
    }
    expect(await fileNames()).toEqual(['b.txt', 'c.txt', 'a.txt'])
    expect(await fileNames(`/v1/files?note_id=${note.id}`)).toEqual(['c.txt', 'a.txt'])
    expect(await fileNames(`/v1/notes/${note.id}/files`)).toEqual(['c.txt', 'a.txt'])
    expect((await service.get('/v1/workspace')).body.workspace.counts.files).toBe(3)
  })

  test('of a trashed note has none until the restore, and none for good after the sweep', async () => {
    const note = await makeNote(service)
    const id = await makeFile(service, { noteId: note.id, pages: ['text'] })
    const noteOfFile = async () => (await service.get(`/v1/files/${id}`)).body.file.note_id
    await service.delete(`/v1/notes/${note.id}`)
    expect(await noteOfFile()).toBeNull()
    expect((await service.get(`/v1/notes/${note.id}/files`)).status).toBe(404)
    expect((await service.get(`/v1/files?note_id=${note.id}`)).status).toBe(404)
    await service.post(`/v1/notes/${note.id}/restore`)
    expect(await noteOfFile()).toBe(note.id)
    await service.delete(`/v1/notes/${note.id}`)
    service.clock.advance(31 * DAY_MS)
    await runRetention(service.ctx)
    expect(await noteOfFile()).toBeNull()
    expect((await service.get(`/v1/files/${id}/text`)).body.text).toBe('=== page 1 ===\ntext')
  })

  test('that is deleted is gone everywhere, and what it held is gone from the database', async () => {
    const id = await makeFile(service, { pages: ['alpha', 'beta'] })
    await makeFile(service, { name: 'other.txt', pages: ['alpha'] })
    await remove(id)
    expect(await fileNames()).toEqual(['other.txt'])
    for (const path of [`/v1/files/${id}`, `/v1/files/${id}/text`, `/v1/files/search?q=alpha&file_id=${id}`])
      expect((await service.get(path)).status).toBe(404)
    expect((await service.get('/v1/files/search?q=alpha')).body.total).toBe(1)
    expect(sizesOf(service, 'files', 'file_parts', 'file_pages')).toEqual([1, 1, 1])
  })

  test('is not found by what names none', async () => {
    for (const path of [
      `/v1/files/${UNKNOWN}`,
      '/v1/files/x',
      `/v1/files/${UNKNOWN}/text`,
      `/v1/files?note_id=${UNKNOWN}`,
      '/v1/files?note_id=x',
      `/v1/files/search?q=a&file_id=${UNKNOWN}`,
    ]) {
      const { status, body } = await service.get(path)
      expect([path, status, body.code]).toEqual([path, 404, 'not_found'])
    }
  })
})

describe('the text of a file', () => {
  const page = (number: number, length: number) => `page ${number} `.padEnd(length, 'x')
  const marked = (number: number, text: string) => `=== page ${number} ===\n${text}`

  /** Ten pages of 400 characters. */
  const tenPages = () => Array.from({ length: 10 }, (_, index) => page(index + 1, 400))
  const read = async (id: string, query = '') => (await service.get(`/v1/files/${id}/text${query}`)).body

  test('starts at page 1, each page with a line that names it', async () => {
    const id = await makeFile(service, { name: 'two.txt', pages: ['one', 'two'] })
    expect(await read(id)).toEqual({
      file: { id, file_name: 'two.txt' },
      pages: '1-2',
      text: '=== page 1 ===\none\n\n=== page 2 ===\ntwo',
      truncated: false,
      next_chunk: null,
    })
  })

  test('gives the pages asked for, and names the next ones, as many', async () => {
    const id = await makeFile(service, { pages: tenPages() })
    const ranges = async (query: string) => {
      const { pages, truncated, next_chunk: next } = await read(id, query)
      return [pages, truncated, next]
    }
    expect(await ranges('?pages=7')).toEqual(['7', false, '8'])
    expect(await ranges('?pages=1-3')).toEqual(['1-3', false, '4-6'])
    expect(await ranges('?pages=7-9')).toEqual(['7-9', false, '10'])
    expect(await ranges('?pages=10')).toEqual(['10', false, null])
    expect((await read(id, '?pages=7')).text).toBe(marked(7, page(7, 400)))
  })

  test('holds whole pages while they fit', async () => {
    const id = await makeFile(service, { pages: tenPages() })
    const answer = await read(id, '?max_chars=1000')
    expect(answer).toMatchObject({ pages: '1-2', truncated: true, next_chunk: '3-10' })
    expect(answer.text).toBe(`${marked(1, page(1, 400))}\n\n${marked(2, page(2, 400))}`)
    expect(await read(id, '?pages=4-7&max_chars=1000')).toMatchObject({
      pages: '4-5',
      truncated: true,
      next_chunk: '6-9',
    })
    const exact = await makeFile(service, { pages: [page(1, 484), page(2, 484)] })
    expect(await read(exact, '?max_chars=1000')).toMatchObject({ pages: '1-2', truncated: false })
    const over = await makeFile(service, { pages: [page(1, 484), page(2, 485)] })
    expect(await read(over, '?max_chars=1000')).toMatchObject({
      pages: '1',
      truncated: true,
      next_chunk: '2',
    })
  })

  test('is cut when the first page alone is too long, in characters and not in their halves', async () => {
    const long = '\u{1f9f5}'.repeat(3_000)
    const id = await makeFile(service, { pages: [long, 'short'] })
    const answer = await read(id, '?max_chars=1000')
    expect(answer).toMatchObject({ pages: '1', truncated: true, next_chunk: '2' })
    expect(Array.from(answer.text as string)).toEqual(Array.from(marked(1, long)).slice(0, 1_000))
    expect((await read(id, '?max_chars=200000')).truncated).toBe(false)
  })

  test.each([
    ['?pages=11', 'refused'],
    ['?pages=9-11', 'refused'],
    ['?pages=0', 'invalid_request'],
    ['?pages=3-2', 'invalid_request'],
    ['?pages=1-', 'invalid_request'],
    ['?pages=', 'invalid_request'],
    ['?pages=1,2', 'invalid_request'],
    ['?max_chars=999', 'invalid_request'],
    ['?max_chars=200001', 'invalid_request'],
  ])('refuses %s', async (query, code) => {
    const id = await makeFile(service, { pages: tenPages() })
    const { status, body } = await service.get(`/v1/files/${id}/text${query}`)
    expect([status, body.code]).toEqual([400, code])
  })

  test('is refused while it is not there, with the reason', async () => {
    const waiting = await makeFile(service, {})
    const failed = await makeFile(service, { failed: 'The file is protected by a password.' })
    expect((await service.get(`/v1/files/${waiting}/text`)).body).toEqual({
      error: 'The text of this file is not ready, as it is still being read; ask again in a moment.',
      code: 'refused',
    })
    expect((await service.get(`/v1/files/${failed}/text`)).body).toEqual({
      error:
        'The text of this file is not ready, as none could be read: The file is protected by a password.',
      code: 'refused',
    })
  })
})

describe('renaming a file', () => {
  test('rewrites the label of every link to it, with revisions, and nothing else', async () => {
    const id = await makeFile(service, { name: 'old.pdf', pages: ['text'] })
    const other = await makeFile(service, { name: 'other.pdf', pages: ['text'] })
    const content = `See [[file:${id}|old.pdf]], ![[file:${id}|the plan]] and [[file:${id}]].
[[file:${other}|other.pdf]] [[Engines|old.pdf]] \`[[file:${id}|old.pdf]]\`

\`\`\`
[[file:${id}|old.pdf]]
\`\`\`
`
    const note = await makeNote(service, { title: 'Plan', content })
    const trashed = await makeNote(service, { content: `[[file:${id}|old.pdf]]` })
    await service.delete(`/v1/notes/${trashed.id}`)
    service.clock.advance(1_000)
    const { status, body } = await service.patch(`/v1/files/${id}`, { file_name: 'new [1].pdf' })
    expect([status, body.file.file_name, body.file.updated_at]).toEqual([
      200,
      'new [1].pdf',
      '2026-11-21T09:30:01.000Z',
    ])
    const expected = content
      .replace(`See [[file:${id}|old.pdf]]`, `See [[file:${id}|new (1).pdf]]`)
      .replace('the plan', 'new (1).pdf')
    const changed = await readNote(service, note.id)
    expect([changed.content, changed.updated_at]).toEqual([expected, '2026-11-21T09:30:01.000Z'])
    const [revision] = await revisionsOf(service, note.id)
    expect([revision?.content, revision?.surface]).toEqual([content, 'api'])
    await service.post(`/v1/notes/${trashed.id}/restore`)
    expect((await readNote(service, trashed.id)).content).toBe(`[[file:${id}|new (1).pdf]]`)
    expect((await service.get('/v1/notes?search=new')).body.total).toBe(2)
  })

  test.each(['`code`', 'a ` b', '```', ']] [[x', 'a|b', '\\', '~~~'])(
    'to %p leaves every link a link, which the next renaming finds',
    async (name) => {
      const id = await makeFile(service, { name: 'old', pages: ['text'] })
      const { id: note } = await makeNote(service, { content: `[[file:${id}|old]] and [[Tea|\`]]` })
      expect((await service.patch(`/v1/files/${id}`, { file_name: name })).status).toBe(200)
      expect(faultsIn(service)).toEqual([])
      await service.patch(`/v1/files/${id}`, { file_name: 'new' })
      expect((await readNote(service, note)).content).toBe(`[[file:${id}|new]] and [[Tea|\`]]`)
    },
  )

  test('keeps the bars of links in tables escaped, also those of the name', async () => {
    const id = await makeFile(service, { name: 'old', pages: ['text'] })
    const table = (label: string) => `| a | b |\n| - | - |\n| [[file:${id}\\|${label}]] | c |`
    const { id: note } = await makeNote(service, { content: table('old') })
    await service.patch(`/v1/files/${id}`, { file_name: 'new' })
    expect((await readNote(service, note)).content).toBe(table('new'))
    await service.patch(`/v1/files/${id}`, { file_name: 'x|y' })
    expect((await readNote(service, note)).content).toBe(table('x\\|y'))
  })

  test('to the name it has changes nothing', async () => {
    const id = await makeFile(service, { name: 'same.pdf', pages: ['text'] })
    const note = await makeNote(service, { content: `[[file:${id}|another label]]` })
    const before = (await service.get('/v1/files')).body
    for (const body of [{ file_name: 'same.pdf' }, {}])
      expect((await service.patch(`/v1/files/${id}`, body)).status).toBe(200)
    expect((await service.get('/v1/files')).body).toEqual(before)
    expect(await readNote(service, note.id)).toEqual(note)
  })

  test.each([[''], ['x'.repeat(501)], ['a\nb'], [7], [null]])('to %p is refused', async (name) => {
    const id = await makeFile(service, { pages: ['text'] })
    const before = (await service.get('/v1/files')).body
    const { status, body } = await service.patch(`/v1/files/${id}`, { file_name: name })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect((await service.get('/v1/files')).body).toEqual(before)
  })

  test('is refused when a note has no room for the name, and then nothing is renamed', async () => {
    const id = await makeFile(service, { name: 'a', pages: ['text'] })
    const link = `[[file:${id}|a]]`
    const short = await makeNote(service, { content: link })
    const full = await makeNote(service, {
      title: 'Full',
      content: link + 'x'.repeat(1_000_000 - link.length),
    })
    const { status, body } = await service.patch(`/v1/files/${id}`, { file_name: 'longer' })
    expect([status, body]).toEqual([
      400,
      {
        error:
          'The note "Full" links to the file and would be too long with this name; choose a shorter one.',
        code: 'refused',
      },
    ])
    expect(await readNote(service, short.id)).toEqual(short)
    expect((await readNote(service, full.id)).updated_at).toBe(full.updated_at)
    expect(await fileNames()).toEqual(['a'])
  })
})

describe('a field of records that names a file', () => {
  test('takes one that is there; a dead reference stays until it is changed', async () => {
    const id = await makeFile(service, { pages: ['text'] })
    await service.post('/v1/records/structures', {
      name: 'Receipts',
      fields: [
        { key: 'scan', type: 'file' },
        { key: 'what', type: 'text' },
      ],
    })
    const write = (data: object) => service.post('/v1/records', { structure: 'Receipts', data })
    const { body } = await write({ scan: id, what: 'tea' })
    expect(body.records[0].data).toEqual({ scan: id, what: 'tea' })
    const foreign = await makeFile(
      service,
      { pages: ['text'] },
      service.as(await service.newWorkspace('Other')),
    )
    for (const unknown of [UNKNOWN, foreign])
      expect((await write({ scan: unknown })).body.code).toBe('refused')
    await remove(id)
    const patch = (data: object) => service.patch(`/v1/records/${body.records[0].id}`, { data })
    expect((await patch({ what: 'milk' })).body.record.data).toEqual({ scan: id, what: 'milk' })
    expect((await patch({ scan: id })).body.code).toBe('refused')
  })
})
