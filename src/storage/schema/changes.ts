import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'

/** The maximum number of changes in a workspace. */
export const CHANGES_PER_WORKSPACE = 2 ** 34

/*
 * A key is an integer of 53 bits that holds the pk of a workspace as two numbers: the remainder of its division by
 * 8,192 in the upper 13 bits, and the quotient in the next 6. So workspaces beyond the first 8,191 use ranges that
 * older programs left free, and no existing key had to change.
 */
const UPPER = 2 ** 13
const UPPER_UNIT = 2 ** 40

/** The key just before the first change of the workspace. */
export const startOfKeys = (workspace: number): number =>
  (workspace % UPPER) * UPPER_UNIT + Math.floor(workspace / UPPER) * CHANGES_PER_WORKSPACE

/** The same in SQL, for the column that holds the pk. */
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

/* The stored format of a change: its key, its kind and operation, the ids that it names, and the old values. */

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
] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

export const CHANGE_OPERATIONS = ['created', 'updated', 'deleted', 'restored', 'purged'] as const
export type ChangeOperation = (typeof CHANGE_OPERATIONS)[number]

/** The changes of a workspace are numbered from 1; its keys are a range. */
export const keyOf = (workspace: number, number: number): number => startOfKeys(workspace) + number

/** The number of a change in its workspace. */
export const numberOf = (key: number): number => key % CHANGES_PER_WORKSPACE

/** Greater than every key of the workspace. */
export const endOfKeys = (workspace: number): number => startOfKeys(workspace) + CHANGES_PER_WORKSPACE

const OPERATIONS_PER_KIND = 8

/** Stored numbers: new kinds and operations must be appended to their lists. */
export const kindNumber = (kind: ChangeKind, operation: ChangeOperation): number =>
  CHANGE_KINDS.indexOf(kind) * OPERATIONS_PER_KIND + CHANGE_OPERATIONS.indexOf(operation)

export const kindOf = (stored: number): ChangeKind =>
  CHANGE_KINDS[Math.floor(stored / OPERATIONS_PER_KIND)] ?? 'note'

export const operationOf = (stored: number): ChangeOperation =>
  CHANGE_OPERATIONS[stored % OPERATIONS_PER_KIND] ?? 'updated'

/** The stored numbers of a kind, as a range of integers. */
export const kindRange = (kind: ChangeKind): [first: number, last: number] => {
  const first = CHANGE_KINDS.indexOf(kind) * OPERATIONS_PER_KIND
  return [first, first + OPERATIONS_PER_KIND - 1]
}

const UUID_BYTES = 16

/** The stored form of an id: a UUID as its bytes, the number of a tag as its digits. */
export const storedId = (id: string | number): Buffer => Buffer.from(hexOf(id).replaceAll('-', ''), 'hex')

/** The same in hexadecimal, possibly with hyphens, for `unhex`: binding bytes takes longer. */
export const hexOf = (id: string | number): string =>
  typeof id === 'number' ? Buffer.from(String(id)).toString('hex') : id

/** The id from its stored form in hexadecimal. */
export function idOf(digits: string): string | number {
  if (digits.length !== 2 * UUID_BYTES) return Number(Buffer.from(digits, 'hex').toString())
  const hex = digits.toLowerCase()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The changed attributes of an update. */
export interface Difference {
  readonly changed: readonly string[]
  /** The old values, null for an absent value. Some attributes, such as the text of a note, have no old value here. */
  readonly previous: Readonly<Record<string, unknown>>
  /** Describes the tag or property whose deletion caused this change; responses do not show it. */
  readonly deleted?: string | undefined
}

/** A difference as JSON text: only the old values if they name all changed attributes. */
export function differenceText({ changed, previous, deleted }: Difference): string {
  if (deleted !== undefined) return JSON.stringify([changed, previous, deleted])
  const isComplete = changed.length === Object.keys(previous).length
  return JSON.stringify(isComplete ? previous : [changed, previous])
}

export function parseDifference(text: string): Difference {
  const parsed = JSON.parse(text) as Difference['previous'] | [string[], Difference['previous'], string?]
  if (Array.isArray(parsed)) return { changed: parsed[0], previous: parsed[1], deleted: parsed[2] }
  return { changed: Object.keys(parsed), previous: parsed }
}
