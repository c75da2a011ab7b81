import { sql } from 'drizzle-orm'
import {
  customType,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'

export const structures = sqliteTable(
  'structures',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** Never null. SQLite cannot add this constraint to a column without recreating the table. */
    nameFold: text('name_fold'),
    description: text(),
    /** JSON array of definitions as in responses, each with the `column` that holds its values. */
    fields: text().notNull(),
    labelField: text('label_field'),
    /** JSON array of arrays of field keys. */
    uniqueTogether: text('unique_together').notNull(),
    maxRows: integer('max_rows'),
    immutable: integer().notNull().default(0),
    icon: text(),
    color: text(),
    /**
     * The version of the structure's enabled subscriptions, which changes with each of them; null while there are
     * none. Processes cache subscriptions by it.
     */
    subscriptionsVersion: text('subscriptions_version'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [uniqueIndex('structures_name').on(table.workspace, table.nameFold)],
)

/** The counters that every write of a row changes; separate from the definition, so that each write is small. */
export const structureStats = sqliteTable(
  'structure_stats',
  {
    structure: integer()
      .primaryKey()
      .references(() => structures.pk, { onDelete: 'cascade' }),
    live: integer().notNull().default(0),
    /** Grows with every write of a row, so that totals can be cached until the next write. */
    changes: integer().notNull().default(0),
    /** 1 while the order of the rows' pks is also that of their creation times and ids. */
    inOrder: integer('in_order').notNull().default(1),
    /** The creation time of the newest row so far, deleted ones included; null if there never was one. */
    lastCreatedAt: integer('last_created_at'),
    lastId: text('last_id'),
    /** Rows with pks up to this are in the structure's text index; null if it has none. */
    indexedTo: integer('indexed_to'),
    /**
     * The location of the live rows: 0 in `small_rows`, 1 in an own table, 2 in an own table of an older program that
     * was not checked since.
     */
    ownTable: integer('own_table').notNull().default(0),
  },
  (table) => [index('structure_stats_indexed').on(table.structure).where(sql`indexed_to IS NOT NULL`)],
)

const anyColumn = customType<{ data: string | number }>({ dataType: () => 'ANY' })

/** A structure with more columns always has an own table. */
export const SMALL_COLUMNS = 20
const columnsCalled = (letter: string) =>
  Object.fromEntries(
    Array.from({ length: SMALL_COLUMNS }, (_, at) => [`${letter}${at + 1}`, anyColumn(`${letter}${at + 1}`)]),
  )

/**
 * The live rows of small structures, with the same columns as own tables (`storage/row-table-names.ts`).
 * `records/structures/storage/live-rows.ts` reads and writes them.
 */
export const smallRows = sqliteTable(
  'small_rows',
  {
    structure: integer().notNull(),
    pk: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    ...columnsCalled('f'),
    ...columnsCalled('g'),
  },
  (table) => [primaryKey({ columns: [table.structure, table.pk] })],
)

/** Rows whose entries in the text index of their structure are stale. */
export const rowSearchPending = sqliteTable(
  'row_search_pending',
  {
    structure: integer()
      .notNull()
      .references(() => structures.pk, { onDelete: 'cascade' }),
    row: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.structure, table.row] })],
)

/** The automatic indexes (`records/structures/storage/auto-index.ts`), tracked so that unused ones are dropped. */
export const autoIndexes = sqliteTable(
  'auto_indexes',
  {
    structure: integer()
      .notNull()
      .references(() => structures.pk, { onDelete: 'cascade' }),
    /** The indexed columns of the structure's row table, joined by commas; `*` for its text index. */
    column: text().notNull(),
    createdAt: integer('created_at').notNull(),
    /** When it was last used, to the day. */
    usedAt: integer('used_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.structure, table.column] })],
)
