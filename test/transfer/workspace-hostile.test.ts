import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { FORMAT } from '../../src/transfer/workspace/format.ts'
import { faultsIn } from '../support/check.ts'
import { runInProcess } from '../support/cli.ts'
import { alter } from '../support/database.ts'
import { newFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { exportRowsTo, exportTo, importFrom } from '../support/workspace-files.ts'

const KEPT = { id: '019aa1f2-7c3e-7001-8a4b-6f0c2d9e1b35', created_at: '2026-11-21T09:30:00.000Z' }
const STRUCTURE = { ...KEPT, name: 'Books', fields: [{ key: 'title', type: 'text' }] }
const FILE = { ...KEPT, file_name: 'a.txt', note_id: null, mime_type: 'text/plain', stored: 'a.txt' }

const folder = newFolder()
afterAll(() => folder.remove())

let exports = 0

/** Creates an exported folder with these files. */
function folderOf(files: Record<string, unknown>): string {
  const path = folder.file(`export-${++exports}`)
  for (const [name, content] of Object.entries({ 'daybook.json': { format: FORMAT }, ...files })) {
    mkdirSync(dirname(`${path}/${name}`), { recursive: true })
    const isRaw = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(`${path}/${name}`, isRaw ? content : JSON.stringify(content))
  }
  return path
}

async function refusalsOf(path: string) {
  const service = await startService()
  const { refused, isWritten } = await importFrom(service, path)
  expect(isWritten).toBe(false)
  service.close()
  return refused
}

test('an import reads no original through a folder that is a link', async () => {
  const outside = folderOf({ 'a.txt': 'secret' })
  const path = folderOf({ 'files.json': [FILE] })
  symlinkSync(outside, `${path}/files`)
  expect(await refusalsOf(path)).toEqual([
    {
      place: 'files.json, entry 1',
      reason: '"stored" names "a.txt", which is not a file of the folder "files".',
    },
  ])
})

test('an original that is too large is refused before it is read', async () => {
  const path = folderOf({ 'files.json': [FILE], 'files/a.txt': '' })
  truncateSync(`${path}/files/a.txt`, 6 * 2 ** 30)
  const reason = 'The file is larger than 50 MiB; add a smaller one.'
  expect(await refusalsOf(path)).toEqual([{ place: 'files.json, entry 1', reason }])
})

test('a file that is far too large for an export, or has a line that is, is refused before it fills the memory', async () => {
  const notes = folderOf({ 'notes/a.md': '' })
  truncateSync(`${notes}/notes/a.md`, 6 * 2 ** 30)
  const [refused] = await refusalsOf(notes)
  expect(refused).toEqual({ place: 'notes/a.md', reason: expect.stringContaining('is larger than 256 MiB') })
  const rows = folderOf({ 'structures/a.json': STRUCTURE, 'structures/a.jsonl': '' })
  truncateSync(`${rows}/structures/a.jsonl`, 6 * 2 ** 30)
  await expect(refusalsOf(rows)).rejects.toThrow('has a line that is longer than 16 MiB')
})

test.each(['mine', '[]', '{}', '{"format":"obsidian"}'])(
  'a daybook.json that is another file is named as that: %s',
  async (content) => {
    const path = folderOf({ 'daybook.json': content, 'Note.md': 'text' })
    await expect(refusalsOf(path)).rejects.toThrow('if this is a folder of notes, rename that file.')
  },
)

test('an original with an impossible file name is refused, and the rest is imported', async () => {
  const stored = 'a'.repeat(300)
  expect(await refusalsOf(folderOf({ 'files.json': [{ ...FILE, stored }], 'files/a.txt': 'x' }))).toEqual([
    {
      place: 'files.json, entry 1',
      reason: 'it cannot be read (ENAMETOOLONG); its name is too long for this system, so shorten it.',
    },
  ])
})

test('skips unreadable notes and structures, and imports the rest', async () => {
  const service = await startService()
  const note = `---\nid: "${KEPT.id}"\ntitle: "B"\ncreated_at: "${KEPT.created_at}"\nupdated_at: "${KEPT.created_at}"\n---\n`
  const path = folderOf({
    'notes/a.md': new Uint8Array([0x41, 0xff]),
    'notes/b.md': note,
    'structures/a.json': '[',
    'structures/b.json': STRUCTURE,
  })
  const { counts, refused, isWritten } = await importFrom(service, path, true)
  expect({ isWritten, notes: counts.notes, structures: counts.structures }).toEqual({
    isWritten: true,
    notes: 1,
    structures: 1,
  })
  expect(refused.map(({ place }) => place)).toEqual(['structures/a.json', 'notes/a.md'])
  service.close()
})

test('tags created after an import of the highest id have distinct ids', async () => {
  const service = await startService()
  await importFrom(service, folderOf({ 'tags.json': [{ id: Number.MAX_SAFE_INTEGER, name: 'high' }] }))
  const { status } = await service.post('/v1/notes', { title: 'A', tags: ['one', 'two'] })
  expect(status).toBe(201)
  const { body } = await service.get('/v1/tags')
  const ids: number[] = body.tags.map(({ id }: { id: number }) => id)
  expect(new Set(ids).size).toBe(3)
  expect(ids.every(Number.isSafeInteger)).toBe(true)
  expect(faultsIn(service)).toEqual([])
  service.close()
})

test('the name of an imported tag is trimmed, and a repeated link counts once', async () => {
  const service = await startService()
  await importFrom(
    service,
    folderOf({
      'tags.json': [
        { id: 1, name: ' a ', linked_tags: ['b', 'B'] },
        { id: 2, name: 'b' },
      ],
    }),
  )
  const { body } = await service.get('/v1/tags')
  expect(body.tags).toMatchObject([{ name: 'a', linked_tags: [{ name: 'b' }] }, { name: 'b' }])
  service.close()
})

test.each([-1, 1.5, 2 ** 53, 'many'])(
  'a webhook with %p failures is refused',
  async (consecutive_failures) => {
    const webhook = { ...KEPT, structure: 'Books', url: 'https://hooks.example.com/', consecutive_failures }
    const refused = await refusalsOf(folderOf({ 'structures/a.json': STRUCTURE, 'webhooks.json': [webhook] }))
    expect(refused).toEqual([
      {
        place: 'webhooks.json, entry 1',
        reason: '"consecutive_failures" must be an integer from 0 to 1000000000.',
      },
    ])
  },
)

test.each(['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'])(
  'the instant %s, which no timestamp can say in UTC, is refused',
  async (created_at) => {
    const [refused] = await refusalsOf(folderOf({ 'structures/a.json': { ...STRUCTURE, created_at } }))
    expect(refused?.reason).toStartWith('"created_at" must be a timestamp')
  },
)

test('an export refuses a file in place of the folder', async () => {
  const service = await startService()
  const path = folder.file('file')
  writeFileSync(path, 'mine')
  expect(() => exportTo(service, path)).toThrow('is not a folder')
  service.close()
})

test('a failed export removes nothing that was added to its folder meanwhile', async () => {
  const service = await startService()
  await service.post('/v1/notes', { title: 'A' })
  const path = folder.file('meanwhile')
  const write = () => {
    mkdirSync(path, { recursive: true })
    writeFileSync(`${path}/mine`, 'mine')
  }
  expect(() => exportTo(service, path, write)).toThrow('is not empty')
  expect(await Bun.file(`${path}/mine`).text()).toBe('mine')
  rmSync(path, { recursive: true })
  service.close()
})

test('a table is written where the export of a folder was interrupted', async () => {
  const service = await startService()
  await service.post('/v1/records/structures', { name: 'Books', fields: [{ key: 'title', type: 'text' }] })
  mkdirSync(folder.file('.books.unfinished/notes'), { recursive: true })
  const file = folder.file('books')
  expect(exportRowsTo(service, 'Books', file, 'csv')).toBe(0)
  expect(await Bun.file(file).text()).toBe('title\n')
  service.close()
})

test('an export whose folder cannot be created is refused with a sentence', async () => {
  const service = await startService()
  writeFileSync(folder.file('plain'), '')
  const path = folder.file('plain/export')
  expect(() => exportTo(service, path)).toThrow('cannot be written')
  service.close()
})

test('a folder is not an export because a folder in it is named daybook.json', async () => {
  const file = folder.file('notes.db')
  ;(await startService({ file })).close()
  mkdirSync(folder.file('vault/daybook.json'), { recursive: true })
  writeFileSync(folder.file('vault/A note.md'), 'Text')
  expect((await runInProcess(['import', folder.file('vault'), '--db', file])).exitCode).toBe(0)
  const service = await startService({ file })
  expect((await service.get('/v1/notes')).body.total).toBe(1)
  service.close()
})

test.each(['text/html\r\nSet-Cookie: a=b', 'text', '', '€/€', `a/${'b'.repeat(300)}`])(
  'a media type that is none becomes that of the name, in an import and where it is stored already: %j',
  async (mime_type) => {
    const service = await startService()
    const path = folderOf({ 'files.json': [{ ...FILE, mime_type }], 'files/a.txt': 'text' })
    expect((await importFrom(service, path)).isWritten).toBe(true)
    const type = async () => {
      const { status, headers } = await service.app.fetch(
        new Request(`http://localhost/v1/files/${FILE.id}/content`, {
          headers: { authorization: `Bearer ${service.key}` },
        }),
      )
      const { file } = (await service.get(`/v1/files/${FILE.id}`)).body
      return [status, headers.get('content-type'), file.mime_type]
    }
    expect(await type()).toEqual([200, 'text/plain', 'text/plain'])
    // As an earlier version stored it.
    await alter(service, 'UPDATE files SET mime_type = ?', mime_type)
    expect(await type()).toEqual([200, 'text/plain', 'text/plain'])
    service.close()
  },
)

test('rows are imported with the values of formulas that had another result, and impossible roll-ups are blank', async () => {
  const row = { ...KEPT, id: KEPT.id.replace('b35', 'b36'), updated_at: KEPT.created_at, deleted_at: null }
  const link = { key: 'link', type: 'record', structure: KEPT.id }
  const sum = { key: 'sum', type: 'rollup', function: 'sum', field: 'title' }
  const fields = [
    ...[{ key: 'title', type: 'text' }, link],
    { key: 'length', type: 'formula', expression: 'LEN({title})' },
    { ...sum, via: { structure: KEPT.id, field: 'link' } },
    { ...sum, key: 'missing', via: { structure: KEPT.id, field: 'none' } },
  ]
  const data = { title: 'Tea', link: row.id, length: 'of an earlier expression' }
  const path = folderOf({
    'structures/a.json': { ...STRUCTURE, fields },
    'structures/a.jsonl': `${JSON.stringify({ ...row, data })}\n`,
  })
  const service = await startService()
  expect(await importFrom(service, path)).toMatchObject({ isWritten: true, refused: [] })
  const { body } = await service.get(`/v1/records/${row.id}`)
  expect(body.record.data).toEqual({ title: 'Tea', link: row.id, length: 3 })
  service.close()
})
