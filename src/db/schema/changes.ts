import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'

/** The changes of a workspace are numbered up to this. */
export const CHANGES_PER_WORKSPACE = 2 ** 34

/*
 * A key is an integer of 53 bits, which holds the pk of a workspace as two numbers: the rest of its division by 8,192 in the
 * upper 13 bits, and the quotient in the next 6. So workspaces beyond the first 8,191 lie within the ranges that older
 * programs left to these, and no key had to change.
 */
const UPPER = 2 ** 13
const UPPER_UNIT = 2 ** 40

/** The key of the change that a workspace would have before its first. */
export const startOfKeys = (workspace: number): number =>
  (workspace % UPPER) * UPPER_UNIT + Math.floor(workspace / UPPER) * CHANGES_PER_WORKSPACE

/** The same in SQL, of the column that holds the pk. */
export const startOfKeysSql = (pk: string): string =>
  `((${pk} % ${UPPER}) * ${UPPER_UNIT} + (${pk} / ${UPPER}) * ${CHANGES_PER_WORKSPACE})`

/**
 * The change log: one row for each object that a transaction changed. The key holds the workspace and the number of the
 * change in it (`changes/entries.ts`), so that the changes of a workspace are a range of keys, in the order of commit.
 */
export const changes = sqliteTable(
  'changes',
  {
    key: integer().primaryKey(),
    /** How many changes the same transaction wrote before this one. */
    position: integer().notNull(),
    at: integer().notNull(),
    actor: integer().notNull(),
    /** Kind and operation in one number (`changes/entries.ts`). */
    kind: integer().notNull(),
    /** The 16 bytes of a UUID; the id of a tag as decimal digits. */
    object: blob({ mode: 'buffer' }).notNull(),
    /** The id of the structure, of records, webhooks and structures: the structure itself may be gone. */
    structure: blob({ mode: 'buffer' }),
    /**
     * What the change replaced: of a note's text, the pk of the revision that holds it; of a record that was updated or
     * deleted, its `updated_at`.
     */
    replaced: integer('revision'),
    /** JSON: of an update, the old values of what changed (`changes/entries.ts`). */
    detail: text(),
  },
  (table) => [index('changes_object').on(table.object)],
)

/** Which transactions undid which. */
export const changeUndos = sqliteTable(
  'change_undos',
  {
    /** The key of the first change of the transaction. */
    key: integer().primaryKey(),
    /** That of the transaction that it undid. */
    undone: integer().notNull(),
  },
  (table) => [index('change_undos_undone').on(table.undone)],
)

/** The changes of an object from one key to another, both included, which one user alone may see. */
export const privateChanges = sqliteTable(
  'private_changes',
  {
    pk: integer().primaryKey(),
    object: blob({ mode: 'buffer' }).notNull(),
    /** The id of the user. */
    user: text().notNull(),
    first: integer().notNull(),
    /** Beyond all keys while the object is private. */
    last: integer().notNull(),
  },
  (table) => [index('private_changes_object').on(table.object, table.first)],
)

/** Who made changes: each combination once. */
export const changeActors = sqliteTable(
  'change_actors',
  {
    pk: integer().primaryKey(),
    surface: text().notNull(),
    userId: text('user_id'),
    keyId: text('key_id'),
    /** The name of the key, else of the user, as it was then. */
    name: text(),
  },
  (table) => [index('change_actors_of').on(table.keyId, table.userId)],
)

/**
 * The names under which cursors of a workspace were handed out. An epoch begins whenever a server starts and whenever
 * the database is copied, so that of two copies that went on separately, neither takes a cursor of the other.
 */
export const changeEpochs = sqliteTable(
  'change_epochs',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    epoch: text().notNull(),
    /** The number of the last change before it. */
    since: integer().notNull(),
  },
  (table) => [index('change_epochs_workspace').on(table.workspace, table.pk)],
)
