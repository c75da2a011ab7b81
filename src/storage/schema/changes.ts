import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'

/** The maximum number of changes in a workspace. */
export const CHANGES_PER_WORKSPACE = 2 ** 34

/*
 * A key is an integer of 53 bits that holds the pk of a workspace as two numbers: the remainder of its division by
 * 8,192 in the upper 13 bits, and the quotient in the next 6. So workspaces beyond the first 8,191 use ranges that
 * older programs left free, and no existing key had to change.
 */
export const UPPER = 2 ** 13
export const UPPER_UNIT = 2 ** 40

/** SQL for the key just before the first change of a workspace, whose pk is in this column (`startOfKeys`). */
export const startOfKeysSql = (pk: string): string =>
  `((${pk} % ${UPPER}) * ${UPPER_UNIT} + (${pk} / ${UPPER}) * ${CHANGES_PER_WORKSPACE})`

/** Begins an epoch in every workspace (`log/cursors.ts`): a random name, and the number of the last change before it. */
export const BEGIN_EPOCHS = `INSERT INTO change_epochs (workspace, epoch, since)
  SELECT pk, lower(hex(randomblob(6))), coalesce(
    (SELECT key - ${startOfKeysSql('pk')} FROM changes
     WHERE key BETWEEN ${startOfKeysSql('pk')} AND ${startOfKeysSql('pk')} + ${CHANGES_PER_WORKSPACE} - 1
     ORDER BY key DESC LIMIT 1), 0) FROM workspaces`

/**
 * The change log: one row for each object that a transaction changed. The key holds the workspace and the number of
 * the change in it (`keyOf`), so that the changes of a workspace are a range of keys in commit order.
 */
export const changes = sqliteTable(
  'changes',
  {
    key: integer().primaryKey(),
    /** The number of changes that the same transaction wrote before this one. */
    position: integer().notNull(),
    at: integer().notNull(),
    actor: integer().notNull(),
    /** Kind and operation in one number (`kindNumber`). */
    kind: integer().notNull(),
    /** The 16 bytes of a UUID; for a tag, the id as decimal digits. */
    object: blob({ mode: 'buffer' }).notNull(),
    /** The id of the structure, for records, webhooks and structures. It outlives the structure. */
    structure: blob({ mode: 'buffer' }),
    /**
     * The replaced state: for a note's text, the pk of the revision that holds it; for an updated or deleted record,
     * its `updated_at`.
     */
    replaced: integer('revision'),
    /** JSON; for an update, the old values of the changed attributes (`differenceText`). */
    detail: text(),
  },
  (table) => [index('changes_object').on(table.object)],
)

/** Maps transactions to the transactions that they undid. */
export const changeUndos = sqliteTable(
  'change_undos',
  {
    /** The key of the first change of the transaction. */
    key: integer().primaryKey(),
    /** The key of the first change of the undone transaction. */
    undone: integer().notNull(),
  },
  (table) => [index('change_undos_undone').on(table.undone)],
)

/** Ranges of changes of an object that only one user may see, both ends included. */
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

/** Actors of changes, each combination once. */
export const changeActors = sqliteTable(
  'change_actors',
  {
    pk: integer().primaryKey(),
    surface: text().notNull(),
    userId: text('user_id'),
    keyId: text('key_id'),
    /** The name of the key, or else of the user, at that time. */
    name: text(),
  },
  (table) => [index('change_actors_of').on(table.keyId, table.userId)],
)

/**
 * The epochs of cursors of a workspace. An epoch begins whenever a server starts and whenever the database is copied,
 * so that after two copies diverge, neither accepts a cursor of the other.
 */
export const changeEpochs = sqliteTable(
  'change_epochs',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    epoch: text().notNull(),
    /** The number of the last change before the epoch. */
    since: integer().notNull(),
  },
  (table) => [index('change_epochs_workspace').on(table.workspace, table.pk)],
)

export const CHANGE_KINDS = [
  'note',
  'record',
  'tag',
  'property',
  'structure',
  'preset',
  'view',
  'lens',
  'quick_access_item',
  'file',
  'webhook',
  'source',
  'row_view',
  'share',
  'comment',
] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

export const CHANGE_OPERATIONS = ['created', 'updated', 'deleted', 'restored', 'purged'] as const
export type ChangeOperation = (typeof CHANGE_OPERATIONS)[number]
