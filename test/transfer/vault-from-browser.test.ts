import { afterAll, beforeAll, expect, test } from 'bun:test'
import { idTime } from '../../src/lib/ids.ts'
import { type Browser, setUpIn, signedIn } from '../support/browser-client.ts'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let browser: Browser
beforeAll(async () => {
  service = await startService()
  browser = await signedIn(service)
})
afterAll(() => service.close())

const noteOf = (path: string, more: object = {}) => ({
  path,
  state: '1-2',
  title: path,
  content: 'body',
  alias: null,
  tags: [],
  properties: {},
  files: [],
  created_at_ms: -1_000,
  updated_at_ms: 1_000,
  ...more,
})
const send = (folder: string, ...notes: object[]) =>
  browser.request('POST', '/app/api/import/notes', { folder, notes })
const idsOf = async (folder: string, ...paths: string[]): Promise<string[]> =>
  (await browser.request('POST', '/app/api/import/ids', { folder, paths })).body.ids
const sendFile = (folder: string, path: string) => {
  const query = new URLSearchParams({ folder, path, state: '4-5', file_name: path, created_at_ms: '5000' })
  return browser.request('POST', `/app/api/import/files?${query}`, new TextEncoder().encode('text'))
}
const importedIn = async (folder: string) =>
  (await browser.request('GET', `/app/api/import?folder=${folder}`)).body.files

test('a note has the id that was reserved for its file, its times, and its files', async () => {
  const [noteId, fileId] = await idsOf('One', 'Ada.md', 'letter.txt')
  expect(await idsOf('One', 'Ada.md', 'letter.txt')).toEqual([noteId, fileId] as string[])
  expect(await importedIn('One')).toEqual([])
  expect((await sendFile('One', 'letter.txt')).status).toBe(201)
  const note = noteOf('Ada.md', {
    tags: ['t'],
    alias: 'countess',
    aliases: ['Lovelace', 'Byron'],
    files: [fileId],
  })
  expect((await send('One', note)).body).toEqual({ refused: [] })
  expect((await service.get(`/v1/notes/${noteId}`)).body.note).toMatchObject({
    title: 'Ada.md',
    alias: 'countess',
    aliases: ['Lovelace', 'Byron'],
    tags: ['t'],
    created_at: '1969-12-31T23:59:59.000Z',
    updated_at: '1970-01-01T00:00:01.000Z',
  })
  expect((await service.get(`/v1/notes/${noteId}/files`)).body.files).toMatchObject([
    { id: fileId, file_name: 'letter.txt', created_at: '1970-01-01T00:00:05.000Z' },
  ])
  expect(await importedIn('One')).toEqual([
    { path: 'Ada.md', state: '1-2', id: noteId, name: 'Ada.md' },
    { path: 'letter.txt', state: '4-5', id: fileId, name: 'letter.txt' },
  ])
})

test('callers that can only read files attach none', async () => {
  const [, fileId] = await idsOf('Kept', 'Eva.md', 'kept.txt')
  expect((await sendFile('Kept', 'kept.txt')).status).toBe(201)
  const member = { name: 'Eva', role: 'editor', access: { files: 'read' } }
  expect((await browser.request('POST', '/app/api/members', member)).status).toBe(201)
  const eva = await signedIn(service, 'Eva')
  const body = { folder: 'Kept', notes: [noteOf('Eva.md', { files: [fileId] })] }
  expect((await eva.request('POST', '/app/api/import/notes', body)).body).toEqual({ refused: [] })
  expect((await service.get(`/v1/files/${fileId}`)).body.file.note_id).toBe(null)
})

test('a repeated import changes nothing', async () => {
  await send('Two', noteOf('Ada.md'))
  await sendFile('Two', 'a.txt')
  const before = await service.get('/v1/changes?limit=1000')
  expect((await send('Two', noteOf('Ada.md', { title: 'Another' }))).body).toEqual({ refused: [] })
  expect((await sendFile('Two', 'a.txt')).body.code).toBe('name_taken')
  expect((await service.get('/v1/changes?limit=1000')).body).toEqual(before.body)
})

