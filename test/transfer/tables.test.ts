import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { runInProcess } from '../support/cli.ts'
import { stored } from '../support/database.ts'
import { daybook } from '../support/process.ts'
import { newTableTest, type TableTest } from '../support/tables.ts'

let table: TableTest

const FIELDS = [
  { key: 'name', type: 'text' },
  { key: 'amount', type: 'number' },
  { key: 'paid', type: 'bool' },
  { key: 'due', type: 'date' },
  { key: 'at', type: 'time' },
  { key: 'moment', type: 'datetime' },
  { key: 'state', type: 'select', options: ['open', 'Zoë 研究 👩‍👩‍👧'] },
  { key: 'next', type: 'record', structure: 'All types' },
]

const ROWS = [
  { name: 'Ink', amount: -12.5, paid: true, due: '2026-11-21', at: '09:30', state: 'open' },
  { name: '', amount: 1e300, paid: false, due: '0001-01-01', moment: '2026-11-21T09:30:00.123Z' },
  { due: '9999-12-31', moment: '9999-12-31T23:59:59.999Z', state: 'Zoë 研究 👩‍👩‍👧' },
  {
    amount: 0,
    due: '1969-12-31',
    moment: '1969-12-31T23:59:59.999Z',
    name: `line\n"two" 'three' ${'x'.repeat(300)}`,
  },
  {},
]

/** More rows than one Parquet row group contains, and than a single read returns. */
const MANY = 20_500
const HOSTILE = ['Notes', 'notes_2', 'sqlite_schema', 'a"b;--', 'tags', '../up/x', 'CON', 'select']

let written: { id: string; data: Record<string, unknown>; created_at: string; updated_at: string }[]
const noteIds: Record<string, string> = {}

beforeAll(async () => {
  table = await newTableTest()
  const service = table.service()
  for (const name of ['All types', ...HOSTILE])
    await service.post('/v1/records/structures', { name, fields: FIELDS.slice(0, 7) })
  await service.patch('/v1/records/structures/All%20types', { fields: FIELDS })
  const rows = ROWS.map((data) => ({ data }))
  written = (await service.post('/v1/records', { structure: 'All types', rows })).body.records
  const [first, second] = written
  await service.patch(`/v1/records/${second?.id}`, { data: { next: first?.id } })
  await service.delete(`/v1/records/${written.pop()?.id}`)
  for (const name of HOSTILE) await service.post('/v1/records', { structure: name, data: { name } })
  await service.post('/v1/records/structures', { name: 'Many', fields: [{ key: 'n', type: 'number' }] })
  for (let at = 0; at < MANY; at += 500) {
    const some = Array.from({ length: 500 }, (_, more) => ({ data: { n: at + more } }))
    await service.post('/v1/records', { structure: 'Many', rows: some })
  }
  await service.post('/v1/properties', { key: 'due', type: 'date' })
  for (const note of [
    {
      title: 'Engines',
      content: 'See [[Tea|the tea]], [[Nowhere]].',
      tags: ['b', 'a'],
      properties: { due: '2026-11-21' },
    },
    { title: 'Tea', alias: 'cha', aliases: ['thé', 'tee'], content: '[[engines]] and [[Gone]]', tags: ['a'] },
    { title: 'Gone', content: '[[Tea]]' },
  ])
    noteIds[note.title] = (await service.post('/v1/notes', note)).body.note.id
  await service.delete(`/v1/notes/${noteIds.Gone}`)
  written = (await service.get('/v1/records?structure=All%20types&sort=created_at&direction=asc')).body
    .records
})
afterAll(() => table.remove())

const run = (...args: string[]) => runInProcess(['export', '--db', table.db, ...args])

const NAMES = [
  ...['notes', 'tags', 'note_tags', 'links', 'All types', 'Notes_3', 'notes_2', '_sqlite_schema', 'a"b;--'],
  ...['tags_2', '../up/x', 'CON', 'select', 'Many'],
]

/** Checks the content of every format, as read by a database. */
function checkNotes(read: (name: string) => Record<string, unknown>[]): void {
  const { Engines, Tea } = noteIds
  expect(read('notes')).toMatchObject([
    { id: Engines, title: 'Engines', alias: null, properties: '{"due":"2026-11-21"}' },
    {
      id: Tea,
      title: 'Tea',
      content: '[[engines]] and [[Gone]]',
      alias: 'cha',
      properties: '{}',
      aliases: '["thé","tee"]',
    },
  ])
  const tags = new Map(read('tags').map(({ id, name }) => [id, name]))
  expect([...tags.values()].sort()).toEqual(['a', 'b'])
  const carried = read('note_tags').map(({ note_id, tag_id }) => [note_id, tags.get(tag_id)])
  expect(carried.sort()).toEqual(
    [
      [Engines, 'a'],
      [Engines, 'b'],
      [Tea, 'a'],
    ].sort(),
  )
  expect(read('links')).toEqual([
    { from_note_id: Engines, to_note_id: Tea, text: 'the tea' },
    { from_note_id: Engines, to_note_id: null, text: 'Nowhere' },
    { from_note_id: Tea, to_note_id: Engines, text: 'engines' },
    { from_note_id: Tea, to_note_id: null, text: 'Gone' },
  ])
  expect(read('Many').map(({ n }) => n)).toEqual(Array.from({ length: MANY }, (_, n) => n))
}

