import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  columnBy,
  from,
  insertInto,
  orm,
  rowBy,
  rowsBy,
  runBy,
  touched,
  update,
  updateOf,
  valueBy,
} from '../../src/storage/query.ts'
import { Sql } from '../../src/storage/sql.ts'

const books = sqliteTable('books', {
  pk: integer().primaryKey(),
  title: text().notNull(),
  titleFold: text('title_fold'),
  isRead: integer('is_read').notNull().default(0),
  updatedAt: integer('updated_at').notNull().default(0),
})
const CREATE = `CREATE TABLE books (pk INTEGER PRIMARY KEY, title TEXT NOT NULL, title_fold TEXT,
  is_read INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL DEFAULT 0) STRICT`

function open(onStatement: () => void = () => {}) {
  const database = new Database(':memory:', { strict: true })
  database.run(CREATE)
  return { sql: new Sql(database, { enter: onStatement }) }
}

const insert = insertInto(books)
const change = updateOf(books, books.pk)
const find = rowBy((pk: number) => from(books, getTableColumns(books)).where(eq(books.pk, pk)))

test('a row has the selected keys, whatever the names of its columns', () => {
  const reader = open()
  const pk = insert(reader, { title: 'Emma', titleFold: 'emma' })
  expect(find(reader, pk)).toEqual({ pk, title: 'Emma', titleFold: 'emma', isRead: 0, updatedAt: 0 })
  const folded = rowsBy(() => from(books, { folded: books.titleFold, length: sql<number>`length(title)` }))
  expect(folded(reader)).toEqual([{ folded: 'emma', length: 4 }])
  expect(find(reader, pk + 1)).toBeUndefined()
})

test('values are bound in their place in the statement, each time they occur', () => {
  const reader = open()
  for (const title of ['Emma', 'Persuasion', 'Ulysses']) insert(reader, { title })
  const titles = columnBy((pk: number, title: string, most: number) =>
    from(books, { value: books.title })
      .where(and(eq(books.isRead, 0), sql`(title > ${title} OR title = ${title})`, gt(books.pk, pk)))
      .orderBy(asc(books.title))
      .limit(most),
  )
  expect(titles(reader, 0, 'Persuasion', 9)).toEqual(['Persuasion', 'Ulysses'])
  expect(titles(reader, 2, 'Emma', 9)).toEqual(['Ulysses'])
  expect(titles(reader, 0, 'Emma', 1)).toEqual(['Emma'])
  const count = valueBy((title: string) =>
    from(books, { value: sql<number>`count(*)` }).where(eq(books.title, title)),
  )
  expect(count(reader, "'; DROP TABLE books; --")).toBe(0)
})

test('only the columns that are given are written; with an instant, updated_at always grows', () => {
  const reader = open()
  const pk = insert(reader, { title: 'Emma', titleFold: 'emma', updatedAt: 500 })
  change(reader, pk, { isRead: 1 })
  expect(find(reader, pk)).toMatchObject({ title: 'Emma', isRead: 1, updatedAt: 500 })
  change(reader, pk, { titleFold: null, isRead: 0 }, 900)
  expect(find(reader, pk)).toMatchObject({ titleFold: null, isRead: 0, updatedAt: 900 })
  const touch = runBy((now: number) => update(books, { updatedAt: touched(now) }, undefined))
  expect(touch(reader, 900).changes).toBe(1)
  expect(find(reader, pk)?.updatedAt).toBe(901)
})

test('a statement runs on the connection that it is given, as a statement of that connection', () => {
  const seen: string[] = []
  const [one, other] = [open(() => seen.push('one')), open(() => seen.push('other'))]
  insert(one, { title: 'Emma' })
  expect(find(one, 1)?.title).toBe('Emma')
  expect(find(other, 1)).toBeUndefined()
  expect(seen).toEqual(['one', 'one', 'other'])
  const remove = runBy((pk: number) => orm.delete(books).where(eq(books.pk, pk)))
  expect(remove(one, 1).changes).toBe(1)
  expect(remove(other, 1).changes).toBe(0)
})
