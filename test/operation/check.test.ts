import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { copyFileSync, truncateSync } from 'node:fs'
import { runInProcess } from '../support/cli.ts'
import { alter, openBeside } from '../support/database.ts'
import { newFolder } from '../support/process.ts'
import { declare, giveTable, write } from '../support/records.ts'
import { indexAll } from '../support/search-tables.ts'
import { startService } from '../support/service.ts'

const intact = newFolder()
let folder: ReturnType<typeof newFolder>
let file: string
let first: string
let second: string
let row: string
let small: string

/**
 * Creates a database with two workspaces that have search tables, trashed and changed notes, links, tags and several
 * scripts. Each test damages a copy.
 */
beforeAll(async () => {
  const service = await startService({ file: intact.file('daybook.db') })
  const other = service.as(await service.newWorkspace('Other'))
  for (const client of [service, other]) {
    const { body } = await client.post('/v1/notes', {
      title: 'Alpha',
      content: 'to [[Beta]] 日本語',
      tags: ['Été', 'b'],
    })
    const beta = await client.post('/v1/notes', {
      title: 'Beta',
      content: 'à la carte',
      alias: 'Second',
      aliases: ['Deux'],
      tags: ['b'],
    })
    await client.post(`/v1/notes/${beta.body.note.id}/append`, { text: 'and [[Alpha]]' })
    await indexAll(service.ctx)
    const trashed = await client.post('/v1/notes', { title: 'Trashed', content: 'gone', tags: ['b'] })
    await client.delete(`/v1/notes/${trashed.body.note.id}`)
    if (client === service) [first, second] = [body.note.id, beta.body.note.id]
  }
  const fields = [
    { key: 'name', type: 'text', unique: true },
    { key: 'amount', type: 'number' },
    { key: 'done', type: 'bool' },
  ]
  await service.post('/v1/records/structures', { name: 'Things', fields })
  await service.post('/v1/records/structures', { name: 'Empty', fields })
  await giveTable(service, 'Things')
  const rows = [
    { data: { name: 'Été', amount: 1.5 } },
    { data: { name: 'b', done: true } },
    { data: { amount: 3 } },
  ]
  const { body } = await service.post('/v1/records', { structure: 'Things', rows })
  row = body.records[0].id
  await declare(service, 'Small', fields)
  await declare(service, 'Large', fields)
  await giveTable(service, 'Large')
  ;[small] = (await write(service, 'Small', { name: 'a' }, { name: 'b' })).map(({ id }: { id: string }) => id)
  await service.patch(`/v1/records/${row}`, { data: { done: false } })
  await service.delete(`/v1/records/${body.records[2].id}`)
  service.close()
})
afterAll(() => intact.remove())

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
  copyFileSync(intact.file('daybook.db'), file)
})
afterEach(() => folder.remove())

const check = (...args: string[]) => runInProcess(['check', ...args, '--db', file])

const damage = (script: string) => alter(file, script)

/** Returns the hits that every search must find again after a repair. */
async function search(text: string): Promise<string[]> {
  const service = await startService({ file })
  const { body } = await service.get(`/v1/notes?search=${encodeURIComponent(text)}`)
  service.close()
  return body.notes.map((note: { title: string }) => note.title)
}

test('an intact database is ok, also with notes that are not indexed yet', async () => {
  expect(await check()).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  expect(await check('--repair')).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  expect(await search('本語')).toEqual(['Alpha'])
})

test('reports tables and indexes of other programs, but not those of Litestream', async () => {
  await damage(`CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); ANALYZE;
    CREATE TABLE evil (a UNIQUE); CREATE VIRTUAL TABLE rows_9_words USING fts5(words, content = '');
    CREATE UNIQUE INDEX once ON notes (id); CREATE INDEX rows_1_by_2 ON notes (workspace)`)
  const foreign = ['table "evil"', 'index "once"', 'index "rows_1_by_2"', 'table "rows_9_words"']
  const { exitCode, out } = await check()
  expect(exitCode).toBe(1)
  for (const part of foreign) expect(out).toContain(`The ${part} is not daybook's; drop it.\n`)
  await damage('DROP INDEX once; DROP INDEX rows_1_by_2; DROP TABLE evil; DROP TABLE rows_9_words')
  expect(await check()).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
})

