import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const workspaces = sqliteTable(
  'workspaces',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    name: text().notNull(),
    nameFold: text('name_fold').notNull().unique(),
    /** The unique form of the name, for names given since uniqueness is enforced (`people/accounts/names.ts`). */
    nameKey: text('name_key').notNull().default(''),
    createdAt: integer('created_at').notNull(),
    /** Maintained counters; `check` compares them with the notes. */
    liveNotes: integer('live_notes').notNull().default(0),
    trashedNotes: integer('trashed_notes').notNull().default(0),
    /** 1 while the notes were created in the order of their ids, so that sorting by `pk` equals sorting by `id`. */
    notesInOrder: integer('notes_in_order').notNull().default(1),
  },
  (table) => [index('workspaces_key').on(table.nameKey)],
)

export const users = sqliteTable(
  'users',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    name: text().notNull(),
    nameFold: text('name_fold').notNull().unique(),
    nameKey: text('name_key').notNull().default(''),
    /** Argon2id, for the application; null until a password is set. */
    passwordHash: text('password_hash'),
    /** 1 after a setup link of the user was used: later links do not change the name. */
    usedLink: integer('used_link').notNull().default(0),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('users_key').on(table.nameKey)],
)

/** Preferences of a user in the application, a JSON object; shared by all browsers. */
export const userPreferences = sqliteTable('user_preferences', {
  user: integer()
    .primaryKey()
    .references(() => users.pk, { onDelete: 'cascade' }),
  preferences: text().notNull(),
})

export const ROLES = ['owner', 'editor', 'viewer'] as const
/** An owner manages, an editor writes, a viewer reads. */
export type Role = (typeof ROLES)[number]

export const members = sqliteTable(
  'members',
  {
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    user: integer()
      .notNull()
      .references(() => users.pk, { onDelete: 'cascade' }),
    role: text({ enum: ROLES }).notNull(),
    /** JSON of `Access`; null for the whole workspace, which every owner has. */
    access: text(),
  },
  (table) => [primaryKey({ columns: [table.workspace, table.user] }), index('members_user').on(table.user)],
)

export const keys = sqliteTable(
  'keys',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    /** No foreign key: a removed user's keys stay listed, and are refused. */
    user: integer().notNull(),
    name: text().notNull(),
    scope: text({ enum: ['write', 'read'] }).notNull(),
    /** JSON of `Access`; null for everything that its user can access. */
    access: text(),
    /** SHA-256 of the key, hexadecimal; the key itself is not stored. */
    hash: text().notNull().unique(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at'),
    revokedAt: integer('revoked_at'),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [index('keys_workspace').on(table.workspace)],
)