describe('a SQLite file', () => {
  test('has a table for each structure and four for the notes, with plain columns', async () => {
    const file = table.file('out.sqlite')
    const { exitCode, out } = await run('--format', 'sqlite', file, '--json')
    expect([exitCode, Object.keys(JSON.parse(out).counts)]).toEqual([0, NAMES])
    const read = (name: string) =>
      stored<Record<string, unknown>>(file, `SELECT * FROM "${name.replaceAll('"', '""')}"`)
    const rows = written.map(({ id, data, created_at, updated_at }) => {
      const cells = FIELDS.map(({ key }) => [key, data[key] ?? null])
      const { paid, ...others } = Object.fromEntries(cells)
      return { id, ...others, paid: paid === null ? null : Number(paid), created_at, updated_at }
    })
    expect(read('All types')).toEqual(rows)
    checkNotes(read)
    for (const [at, name] of HOSTILE.entries()) expect(read(NAMES[at + 5] ?? '')).toMatchObject([{ name }])
    const columns = stored<{ name: string; type: string; pk: number }>(file, 'PRAGMA table_info("All types")')
    expect(columns.map(({ name, type, pk }) => `${name} ${type} ${pk}`)).toEqual([
      ...[
        'id TEXT 1',
        'name TEXT 0',
        'amount REAL 0',
        'paid INTEGER 0',
        'due TEXT 0',
        'at TEXT 0',
        'moment TEXT 0',
      ],
      ...['state TEXT 0', 'next TEXT 0', 'created_at TEXT 0', 'updated_at TEXT 0'],
    ])
    expect(stored(file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  test('is new, whole, and for its owner alone, also on standard output', async () => {
    const file = table.file('own.sqlite')
    expect(await daybook(['export', '--format', 'sqlite', file, '--db', table.db])).toMatchObject({
      exitCode: 0,
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await run('--format', 'sqlite', file)).toMatchObject({
      exitCode: 1,
      err: `${file} exists already; name another file.\n`,
    })
    const nowhere = table.file('no/where.sqlite')
    expect(await run('--format', 'sqlite', nowhere)).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('cannot be written'),
    })
    expect((await run('--format', 'sqlite', '-')).out).toStartWith('SQLite format 3\0')
    expect(readdirSync(table.file('.')).filter((name) => name.includes('unfinished'))).toEqual([])
  })
})

test('a folder of Parquet files holds the same, with days and times as such', async () => {
  const folder = table.file('parquet')
  expect(await run('--format', 'parquet', folder)).toMatchObject({ exitCode: 0, err: '' })
  const files = readdirSync(folder).sort()
  expect(files).toHaveLength(NAMES.length)
  expect(files).toContain('_CON.parquet')
  expect(files).toContain('_-up-x.parquet')
  const all = new Map<string, Record<string, unknown>[]>()
  for (const name of files)
    all.set(name, await parquetReadObjects({ file: await asyncBufferFromFile(`${folder}/${name}`) }))
  const read = (name: string) => all.get(`${name}.parquet`) ?? []
  checkNotes(read)
  const asStored = (key: string, value: unknown) => {
    if (value === undefined) return null
    const isMoment = ['due', 'moment', 'created_at', 'updated_at'].includes(key)
    return isMoment ? new Date(String(value)) : value
  }
  expect(read('All types')).toEqual(
    written.map(({ id, data, created_at, updated_at }) => {
      const all: Record<string, unknown> = { ...data, created_at, updated_at }
      const keys = [...FIELDS.map(({ key }) => key), 'created_at', 'updated_at']
      return { id, ...Object.fromEntries(keys.map((key) => [key, asStored(key, all[key])])) }
    }),
  )
  expect(await run('--format', 'parquet', folder)).toMatchObject({ exitCode: 1 })
})

test('fields of whole numbers are integers, and others are not', async () => {
  const own = await newTableTest()
  const keys = ['whole', 'long', 'huge', 'broken', 'none']
  const fields = keys.map((key) => ({ key, type: 'number' }))
  await own.service().post('/v1/records/structures', { name: 'T', fields })
  const rows = [
    { data: { whole: -0, long: -(2 ** 53) + 1, huge: 1e21, broken: 1 } },
    { data: { whole: 7, broken: 1.5 } },
  ]
  await own.service().post('/v1/records', { structure: 'T', rows })
  const [file, folder] = [own.file('t.sqlite'), own.file('t')]
  for (const [format, path] of [
    ['sqlite', file],
    ['parquet', folder],
  ] as const)
    await runInProcess(['export', '--format', format, path, '--db', own.db])
  const read = keys.map((key) => `typeof(${key}) AS ${key}`)
  expect(stored(file, `SELECT ${read} FROM T WHERE broken = 1`)).toEqual([
    { whole: 'integer', long: 'integer', huge: 'real', broken: 'real', none: 'null' },
  ])
  const objects = await parquetReadObjects({ file: await asyncBufferFromFile(`${folder}/T.parquet`) })
  expect(objects).toMatchObject([
    { whole: 0, long: BigInt(-(2 ** 53) + 1), huge: 1e21, broken: 1, none: null },
    { whole: 7, long: null, huge: null, broken: 1.5, none: null },
  ])
  own.remove()
})

test.each([
  [['--format', 'sqlite'], '"export" needs <file>'],
  [['--format', 'parquet'], '"export" needs <folder>'],
  [['--format', 'parquet', '-'], 'standard output'],
  [['--format', 'sqlite', '--structure', 'Many', 'x'], 'not to a structure'],
])('export %j is wrong usage', async (args, sentence) => {
  expect(await run(...args)).toMatchObject({ exitCode: 2, err: expect.stringContaining(sentence) })
  expect(existsSync('x')).toBe(false)
})
