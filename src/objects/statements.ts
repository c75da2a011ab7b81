import { and, count, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  columnBy,
  insertInto,
  orm,
  rowBy,
  rowsBy,
  runBy,
  select,
  touched,
  updateOf,
  valueBy,
} from '../db/query.ts'
import type { SqlValue } from '../db/sql.ts'

type KnownColumn = 'pk' | 'position' | 'isDefault' | 'isRemoved' | 'createdAt' | 'updatedAt'

/** A table with a row for each object. */
export type ObjectTable = SQLiteTable &
  Record<'id' | 'workspace', SQLiteColumn> & { readonly [name in KnownColumn]?: SQLiteColumn }

export interface Source {
  readonly table: ObjectTable
  /** What is read of an object beside its columns. */
  readonly more?: Record<string, SQL>
  /** By what a list is sorted. */
  readonly order: SQLiteColumn
  /** The column of the folded name, by which an object is found, too; no two in a workspace have the same. */
  readonly name?: SQLiteColumn
}

/** The statements that every kind of objects needs. */
export function statementsOf({ table, more, order, name }: Source) {
  const { id, workspace, isRemoved, isDefault } = table
  const pk = table.pk ?? id
  const rows: SQLiteTable = table
  // Numbers that a partial index names must be part of the text.
  const visible = (key: number, condition?: SQL) =>
    and(eq(workspace, key), isRemoved && sql`${isRemoved} = 0`, condition)
  const keyOf = (column: SQLiteColumn) =>
    Object.entries(getTableColumns(rows)).find(([, one]) => one === column)?.[0] ?? column.name
  const whole = () => select({ ...getTableColumns(rows), ...more }).from(rows)
  /** Finds an object of a workspace by another column, or by whatever the condition says of the value. */
  const findBy = <Value extends SqlValue>(condition: (value: Value) => SQL) =>
    rowBy((key: number, value: Value) => whole().where(visible(key, condition(value))))
  return {
    list: rowsBy((key: number) => whole().where(visible(key)).orderBy(order, pk)),
    ids: columnBy((key: number) => select({ value: id }).from(rows).where(visible(key)).orderBy(order, pk)),
    count: valueBy((key: number) => select({ value: count() }).from(rows).where(visible(key))),
    findBy,
    findById: findBy((value: SqlValue) => eq(id, value)),
    insert: insertInto(rows),
    update: updateOf(rows, pk),
    deleteById: runBy((key: string | number) => orm.delete(rows).where(eq(id, key))),
    /** Takes its name and being the default from an object. */
    setAside:
      (name ?? isDefault) &&
      runBy((key: string | number, other: string) =>
        orm
          .update(rows)
          .set({ ...(name && { [keyOf(name)]: other }), ...(isDefault && { isDefault: 0 }) })
          .where(eq(id, key)),
      ),
    delete: runBy((key: number) => orm.delete(rows).where(eq(pk, key))),
    /** Leaves the workspace without a default object; returns the one that was it. */
    clearDefault:
      isDefault &&
      rowBy((key: number, now: number) =>
        orm
          .update(rows)
          .set({ isDefault: 0, updatedAt: touched(now) } as object)
          .where(and(eq(workspace, key), sql`${isDefault} = 1`))
          .returning({ id }),
      ),
  }
}
