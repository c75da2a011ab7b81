import { type Column, eq, type InferInsertModel, is, Param, Placeholder, type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { SQLiteColumn, SQLiteTable, SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { memoize } from '../lib/bounded-cache.ts'
import { scanOf } from '../lib/scan.ts'
import type { Reader } from './reader.ts'
import type { SqlValue } from './sql.ts'

/*
 * drizzle builds the text of a statement once, and each connection prepares and runs it like any other text. The
 * function that builds a statement is called with placeholders for its values, whose types it declares:
 *
 *   const findView = rowBy((workspace: number, id: string) =>
 *     from(views, getTableColumns(views)).where(and(eq(views.workspace, workspace), eq(views.id, id))))
 *   findView(reader, workspacePk, id)
 *
 * SQLite names the columns of a row by the keys of the selection: drizzle's mapping of each row takes longer than
 * reading it.
 */

/** Builds statements, which only connections run. */
export const orm = drizzle.mock()

/** A SELECT of these columns and expressions. */
export const from = <Source extends SQLiteTable | SQL, Fields extends Record<string, SQLiteColumn | SQL>>(
  source: Source,
  fields: Fields,
) => orm.select(named(fields)).from(source)

/** An UPDATE of the rows that satisfy the condition. */
export const update = <Table extends SQLiteTable>(
  table: Table,
  columns: SQLiteUpdateSetSource<Table> | object,
  condition: SQL | undefined,
) =>
  orm
    .update(table)
    .set(columns as SQLiteUpdateSetSource<Table>)
    .where(condition)

const named = <Fields extends Record<string, Column | SQL>>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, sql`${field}`.as(key)])) as never

/** A scan (`scan.ts`) of rows with this integer key. */
export const scan = (pk: string): SQL => sql.raw(scanOf(pk).text)

interface Statement {
  toSQL(): { sql: string; params: unknown[] }
}

interface Select<Row> extends Statement {
  all(): Row[]
}

type Values = readonly SqlValue[]
type Build<Given extends SqlValue[], Built extends Statement> = (...values: Given) => Built

/** The text of a statement and its bound values in order: constants and parameters of the call. */
interface Prepared {
  readonly text: string
  bound(values: Values): Values
}

const placeholdersOf = (count: number): unknown[] =>
  Array.from({ length: count }, (_, at) => sql.placeholder(String(at)))

function prepare(statement: Statement): Prepared {
  const { sql: text, params } = statement.toSQL()
  const places = params.map((param) => {
    const value = is(param, Param) ? param.value : param
    return is(value, Placeholder) ? Number(value.name) : undefined
  })
  const isInOrder = places.every((place, at) => place === at)
  return {
    text,
    bound: (values) =>
      isInOrder
        ? values
        : places.map((place, at) => (place === undefined ? params[at] : values[place]) as SqlValue),
  }
}

/** Builds the text on first use. */
function lazily<Given extends SqlValue[]>(build: Build<Given, Statement>): () => Prepared {
  let prepared: Prepared | undefined
  return () => {
    prepared ??= prepare(build(...(placeholdersOf(build.length) as Given)))
    return prepared
  }
}

/** Reads every row of a SELECT or RETURNING. */
export function rowsBy<Given extends SqlValue[], Row>(build: Build<Given, Select<Row>>) {
  const prepared = lazily(build)
  return (reader: Reader, ...values: Given): Row[] => {
    const { text, bound } = prepared()
    return reader.sql.all(text, ...bound(values))
  }
}

/** Reads the first row, or undefined. */
export function rowBy<Given extends SqlValue[], Row>(build: Build<Given, Select<Row>>) {
  const prepared = lazily(build)
  return (reader: Reader, ...values: Given): Row | undefined => {
    const { text, bound } = prepared()
    return reader.sql.get(text, ...bound(values))
  }
}

/** Reads the column of a SELECT with one column. */
export function columnBy<Given extends SqlValue[], Value>(build: Build<Given, Select<{ value: Value }>>) {
  const rows = rowsBy(build)
  return (reader: Reader, ...values: Given): Value[] => rows(reader, ...values).map(({ value }) => value)
}

/** Reads the value of a SELECT that always returns one row, such as `count()`. */
export function valueBy<Given extends SqlValue[], Value>(build: Build<Given, Select<{ value: Value }>>) {
  const prepared = lazily(build)
  return (reader: Reader, ...values: Given): Value => {
    const { text, bound } = prepared()
    return reader.sql.scalar(text, ...bound(values))
  }
}

/** Runs a statement; returns the number of changed rows and the row id of the last insert. */
export function runBy<Given extends SqlValue[]>(build: Build<Given, Statement>) {
  const prepared = lazily(build)
  return (reader: Reader, ...values: Given): { changes: number; lastInsertRowid: number } => {
    const { text, bound } = prepared()
    return reader.sql.run(text, ...bound(values))
  }
}

/** A statement that writes columns of a row, built once for each set of columns. */
function writing(build: (row: never, ...values: never[]) => Statement) {
  const statementOf = memoize((names: string): Prepared => {
    const keys = names === '' ? [] : names.split(',')
    const values = placeholdersOf(keys.length + build.length - 1) as never[]
    const row = Object.fromEntries(keys.map((key, at) => [key, values[at]]))
    return prepare(build(row as never, ...values.slice(keys.length)))
  })
  return ({ sql }: Reader, row: object, ...values: SqlValue[]) => {
    const { text, bound } = statementOf(Object.keys(row).join())
    return sql.run(text, ...bound([...Object.values(row), ...values]))
  }
}

/** Inserts a row; omitted columns have their defaults. Returns the row id. */
export function insertInto<Table extends SQLiteTable>(table: Table) {
  const insert = writing((row) => orm.insert(table).values(row))
  return (reader: Reader, row: InferInsertModel<Table>): number => insert(reader, row).lastInsertRowid
}

/** Inserts a row, or updates the row with the same key. */
export function upsertInto<Table extends SQLiteTable>(table: Table, key: SQLiteColumn | SQLiteColumn[]) {
  const put = writing((row: object) =>
    orm
      .insert(table)
      .values(row as never)
      .onConflictDoUpdate({ target: key, set: row }),
  )
  return (reader: Reader, row: InferInsertModel<Table>): void => void put(reader, row)
}

/**
 * The value of `updated_at` after a change: the instant, or just after the current value if that is later, so that it
 * always grows.
 */
export const touched = (now: number) => sql<number>`max(${now}, updated_at + 1)`

/** Updates the given columns of a row, and `updated_at` if an instant is given. */
export function updateOf<Table extends SQLiteTable>(table: Table, pk: SQLiteColumn) {
  const write = writing((row, key) => update(table, row, eq(pk, key)))
  const touch = writing((row: object, key, now) =>
    update(table, { ...row, updatedAt: touched(now) }, eq(pk, key)),
  )
  return (reader: Reader, key: number, row: Partial<InferInsertModel<Table>>, now?: number): void => {
    if (now === undefined) write(reader, row, key)
    else touch(reader, row, key, now)
  }
}
