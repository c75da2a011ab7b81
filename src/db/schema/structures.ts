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
    /** Never null; SQLite cannot say so of a column without making the table again. */
    nameFold: text('name_fold'),
    description: text(),
    /** JSON array of definitions as responses show them, each with the `column` that holds its values. */
    fields: text().notNull(),
    labelField: text('label_field'),
    /** JSON array of arrays of field keys. */
    uniqueTogether: text('unique_together').notNull(),
    maxRows: integer('max_rows'),
    immutable: integer().notNull().default(0),
    icon: text(),
    color: text(),
    /**
     * The version of the structure's enabled subscriptions, a new one after each change to them; null while there are
     * none. Processes cache the subscriptions by it.
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
    /** Grows with every write of a row, so that totals can be cached until the next. */
    changes: integer().notNull().default(0),
    /** 1 while the order of the rows' pks is that of their times of creation and of their ids. */
    inOrder: integer('in_order').notNull().default(1),
    /** Of the newest row so far, deleted ones included; null if there never was one. */
    lastCreatedAt: integer('last_created_at'),
    lastId: text('last_id'),
    /** Rows with pks up to this are in the structure's text index; null if it has none. */
    indexedTo: integer('indexed_to'),
    /**
     * Where the live rows are: 0 in `small_rows`, 1 in a table of the structure, 2 in one that an older program made, which
     * has not been looked at since.
     */
    ownTable: integer('own_table').notNull().default(0),
  },
  (table) => [index('structure_stats_indexed').on(table.structure).where(sql`indexed_to IS NOT NULL`)],
)

const anyColumn = customType<{ data: string | number }>({ dataType: () => 'ANY' })

/** More columns than this has no structure without a table for itself. */
export const SMALL_COLUMNS = 20
const columnsCalled = (letter: string) =>
  Object.fromEntries(
    Array.from({ length: SMALL_COLUMNS }, (_, at) => [`${letter}${at + 1}`, anyColumn(`${letter}${at + 1}`)]),
  )

/**
 * The live rows of small structures, with the columns that tables of structures have (`db/row-table-names.ts`). They are
 * removed with their structure by `structures/storage/row-table-schema.ts`.
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

/** Rows whose entry in the text index of their structure is out of date. */
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

/** The automatic indexes (`structures/storage/auto-index.ts`), so that one that is not used can be dropped. */
export const autoIndexes = sqliteTable(
  'auto_indexes',
  {
    structure: integer()
      .notNull()
      .references(() => structures.pk, { onDelete: 'cascade' }),
    /** The columns of the structure's row table that are indexed, joined by commas; `*` for its text index. */
    column: text().notNull(),
    createdAt: integer('created_at').notNull(),
    /** When it was last used, to the day. */
    usedAt: integer('used_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.structure, table.column] })],
)