test('a refused note leaves no trace, and does not prevent the others', async () => {
  const { body } = await send(
    'Three',
    noteOf('A.md', { alias: 'taken' }),
    noteOf('B.md', { alias: 'taken', tags: ['unwanted'] }),
    noteOf('C.md', { properties: { unknown: 1 } }),
    noteOf('D.md'),
  )
  expect(body.refused).toEqual([
    { path: 'B.md', error: 'The alias "taken" belongs to the note "A.md" already; choose another.' },
    {
      path: 'C.md',
      error: 'There is no property "unknown" in this workspace; define it first or check its spelling.',
    },
  ])
  expect((await importedIn('Three')).map(({ path }: { path: string }) => path)).toEqual(['A.md', 'D.md'])
  expect((await service.get('/v1/tags')).body.tags.map(({ name }: { name: string }) => name)).not.toContain(
    'unwanted',
  )
  expect((await send('Three', noteOf('B.md'))).body).toEqual({ refused: [] })
})

test('a file is attached to the first note alone', async () => {
  const [first, second, file] = await idsOf('Four', 'A.md', 'B.md', 'a.txt')
  await sendFile('Four', 'a.txt')
  await send('Four', noteOf('A.md', { files: [file] }), noteOf('B.md', { files: [file] }))
  expect((await service.get(`/v1/notes/${first}/files`)).body.files).toHaveLength(1)
  expect((await service.get(`/v1/notes/${second}/files`)).body.files).toEqual([])
})

test('an imported note that was deleted is reported as deleted', async () => {
  const [id] = await idsOf('Five', 'Ada.md')
  await send('Five', noteOf('Ada.md'))
  await service.delete(`/v1/notes/${id}`)
  expect(await importedIn('Five')).toEqual([{ path: 'Ada.md', state: '1-2', id, name: null }])
})

test('a folder of the same name that another person imports is another one', async () => {
  await service.newKey({ user: 'Vera', role: 'editor' })
  const other = await signedIn(service, 'Vera')
  await send('Six', noteOf('Ada.md'))
  const { body } = await other.request('GET', '/app/api/import?folder=Six')
  expect(body.files).toEqual([])
})

test('files that were imported are not named once their importer reaches none', async () => {
  const { body } = await browser.request('POST', '/app/api/members', { name: 'kim', role: 'editor' })
  const kim = await setUpIn(service, 'kim')
  const query = new URLSearchParams({
    folder: 'Kim',
    path: 'b.txt',
    state: '4-5',
    file_name: 'secret.txt',
    created_at_ms: '5000',
  })
  expect(
    (await kim.request('POST', `/app/api/import/files?${query}`, new TextEncoder().encode('text'))).status,
  ).toBe(201)
  const names = async () =>
    (await kim.request('GET', '/app/api/import?folder=Kim')).body.files.map(
      ({ name }: { name: string }) => name,
    )
  expect(await names()).toEqual(['secret.txt'])
  const access = { files: 'none' }
  await browser.request('PATCH', `/app/api/members/${body.member.user_id}`, { access })
  expect(await names()).toEqual([])
})

test('the parts of a file that its note does not hold are kept for an export', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const own = await startService({ file })
  const user = await signedIn(own)
  const links = [{ start: 4, written: '[[Ada.md|me]]', original: '[me](./Ada.md)' }]
  const original = { front: '---\n# my comment\n---\n', links, mark: 'utf-8' }
  const note = noteOf('Ada.md', { title: 'Ada', content: 'See [[Ada.md|me]]', original })
  const sent = await user.request('POST', '/app/api/import/notes', { folder: 'Kept', notes: [note] })
  own.close()
  expect(sent.body).toEqual({ refused: [] })
  await runInProcess(['export', folder.file('out'), '--format', 'obsidian', '--db', file])
  const written = await Bun.file(folder.file('out/Ada.md')).bytes()
  expect(Buffer.from(written).toString('latin1')).toBe(
    '\xef\xbb\xbf---\n# my comment\n---\nSee [me](./Ada.md)',
  )
  folder.remove()
})

