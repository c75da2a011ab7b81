import { and, count, eq, type GetColumnData, getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { fold } from '../../lib/text.ts'
import {
  columnBy,
  from,
  insertInto,
  orm,
  rowBy,
  rowsBy,
  runBy,
  scan,
  touched,
  update,
  updateOf,
  valueBy,
} from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import type { SqlValue } from '../../storage/sql.ts'

type KnownColumn = 'pk' | 'position' | 'isDefault' | 'createdAt' | 'updatedAt'

export type ObjectTable = SQLiteTable &
  Record<'id' | 'workspace', SQLiteColumn> & { readonly [name in KnownColumn]?: SQLiteColumn }

export type Fields = Readonly<Record<string, SQLiteColumn | SQL>>

export type RowOf<Read extends Fields> = {
  [Key in keyof Read]: Read[Key] extends SQLiteColumn
    ? GetColumnData<Read[Key]>
    : Read[Key] extends SQL<infer Value>
      ? Value
      : never
}

export interface Source<Read extends Fields> {
  readonly table: ObjectTable
  readonly read: Read
  readonly order: readonly SQLiteColumn[]
  /** The column of the folded name, unique within a workspace; objects are also found by it. */
  readonly name?: SQLiteColumn
  /** A condition on the objects that can be found. */
  readonly visible?: SQL
}

export type Find<Row, Value = SqlValue> = (reader: Reader, workspace: number, value: Value) => Row | undefined

/** The stored objects of a kind, and the statements that find them. */
export class StoredObjects<Row> {
  /** The objects of a workspace in their order. */
  readonly rows: (reader: Reader, workspace: number) => Row[]
  readonly ids: (reader: Reader, workspace: number) => string[]
  readonly count: (reader: Reader, workspace: number) => number
  readonly findById: Find<Row>
  /** Finds an object by its folded name; kinds without a column for it find none. */
  readonly findByName: Find<Row, string>
  readonly #select: (workspace: number, condition?: SQL) => SelectOf<Row>

  constructor({ table, read, order, name, visible }: Source<Fields>) {
    const { id, workspace } = table
    const among = (key: number, condition?: SQL) => and(condition, eq(workspace, key), visible)
    this.#select = (key, condition) => from(table, read).where(among(key, condition)) as never
    const pk = table.pk ?? id
    const stop = scan(`${getTableName(table)}.${pk.name}`)
    this.rows = rowsBy((key: number) => this.#select(key, stop).orderBy(...order))
    const ids = (key: number) => from(table, { value: id }).where(among(key))
    this.ids = columnBy((key: number) => ids(key).orderBy(...order)) as typeof this.ids
    this.count = valueBy((key: number) => from(table, { value: count() }).where(among(key)))
    this.findById = this.findBy((value: SqlValue) => eq(id, value))
    this.findByName = name ? this.findBy((value: string) => eq(name, value)) : () => undefined
  }

  /** Returns a function that finds an object of a workspace by another condition. */
  findBy<Value extends SqlValue>(condition: (value: Value) => SQL): Find<Row, Value> {
    return rowBy((workspace: number, value: Value) => this.#select(workspace, condition(value)))
  }
}

/** The part of a SELECT that is used here. */
interface SelectOf<Row> {
  all(): Row[]
  toSQL(): { sql: string; params: unknown[] }
  orderBy(...columns: readonly SQLiteColumn[]): SelectOf<Row>
}

export const storedObjects = <Read extends Fields>(source: Source<Read>) =>
  new StoredObjects<RowOf<Read>>(source)

const keyOf = (table: ObjectTable, column: SQLiteColumn): string =>
  Object.keys(table).find((key) => table[key as KnownColumn] === column) ?? column.name

export function writers({ table, name }: Pick<Source<Fields>, 'table' | 'name'>) {
  const { id, workspace, isDefault } = table
  const pk = table.pk ?? id
  const aside = (other: string) => ({
    ...(name && { [keyOf(table, name)]: other }),
    ...(isDefault && { isDefault: 0 }),
  })
  return {
    insert: insertInto<SQLiteTable>(table),
    update: updateOf<SQLiteTable>(table, pk),
    delete: runBy((key: number) => orm.delete(table).where(eq(pk, key))),
    deleteById: runBy((key: string | number) => orm.delete(table).where(eq(id, key))),
    /** Clears the name and the default status of an object. */
    setAside:
      (name ?? isDefault) &&
      runBy((key: string | number, other: string) => update(table, aside(other), eq(id, key))),
    /** Clears the default of the workspace; returns the former default object. */
    clearDefault:
      isDefault &&
      rowBy((key: number, now: number) =>
        update(
          table,
          { isDefault: 0, updatedAt: touched(now) },
          and(eq(workspace, key), sql`${isDefault} = 1`),
        ).returning({ id }),
      ),
  }
}

const FOLDED = /_fold$/

/**
 * The columns of an object in the format of responses. An attribute is stored in the column of its name: an instant as
 * milliseconds, true as 1, a list or object as JSON. `name_fold` holds the folded form of `name`. Callers handle
 * attributes that are stored differently. `derived` names attributes that are not stored from the shown value.
 */
export function columnsShown(
  table: SQLiteTable,
  shown: object,
  derived: readonly string[] = [],
): Record<string, SqlValue> {
  const object = shown as Readonly<Record<string, unknown>>
  const columns: Record<string, SqlValue> = {}
  for (const [key, { name }] of Object.entries(getTableColumns(table))) {
    const value = object[name.replace(FOLDED, '')]
    if (value !== undefined && name !== 'id' && !derived.includes(name)) columns[key] = stored(name, value)
  }
  return columns
}

function stored(name: string, value: unknown): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'object') return value === null ? null : JSON.stringify(value)
  if (typeof value !== 'string') return value as SqlValue
  if (name.endsWith('_at')) return Date.parse(value)
  return FOLDED.test(name) ? fold(value) : value
}