test('reports and repairs remains of deleted tags and properties on notes, unless a job removes them', async () => {
  await damage(`INSERT INTO note_tags VALUES (77, 1); INSERT INTO note_properties VALUES (1, 88, 'x');
    INSERT INTO note_tags VALUES (78, 1); INSERT INTO jobs VALUES ('tag.detach', 78, 'null', 0)`)
  const [tag, property] = [
    'Notes have the tag 77, which does not exist.\n',
    'Notes have values of the property 88, which does not exist.\n',
  ]
  expect(await check()).toMatchObject({ exitCode: 1, out: expect.stringContaining(`${tag}${property}`) })
  expect((await check('--repair')).exitCode).toBe(0)
  expect(await check()).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
})

test('a check writes nothing and waits for no writer, even while notes are not yet indexed', async () => {
  const writer = openBeside(file)
  writer.run('PRAGMA journal_mode = WAL')
  writer.run('INSERT OR IGNORE INTO search_pending (workspace, note) VALUES (1, 1), (1, 2)')
  writer.run('BEGIN IMMEDIATE')
  expect(await check()).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  writer.run('COMMIT')
  expect(writer.query('SELECT note FROM search_pending WHERE workspace = 1').values()).toEqual([[1], [2]])
  writer.close()
})

test('entries of notes that are not indexed yet are not compared; others are', async () => {
  await damage(`DELETE FROM search_pending; INSERT INTO search_pending (workspace, note) VALUES (1, 2);
    UPDATE note_bodies SET content = 'other words that no index has, to [[Alpha]]' WHERE note = 2`)
  expect(await check()).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  await damage("UPDATE note_bodies SET content = replace(content, 'to', 'of') WHERE note = 1")
  expect(await check()).toEqual({
    exitCode: 1,
    out: 'The search table note_search holds other words than the texts.\n',
    err: '',
  })
})

test('words that FTS5 cuts off, also within a character, are no fault', async () => {
  const service = await startService({ file })
  const long = ['x'.repeat(40_000), 'X'.repeat(32_768), 'क'.repeat(20_000), `a${'क'.repeat(20_000)}`]
  const odd = ['a\u0000b', '½ ℀ ﬁ ß İ', '\u00ad', "don't-stop_now", '日本語ภาษาไทย', '😀𐐀', '']
  for (const content of [...long, ...odd]) await service.post('/v1/notes', { title: 'Odd', content })
  await service.get('/v1/notes?search=odd')
  service.close()
  expect(await check()).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
})

