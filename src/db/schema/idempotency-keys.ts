import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Answers given under an `Idempotency-Key`, kept for a day (contract, section 11). */
export const idempotencyKeys = sqliteTable(
  'kept_answers',
  {
    /** The id of the API key. No reference: the sweep takes a gone key's answers too. */
    keyId: text('key_id').notNull(),
    /** Method and path: `POST /v1/notes`. */
    target: text().notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    /** SHA-256 of the body, hexadecimal. */
    bodyHash: text('body_hash').notNull(),
    answer: text().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.target, table.idempotencyKey] }),
    index('kept_answers_created').on(table.createdAt),
  ],
)
