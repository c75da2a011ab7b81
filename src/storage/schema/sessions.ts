import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users, workspaces } from './account.ts'

/** Sessions of users in the application, one row per browser. */
export const sessions = sqliteTable(
  'sessions',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    /** SHA-256 of the token in the cookie, hexadecimal; the token itself is not stored. */
    hash: text().notNull().unique(),
    user: integer()
      .notNull()
      .references(() => users.pk, { onDelete: 'cascade' }),
    /** The current workspace of the session. */
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at').notNull(),
    address: text().notNull(),
    userAgent: text('user_agent').notNull(),
  },
  (table) => [index('sessions_user').on(table.user), index('sessions_workspace').on(table.workspace)],
)

/** Links that let a user set a password; a user has at most one. */
export const setupLinks = sqliteTable('setup_links', {
  user: integer()
    .primaryKey()
    .references(() => users.pk, { onDelete: 'cascade' }),
  /** SHA-256 of the token in the link, hexadecimal. */
  hash: text().notNull().unique(),
  expiresAt: integer('expires_at').notNull(),
  /** The user who created it and whose right it depends on; null for the command line, which always has the right. */
  maker: integer().references(() => users.pk, { onDelete: 'cascade' }),
})

/**
 * The addresses from which a user has signed in, with the last time. They stay accepted while others guess the
 * password.
 */
export const signInAddresses = sqliteTable(
  'sign_in_addresses',
  {
    user: integer()
      .notNull()
      .references(() => users.pk, { onDelete: 'cascade' }),
    /** An IPv4 address, or the /64 of an IPv6 address. */
    address: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.user, table.address] })],
)

/** The passkeys (WebAuthn) of users. */
export const passkeys = sqliteTable(
  'passkeys',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    user: integer()
      .notNull()
      .references(() => users.pk, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** The host for which the passkey was created, the only one where it works. */
    host: text().notNull(),
    /** The credential id, chosen by the authenticator, in URL-safe base64. */
    credential: text().notNull().unique(),
    publicKey: text('public_key').notNull(),
    /** The signature counter of the authenticator, if it has one. */
    counter: integer().notNull(),
    /** 1 if the passkey can be on several devices of the user. */
    isSynced: integer('is_synced').notNull(),
    /** The transports of the authenticator, separated by commas. */
    transports: text().notNull(),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [index('passkeys_user').on(table.user)],
)

/** The identities of users at an OpenID Connect provider; a user has at most one. */
export const providerLinks = sqliteTable(
  'provider_links',
  {
    user: integer()
      .primaryKey()
      .references(() => users.pk, { onDelete: 'cascade' }),
    issuer: text().notNull(),
    subject: text().notNull(),
    /** The workspace to which the role claim no longer gives access, although the user is still a member. */
    closedWorkspace: integer('closed_workspace').references(() => workspaces.pk, { onDelete: 'set null' }),
  },
  (table) => [uniqueIndex('provider_links_subject').on(table.issuer, table.subject)],
)

/** The address of the server that last ran on this database; at most one row. */
export const serverAddress = sqliteTable('server_address', {
  pk: integer().primaryKey(),
  /** Where it listens. */
  url: text().notNull(),
  /** The first `--public-url`, if there is one. */
  publicUrl: text('public_url'),
  /** 0 if the system chose the port, which changes at the next start. */
  isPortFixed: integer('is_port_fixed').notNull().default(1),
})
