import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { alter } from '../support/database.ts'
import { deleteFile, makeFile } from '../support/files.ts'
import { runJobs } from '../support/jobs.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const search = async (q: string, more = '') => {
  const { status, body } = await service.get(`/v1/files/search?q=${encodeURIComponent(q)}${more}`)
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return body
}

/** Returns `name:page` of every hit, in the order of the response. */
const places = async (q: string, more = ''): Promise<string[]> =>
  (await search(q, more)).results.map(
    ({ file, page }: { file: { file_name: string }; page: number }) => `${file.file_name}:${page}`,
  )

describe('a search', () => {
  test('finds pages, with their file and the words marked', async () => {
    const id = await makeFile(service, { name: 'a.txt', pages: ['nothing', 'Cards carry <the> Operations.'] })
    expect(await search('operations')).toEqual({
      results: [
        {
          file: { id, file_name: 'a.txt', note_id: null },
          page: 2,
          snippet: 'Cards carry &lt;the&gt; <mark>Operations</mark>.',
        },
      ],
      total: 1,
      has_more: false,
    })
  })

  test('has the language of the search of notes', async () => {
    await makeFile(service, {
      name: 'a',
      pages: ['the analytical engine', 'engine of analysis', 'Élan vital'],
    })
    await makeFile(service, { name: 'b', pages: ['分析机编织代数图案', 'ภาษาไทย'] })
    expect((await places('analytical engine')).sort()).toEqual(['a:1'])
    expect((await places('engine')).sort()).toEqual(['a:1', 'a:2'])
    expect((await places('"engine of"')).sort()).toEqual(['a:2'])
    expect((await places('analy*')).sort()).toEqual(['a:1', 'a:2'])
    expect((await places('an*')).sort()).toEqual(['a:1', 'a:2'])
    expect((await places('engine -analysis')).sort()).toEqual(['a:1'])
    expect(await places('elan')).toEqual(['a:3'])
    expect(await places('编织')).toEqual(['b:1'])
    expect(await places('织代数')).toEqual(['b:1'])
    expect(await places('ไท')).toEqual(['b:2'])
    for (const nothing of ['-engine', '"', '...', 'AND', 'text:engine', '机编 织图'])
      expect(await places(nothing)).toEqual([])
  })

  test('ranks, equals in the order in which they came', async () => {
    await makeFile(service, { name: 'a', pages: ['loom and much else beside it', 'loom loom loom'] })
    await makeFile(service, { name: 'b', pages: ['loom and much else beside it'] })
    expect(await places('loom')).toEqual(['a:2', 'a:1', 'b:1'])
  })

  test('is returned page by page, and can be narrowed to one file', async () => {
    const pages = ['loom', 'loom', 'loom']
    await makeFile(service, { name: 'a', pages })
    const id = await makeFile(service, { name: 'b', pages })
    expect(await search('loom', '&limit=2&offset=3')).toMatchObject({ total: 6, has_more: true })
    expect(await places('loom', '&limit=2&offset=3')).toEqual(['b:1', 'b:2'])
    expect(await search('loom', '&offset=6')).toEqual({ results: [], total: 6, has_more: false })
    expect(await places('loom', `&file_id=${id}`)).toEqual(['b:1', 'b:2', 'b:3'])
    expect((await search('loom', `&file_id=${id}&limit=1`)).total).toBe(3)
  })

  test('finds names of files as page 0, before pages, whatever their text', async () => {
    await makeFile(service, { name: 'notes.txt', pages: ['the loom'] })
    await makeFile(service, { name: 'Old_Loom-plan (2).PDF' })
    const picture = await makeFile(service, { name: 'Loom & mill.png', pages: [] })
    await makeFile(service, { name: 'loom.docx', failed: 'broken' })
    await makeFile(service, { name: '织布机.png', pages: [] })
    expect(await places('loom')).toEqual([
      'loom.docx:0',
      'Loom & mill.png:0',
      'Old_Loom-plan (2).PDF:0',
      'notes.txt:1',
    ])
    expect((await search(`loom`, '&limit=1&offset=1')).results).toEqual([
      {
        file: { id: picture, file_name: 'Loom & mill.png', note_id: null },
        page: 0,
        snippet: '<mark>Loom</mark> &amp; mill.png',
      },
    ])
    expect(await search('loom', '&limit=2&offset=2')).toMatchObject({ total: 4, has_more: false })
    expect(await places('loom', '&limit=2&offset=2')).toEqual(['Old_Loom-plan (2).PDF:0', 'notes.txt:1'])
    expect(await places('loom', `&file_id=${picture}`)).toEqual(['Loom & mill.png:0'])
    expect(await places('"loom plan"')).toEqual(['Old_Loom-plan (2).PDF:0'])
    expect(await places('pla* -old')).toEqual([])
    expect(await places('loom -mill -the')).toEqual(['loom.docx:0', 'Old_Loom-plan (2).PDF:0'])
    expect(await places('布机')).toEqual(['织布机.png:0'])
    expect(await places('png')).toEqual(['织布机.png:0', 'Loom & mill.png:0'])
  })

  test('finds a renamed file by its new name only, and a removed one by none', async () => {
    const id = await makeFile(service, { name: 'old.png', pages: [] })
    await service.patch(`/v1/files/${id}`, { file_name: 'new.png' })
    expect([await places('old'), await places('new')]).toEqual([[], ['new.png:0']])
    await deleteFile(service, id)
    expect(await search('new')).toEqual({ results: [], total: 0, has_more: false })
  })

  test('finds nothing of another workspace, nor of a file that is not ready', async () => {
    const other = service.as(await service.newWorkspace('Other'))
    await makeFile(service, { name: 'their loom', pages: ['loom'] }, other)
    await makeFile(service, { name: 'failed', failed: 'broken' })
    expect(await search('loom')).toEqual({ results: [], total: 0, has_more: false })
    const half = await makeFile(service, { name: 'half', pages: ['loom'] })
    await alter(service, `UPDATE files SET status = 'processing' WHERE id = ?`, half)
    expect(await search('loom')).toEqual({ results: [], total: 0, has_more: false })
    expect((await other.get('/v1/files/search?q=loom')).body.total).toBe(2)
  })

  test.each([['q='], [''], ['q=a&limit=201'], ['q=a&limit=0'], [`q=${'x'.repeat(501)}`], ['q=a&page=1']])(
    'refuses ?%s',
    async (query) => {
      const { status, body } = await service.get(`/v1/files/search?${query}`)
      expect([status, body.code]).toEqual([400, 'invalid_request'])
    },
  )
})

test('the job of an upgrade indexes pages again whose words were split differently', async () => {
  await makeFile(service, { name: 'a.txt', pages: ['plain', 'Straße → C++'] })
  await alter(
    service,
    `INSERT OR REPLACE INTO file_search_1 (rowid, text) SELECT max(pk), 'straße c' FROM file_pages;
     INSERT INTO jobs (kind, key, state, due_at) VALUES ('files.index', 0, '0', 0)`,
  )
  expect(await places('strasse')).toEqual([])
  await runJobs(service.ctx)
  expect(await places('strasse → c++')).toEqual(['a.txt:2'])
  expect(await places('plain')).toEqual(['a.txt:1'])
})