test('rewritten links that the body does not hold, or in another order, are refused', async () => {
  const far = { start: 900_000, written: '', original: '' }
  const near = { start: 0, written: '', original: '' }
  const notes = [
    noteOf('Order.md', {
      content: 'x'.repeat(900_000),
      original: { front: '', links: Array.from({ length: 5_000 }, (_, at) => (at % 2 ? near : far)) },
    }),
    noteOf('Absent.md', { original: { front: '', links: [{ start: 0, written: '[[x]]', original: 'y' }] } }),
  ]
  const { status, body } = await send('Links', ...notes)
  expect(status).toBe(200)
  expect(body.refused.map(({ path }: { path: string }) => path)).toEqual(['Order.md', 'Absent.md'])
})

const digestOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

test('a folder is recognized by its digests under another name, and by the command line', async () => {
  const files = { 'One.md': '---\nx: 1\n---\nbody one', 'Two.md': 'body two', 'Three.md': 'three' }
  const notes = Object.entries(files).map(([path, text]) => {
    const bodyStart = text.startsWith('---') ? text.indexOf('---\n', 4) + 4 : 0
    const original = { front: text.slice(0, bodyStart), links: [] }
    return noteOf(path, { content: text.slice(bodyStart), original })
  })
  await send('Known', ...notes)
  const recognize = async (folder: string, sample: object) => {
    const all = Object.entries(sample).map(([path, text]) => ({ path, sha256: digestOf(text) }))
    const { body } = await browser.request('POST', '/app/api/import/recognize', { folder, files: all })
    return body.earlier
  }
  expect(await recognize('Moved', files)).toMatch(/^This vault was imported from Known on 20/)
  expect(await recognize('Known', files)).toBe(null)
  expect(await recognize('Other', { 'One.md': 'other', 'Two.md': 'else', 'Three.md': 'x' })).toBe(null)
})

test('an import is undone as one: notes go to the trash, changed ones and older ones stay', async () => {
  await send('Undo', noteOf('Old.md'))
  const since_ms = Number.parseInt(
    (await idsOf('Undo', 'New.md'))[0]?.replace('-', '').slice(0, 12) ?? '',
    16,
  )
  await sendFile('Undo', 'new.txt')
  await send('Undo', noteOf('New.md'), noteOf('Changed.md'))
  const changed = (await importedIn('Undo')).find(({ path }: { path: string }) => path === 'Changed.md')
  await service.patch(`/v1/notes/${changed.id}`, { content: 'edited' })
  const { body } = await browser.request('POST', '/app/api/import/undo', { folder: 'Undo', since_ms })
  expect(body).toMatchObject({ files: 1, after: null })
  expect(body.kept).toEqual([{ path: 'Changed.md', error: 'it was changed since its import.' }])
  const left = (await importedIn('Undo')).map(({ path }: { path: string }) => path)
  expect(left).toContain('Changed.md')
  expect(left).not.toContain('New.md')
  expect(left).not.toContain('new.txt')
})

/** Before every id that is reserved from now on. */
const newSince = async (): Promise<number> => idTime((await idsOf('Since', crypto.randomUUID()))[0] ?? '')

