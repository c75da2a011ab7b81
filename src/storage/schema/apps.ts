import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users, workspaces } from './account.ts'

/** Clients that have registered themselves (RFC 7591). Clients named by the URL of a document are not stored. */
export const oauthClients = sqliteTable(
  'oauth_clients',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    name: text().notNull(),
    /** A JSON list. */
    redirectUris: text('redirect_uris').notNull(),
    createdAt: integer('created_at').notNull(),
    /** When a user last connected the client; null until then. */
    usedAt: integer('used_at'),
  },
  (table) => [index('oauth_clients_used').on(table.usedAt)],
)

const grantColumns = () => ({
  workspace: integer()
    .notNull()
    .references(() => workspaces.pk, { onDelete: 'cascade' }),
  user: integer()
    .notNull()
    .references(() => users.pk, { onDelete: 'cascade' }),
  /** The id of a registered client, or the URL of the client's document. */
  client: text().notNull(),
  /** The name of the client when the user consented. */
  name: text().notNull(),
  /** The host that the client returns to, or its private scheme. */
  host: text().notNull(),
  scope: text({ enum: ['write', 'read'] }).notNull(),
  /** JSON of `Access`; null for everything that the user can access. */
  access: text(),
})

/** Authorization codes that have not been exchanged. */
export const appCodes = sqliteTable(
  'app_codes',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    /** SHA-256 of the code, hexadecimal, as of all tokens below. */
    hash: text().notNull().unique(),
    ...grantColumns(),
    redirectUri: text('redirect_uri').notNull(),
    /** The SHA-256 of the PKCE verifier in URL-safe base64. */
    challenge: text().notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('app_codes_user').on(table.user), index('app_codes_workspace').on(table.workspace)],
)

/** Apps that users have connected with OAuth. A disconnected app is deleted with its tokens. */
export const connectedApps = sqliteTable(
  'connected_apps',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    ...grantColumns(),
    /** The code that the app was connected with, which may come again. */
    codeHash: text('code_hash').notNull().unique(),
    /** The part that all refresh tokens of the app share. */
    familyHash: text('family_hash').notNull().unique(),
    /** The only valid refresh token. */
    refreshHash: text('refresh_hash').notNull(),
    refreshExpiresAt: integer('refresh_expires_at').notNull(),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [
    index('connected_apps_user').on(table.user),
    index('connected_apps_workspace').on(table.workspace),
  ],
)

export const accessTokens = sqliteTable(
  'access_tokens',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    hash: text().notNull().unique(),
    app: integer()
      .notNull()
      .references(() => connectedApps.pk, { onDelete: 'cascade' }),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('access_tokens_app').on(table.app)],
)
