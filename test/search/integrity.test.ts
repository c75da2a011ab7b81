import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { findFaults } from '../../src/operation/integrity.ts'
import { type ExpectedEntry, searchTableFaults } from '../../src/search/integrity.ts'
import { Sql } from '../../src/storage/sql.ts'
import { makeNote } from '../support/notes.ts'
import { indexAll } from '../support/search-tables.ts'
import { startService } from '../support/service.ts'

let database: Database
beforeEach(() => {
  database = new Database(':memory:')
  database.run(
    `CREATE VIRTUAL TABLE words USING fts5(title, body, content='', contentless_delete=1, tokenize="ascii")`,
  )
})
afterEach(() => database.close())

const entry = (pk: number, title: string, body: string): ExpectedEntry => ({ pk, columns: { title, body } })

function store(entries: readonly ExpectedEntry[]): void {
  const insert = database.prepare('INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)')
  database.transaction(() => {
    for (const { pk, columns } of entries) insert.run(pk, columns.title ?? '', columns.body ?? '')
  })()
}

const faults = (expected: readonly ExpectedEntry[], outdated = 'SELECT 0 WHERE 0') => [
  ...searchTableFaults({ sql: new Sql(database) }, { table: 'words', expected, outdated }),
]

const of = (pk: number, what: string) => `The entry ${pk} of the search table words ${what}.`
const OTHER_WORDS = 'The search table words holds other words than the texts.'

const TEXTS = [entry(1, 'one', 'a b'), entry(2, 'two', 'b c'), entry(3, 'three', '')]

test('a search table of the same texts has no faults, and nothing is left of the check', () => {
  store(TEXTS)
  expect(faults(TEXTS)).toEqual([])
  expect(faults(TEXTS)).toEqual([])
  expect(database.query('SELECT name FROM temp.sqlite_schema').all()).toEqual([])
})

test('entries that are missing, left over or of another length are named in order', () => {
  store([entry(1, 'one', 'a b c'), entry(3, 'three', ''), entry(4, 'four', 'd')])
  expect(faults(TEXTS)).toEqual([
    of(1, 'does not match its text'),
    of(2, 'is missing'),
    of(4, 'is left over'),
  ])
})

test.each([
  ['another word', [entry(1, 'one', 'a x'), entry(2, 'two', 'b c'), entry(3, 'three', '')]],
  ['a word in another column', [entry(1, 'a', 'one b'), entry(2, 'two', 'b c'), entry(3, 'three', '')]],
  [
    'a word once more and another once less',
    [entry(1, 'one', 'b b'), entry(2, 'two', 'b c'), entry(3, 'three', '')],
  ],
])('%s is noticed', (_, stored) => {
  store(stored)
  expect(faults(TEXTS)).toEqual([OTHER_WORDS])
})

test('entries known to be outdated are not compared', () => {
  store([...TEXTS, entry(4, 'four', 'old text')])
  expect(faults(TEXTS, 'VALUES (4), (5)')).toEqual([])
  store([entry(6, 'six', 'x')])
  expect(faults(TEXTS, 'VALUES (4), (5)')).toEqual([of(6, 'is left over')])
})

test('a large table is compared entry by entry, not each entry with all others', () => {
  const many = Array.from({ length: 40_000 }, (_, at) => entry(at + 1, 'a', 'b'))
  store(many)
  expect(database.transaction(() => faults(many))()).toEqual([])
}, 20_000)

test('without space for temporary files a check reports it, and can be repeated', async () => {
  const service = await startService()
  await makeNote(service, { content: 'a b c '.repeat(3_000) })
  await indexAll(service.ctx)
  const { db } = service.ctx
  db.sql.script('PRAGMA temp_store = FILE; PRAGMA temp.max_page_count = 4')
  expect(() => findFaults(db)).toThrow('There is no space for the temporary files of the check')
  db.sql.script('PRAGMA temp.max_page_count = 100000')
  expect(findFaults(db)).toEqual([])
  service.close()
})