test('an undo keeps every note that was changed since, and the files that it links to', async () => {
  await service.post('/v1/properties', { key: 'undo_rating', type: 'number' })
  const since_ms = await newSince()
  const names = ['Title.md', 'Tags.md', 'Value.md', 'Body.md', 'Same.md', 'kept.txt', 'other.txt']
  const ids = await idsOf('Kept', ...names)
  await sendFile('Kept', 'kept.txt')
  await sendFile('Kept', 'other.txt')
  const properties = { undo_rating: 3 }
  const [title = '', tags = '', value = '', body = '', same = '', kept = '', other = ''] = ids
  const notes = names.slice(0, 5).map((path) => noteOf(path, { tags: ['undone'], properties }))
  const [, , , withKept, withOther] = notes
  Object.assign(withKept ?? {}, { files: [kept], content: `[[file:${kept}]]` })
  Object.assign(withOther ?? {}, { files: [other], content: `[[file:${other}]]` })
  expect((await send('Kept', ...notes)).body).toEqual({ refused: [] })
  await service.patch(`/v1/notes/${title}`, { title: 'Another' })
  await service.patch(`/v1/notes/${tags}`, { tags: ['undone', 'read'] })
  await service.patch(`/v1/notes/${value}/properties`, { undo_rating: 5 })
  await service.patch(`/v1/notes/${body}`, { content: `Mine: [[file:${kept}]]` })
  const undone = await browser.request('POST', '/app/api/import/undo', { folder: 'Kept', since_ms })
  expect(undone.body).toMatchObject({ notes: 1, files: 1, after: null })
  const paths = undone.body.kept.map(({ path }: { path: string }) => path)
  expect(paths.sort()).toEqual([...names.slice(0, 4), 'kept.txt'].sort())
  expect((await service.get(`/v1/notes/${same}`)).status).toBe(404)
  expect((await service.get(`/v1/files/${kept}`)).status).toBe(200)
  expect((await service.get(`/v1/files/${other}`)).status).toBe(404)
})

test('an undo without write access to files removes the notes and keeps the files', async () => {
  const { body } = await browser.request('POST', '/app/api/members', { name: 'lou', role: 'editor' })
  const lou = await setUpIn(service, 'lou')
  const since_ms = await newSince()
  const query = new URLSearchParams({
    ...{ folder: 'Lou', path: 'a.txt', state: '4-5', file_name: 'a.txt', created_at_ms: '5000' },
  })
  await lou.request('POST', `/app/api/import/files?${query}`, new TextEncoder().encode('text'))
  await lou.request('POST', '/app/api/import/notes', { folder: 'Lou', notes: [noteOf('Lou.md')] })
  const access = { files: 'read' }
  await browser.request('PATCH', `/app/api/members/${body.member.user_id}`, { access })
  const undone = await lou.request('POST', '/app/api/import/undo', { folder: 'Lou', since_ms })
  expect(undone.status).toBe(200)
  expect(undone.body).toMatchObject({ notes: 1, files: 0, kept: [{ path: 'a.txt' }], after: null })
})

test('an undo removes the tags and properties that the import created and nothing else uses', async () => {
  const { now_ms: since_ms } = (await browser.request('GET', '/app/api/import?folder=Labels')).body
  const keys = ['undo_own', 'undo_shared', 'undo_renamed']
  for (const key of keys) await service.post('/v1/properties', { key, type: 'number' })
  const properties = Object.fromEntries(keys.map((key) => [key, 1]))
  // Another import of this folder was interrupted: its first note is not sent.
  await idsOf('Labels', 'Lost.md', 'A.md', 'B.md')
  const tags = ['own/nested', 'shared label', 'colored']
  await send('Labels', noteOf('A.md', { tags, properties }), noteOf('B.md', { tags }))
  await service.post('/v1/notes', { title: 'Mine', content: '', tags: ['shared label', 'mine alone'] })
  const { note } = (await service.post('/v1/notes', { title: 'Also mine', content: '' })).body
  await service.patch(`/v1/notes/${note.id}/properties`, { undo_shared: 2 })
  await service.patch('/v1/properties/undo_renamed', { label: 'Renamed' })
  const namesOf = async () =>
    (await service.get('/v1/tags')).body.tags.map(({ name }: { name: string }) => name)
  const colored = (await service.get('/v1/tags')).body.tags.find(
    ({ name }: { name: string }) => name === 'colored',
  )
  await service.patch(`/v1/tags/${colored.id}`, { color: '#ff0000' })
  const undone = await browser.request('POST', '/app/api/import/undo', { folder: 'Labels', since_ms })
  const counts = { notes: 2, files: 0, structures: 0, tags: 1, properties: 1 }
  expect(undone.body).toEqual({ ...counts, kept: [], after: null })
  const names = await namesOf()
  expect(names).not.toContain('own/nested')
  for (const name of ['shared label', 'mine alone', 'colored']) expect(names).toContain(name)
  const left = (await service.get('/v1/properties')).body.properties.map(({ key }: { key: string }) => key)
  expect(left).toContain('undo_shared')
  expect(left).toContain('undo_renamed')
  expect(left).not.toContain('undo_own')
})

