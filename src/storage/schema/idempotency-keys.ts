import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Responses to requests with an `Idempotency-Key`, saved for 24 hours. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    /** The id of the API key. No foreign key: responses of a removed key expire like any other. */
    keyId: text('key_id').notNull(),
    /** Method and path: `POST /v1/notes`. */
    target: text().notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    /** SHA-256 of the request body, hexadecimal. */
    bodyHash: text('body_hash').notNull(),
    /** The JSON text of the response body. */
    response: text().notNull(),
    savedAt: integer('saved_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.target, table.idempotencyKey] }),
    index('idempotency_keys_saved').on(table.savedAt),
  ],
)