test.each([
  [
    'counter of notes',
    'UPDATE workspaces SET live_notes = 7 WHERE pk = 1',
    () => 'The workspace "Personal" counts 7 notes and 1 in the trash; it holds 2 and 1.',
  ],
  [
    'counter of the trash',
    'UPDATE workspaces SET trashed_notes = 0 WHERE pk = 2',
    () => 'The workspace "Other" counts 2 notes and 0 in the trash; it holds 2 and 1.',
  ],
  [
    'count of a tag',
    'UPDATE tags SET note_count = 9 WHERE id = 2',
    () => 'The tag "b" (2) counts 9 notes; 2 carry it.',
  ],
  [
    'folded name of a tag',
    "UPDATE tags SET name_fold = 'x' WHERE id = 1",
    () => 'The folded name of the tag "Été" (1) is not that of its name.',
  ],
  [
    'link',
    'DELETE FROM note_links WHERE note = 1',
    () => `The links stored for the note ${first} are not those of its body and properties.`,
  ],
  [
    'folded title',
    "UPDATE notes SET title_fold = 'x' WHERE pk = 2",
    () => `The folded names of the note ${second} are not those of its title and alias.`,
  ],
  [
    'index of aliases',
    "UPDATE note_aliases SET alias_fold = 'zwei' WHERE note = 2",
    () => `The indexed aliases of the note ${second} are not its further aliases.`,
  ],
  [
    'body changed behind the index',
    "UPDATE note_bodies SET content = content || ' more' WHERE note = 2",
    () => 'The entry 2 of the search table note_search does not match its text.',
  ],
  [
    'body with one word for another',
    "UPDATE note_bodies SET content = replace(content, 'carte', 'cards') WHERE note = 2",
    () => 'The search table note_search holds other words than the texts.',
  ],
  [
    'entry missing in the search',
    'DELETE FROM note_search_head WHERE rowid = 2',
    () => 'The entry 2 of the search table note_search_head is missing.',
  ],
  [
    'entry left over in the search',
    "INSERT INTO note_search (rowid, title, body, tags) VALUES (3, 'gone', '', '')",
    () => 'The entry 3 of the search table note_search is left over.',
  ],
  [
    'tag missing in the search',
    'DELETE FROM tag_search WHERE rowid = 1',
    () => 'The entry 1 of the search table tag_search is missing.',
  ],
  ['search table gone', 'DROP TABLE note_search', () => 'The search table note_search is missing.'],
  [
    'counter of rows',
    'UPDATE structure_stats SET live = 7 WHERE structure = 1',
    () => 'The structure "Things" counts 7 rows; it holds 2.',
  ],
  [
    'value kept for finding a row',
    'UPDATE rows_1 SET f2 = 2.5 WHERE pk = 1',
    () => `The row table of the structure "Things" does not match the record ${row}.`,
  ],
  [
    'row missing in its table',
    'DELETE FROM rows_1 WHERE pk = 1',
    () => `The row table of the structure "Things" does not match the record ${row}.`,
  ],
  [
    'value of a small structure',
    'UPDATE small_rows SET f1 = 1 WHERE pk = 4',
    () => `The row table of the structure "Small" does not match the record ${small}.`,
  ],
  [
    'row of a small structure missing',
    'DELETE FROM small_rows WHERE pk = 4',
    () => `The row table of the structure "Small" does not match the record ${small}.`,
  ],
  [
    'row of a small structure that is in the wrong place',
    'INSERT INTO small_rows (structure, pk, created_at, updated_at) VALUES (4, 4, 0, 0)',
    () => `The row table of the structure "Large" does not match the record ${small}.`,
  ],
  [
    'row of a structure that does not exist',
    'INSERT INTO small_rows (structure, pk, created_at, updated_at) VALUES (99, 4, 0, 0)',
    () => 'The table small_rows holds the row 4 of a structure that does not exist.',
  ],
  [
    'table of a small structure',
    'CREATE TABLE rows_3 (pk INTEGER PRIMARY KEY)',
    () => 'The structure "Small" has a table of rows that is not on record.',
  ],
  [
    'order of rows',
    'UPDATE records SET created_at = created_at + 9 WHERE pk = 1; UPDATE rows_1 SET created_at = created_at + 9 WHERE pk = 1',
    () => 'The rows of the structure "Things" are not in the order that is on record.',
  ],
  ['table of rows gone', 'DROP TABLE rows_1', () => 'The row table of the structure "Things" is missing.'],
  [
    'column gone',
    'ALTER TABLE rows_1 DROP COLUMN g2',
    () => 'The row table of the structure "Things" has other columns than its fields.',
  ],
  [
    'unique index gone',
    'DROP INDEX rows_1_unique_1',
    () => 'The row table of the structure "Things" does not have the unique indexes of its definition.',
  ],
])('%s: found, and mended by a repair', async (_what, script, sentence) => {
  await damage(script)
  expect(await check()).toEqual({ exitCode: 1, out: `${sentence()}\n`, err: '' })
  expect(await check('--repair')).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  expect(await search('alpha')).toEqual(['Alpha', 'Beta'])
})

test('damage of primary data is reported and cannot be repaired', async () => {
  await damage('DELETE FROM note_bodies WHERE note = 2')
  const { exitCode, out } = await check('--repair')
  expect(exitCode).toBe(1)
  expect(out).toContain(`The note ${second} has no body; restore it from a backup.\n`)
})

test('a dangling reference is a fault', async () => {
  await damage('INSERT INTO note_tags (tag, note) VALUES (1, 999)')
  expect(await check()).toEqual({
    exitCode: 1,
    out: 'A row of note_tags refers to a row of notes that does not exist.\n',
    err: '',
  })
})

test('a damaged file is a fault', async () => {
  const bytes = await Bun.file(file).bytes()
  bytes.fill(0x5a, 4096 * 20, 4096 * 24)
  await Bun.write(file, bytes)
  const { exitCode, out, err } = await check()
  expect(exitCode).toBe(1)
  expect(`${out}${err}`).toMatch(
    / is damaged.*\. That cannot be repaired: stop the server and restore a backup/,
  )
  expect(`${out}${err}`).not.toMatch(/Tree|Page|malformed/)
})

test('a truncated file is reported as damaged, not as a file of another program', async () => {
  truncateSync(file, 4096 * 3)
  expect(await check()).toEqual({
    exitCode: 1,
    out: '',
    err: `The database ${file} is damaged. That cannot be repaired: stop the server and restore a backup with "daybook restore <backup>".\n`,
  })
})