test('an undo keeps tags that a preset names, and those of trashed notes that no import created', async () => {
  const { now_ms: since_ms } = (await browser.request('GET', '/app/api/import?folder=Beside')).body
  await send('Beside', noteOf('C.md', { tags: ['in a preset', 'only imported'] }))
  await service.post('/v1/presets', { name: 'Imported', tags: ['in a preset'] })
  const { note } = (await service.post('/v1/notes', { title: 'Own', content: '', tags: ['of a draft'] })).body
  await service.delete(`/v1/notes/${note.id}`)
  const undone = await browser.request('POST', '/app/api/import/undo', { folder: 'Beside', since_ms })
  expect(undone.body).toMatchObject({ notes: 1, tags: 1, after: null })
  const names = (await service.get('/v1/tags')).body.tags.map(({ name }: { name: string }) => name)
  expect(names).not.toContain('only imported')
  expect(names).toContain('in a preset')
  await service.post(`/v1/notes/${note.id}/restore`)
  expect((await service.get(`/v1/notes/${note.id}`)).body.note.tags).toEqual(['of a draft'])
})

test('an undo keeps a table that a webhook uses', async () => {
  const { now_ms: since_ms } = (await browser.request('GET', '/app/api/import?folder=Tables')).body
  const makeTable = (name: string) => {
    const path = `${name} ${'0'.repeat(32)}.csv`
    const body = { folder: 'Tables', path, state: '1-2', text: 'Name,Due\nAda,2024-01-02' }
    return browser.request('POST', '/app/api/import/tables', body)
  }
  expect((await makeTable('Watched')).body).toEqual({ rows: 1 })
  expect((await makeTable('Plain')).body).toEqual({ rows: 1 })
  // The response to the first request may have been lost.
  expect((await makeTable('Plain')).body).toEqual({ rows: 0 })
  await service.post('/v1/webhooks', { structure: 'Watched', url: 'https://example.com/' })
  const undone = await browser.request('POST', '/app/api/import/undo', { folder: 'Tables', since_ms })
  expect(undone.body).toMatchObject({ structures: 1, after: null })
  expect(undone.body.kept).toMatchObject([{ error: expect.stringContaining('webhooks') }])
  const { structures } = (await service.get('/v1/records/structures')).body
  expect(structures.map(({ name }: { name: string }) => name)).toEqual(['Watched'])
  await browser.request('DELETE', `/app/api/structures/${structures[0].id}`, { name: 'Watched' })
})

test('of the dates of a table, only those that can be read in two ways stay text', async () => {
  const path = `Dates ${'0'.repeat(32)}.csv`
  const preview = async (text: string) =>
    browser.request('POST', '/app/api/import/tables/preview', { path, text })
  const text = 'Created,Due,Done,Left\n2024-01-02,01/02/2024,31/01/2024,5\n'
  expect((await preview(text)).body.columns).toEqual([
    { label: 'Created', type: 'date' },
    { label: 'Due', type: 'text' },
    { label: 'Done', type: 'date' },
    { label: 'Left', type: 'number' },
  ])
  const { status, body } = await preview('Name,Due\nAda,2024-01-02,more')
  expect([status, body.error]).toEqual([400, 'row 1 has 3 cells, and the file has 2 columns.'])
})

test('a table of more rows than one transaction may write is refused, and nothing is written', async () => {
  const body = { path: `Large ${'0'.repeat(32)}.csv`, text: `n\n${'1\n'.repeat(10_001)}` }
  const preview = await browser.request('POST', '/app/api/import/tables/preview', body)
  expect(preview).toMatchObject({ status: 400, body: { error: expect.stringContaining('10,000 rows') } })
  const table = { ...body, folder: 'Large', state: '1-2' }
  expect((await browser.request('POST', '/app/api/import/tables', table)).status).toBe(400)
  expect((await service.get('/v1/records/structures')).body.structures).toEqual([])
  expect(await importedIn('Large')).toEqual([])
})
