import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users, workspaces } from './account.ts'

/** People who are signed in to the application, a row for each browser. */
export const sessions = sqliteTable(
  'sessions',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    /** SHA-256 of the token in the cookie, hexadecimal; the token itself is stored nowhere. */
    hash: text().notNull().unique(),
    user: integer()
      .notNull()
      .references(() => users.pk, { onDelete: 'cascade' }),
    /** The workspace that the session looks into. */
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

/** Links with which a person sets a password; a user has one at most. */
export const setupLinks = sqliteTable('setup_links', {
  user: integer()
    .primaryKey()
    .references(() => users.pk, { onDelete: 'cascade' }),
  /** SHA-256 of the token in the link, hexadecimal. */
  hash: text().notNull().unique(),
  expiresAt: integer('expires_at').notNull(),
  /** The user who made it, on whose right it rests; null for the command line, which always may. */
  maker: integer().references(() => users.pk, { onDelete: 'cascade' }),
})

/** From where a user has signed in, and when last: those addresses are let in while others guess the password. */
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
    /** The host that it was made for, the only one where it works. */
    host: text().notNull(),
    /** Its id, which the authenticator chose, in URL-safe base64, as the key. */
    credential: text().notNull().unique(),
    publicKey: text('public_key').notNull(),
    /** How often a key that is bound to its device has signed, where it counts that. */
    counter: integer().notNull(),
    /** 1 if it may be on several devices of the user. */
    isSynced: integer('is_synced').notNull(),
    /** How browsers reach its authenticator, separated by commas. */
    transports: text().notNull(),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [index('passkeys_user').on(table.user)],
)

/** Who users are at an OpenID Connect provider; a user has one account there at most. */
export const providerLinks = sqliteTable(
  'provider_links',
  {
    user: integer()
      .primaryKey()
      .references(() => users.pk, { onDelete: 'cascade' }),
    issuer: text().notNull(),
    subject: text().notNull(),
    /** The workspace that its role claim opens no more, though the user is a member there. */
    closedWorkspace: integer('closed_workspace').references(() => workspaces.pk, { onDelete: 'set null' }),
  },
  (table) => [uniqueIndex('provider_links_subject').on(table.issuer, table.subject)],
)

/** Where the server that runs on this database, or ran last, is reached; one row at most. */
export const serverAddress = sqliteTable('server_address', {
  pk: integer().primaryKey(),
  /** Where it listens. */
  url: text().notNull(),
  /** The first `--public-url`, if there is one. */
  publicUrl: text('public_url'),
  /** 0 if the system chose the port, which is another one at the next start. */
  isPortFixed: integer('is_port_fixed').notNull().default(1),
})
