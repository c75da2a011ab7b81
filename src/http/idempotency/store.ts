import type { Reader } from '../../db/reader.ts'

/** Identifies a request: who makes it, where it goes, and its `Idempotency-Key`. */
export interface RequestIdentity {
  readonly keyId: string
  /** Method and path. */
  readonly target: string
  readonly idempotencyKey: string
}

interface SavedResponse {
  /** SHA-256 of the request body, hexadecimal. */
  bodyHash: string
  /** The JSON text of the response body. */
  response: string
}

/** The response saved after the instant `since`, if any. */
export const findSavedResponse = (
  { sql }: Reader,
  { keyId, target, idempotencyKey }: RequestIdentity,
  since: number,
): SavedResponse | undefined =>
  sql.get(
    `SELECT body_hash AS bodyHash, response FROM idempotency_keys
     WHERE key_id = ? AND target = ? AND idempotency_key = ? AND saved_at > ?`,
    keyId,
    target,
    idempotencyKey,
    since,
  )

/** Saves a response; replaces an expired one of the same identity. */
export const saveResponse = (
  { sql }: Reader,
  { keyId, target, idempotencyKey }: RequestIdentity,
  { bodyHash, response }: SavedResponse,
  now: number,
) =>
  sql.run(
    `INSERT OR REPLACE INTO idempotency_keys (key_id, target, idempotency_key, body_hash, response, saved_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    keyId,
    target,
    idempotencyKey,
    bodyHash,
    response,
    now,
  )

/** Removes at most `limit` responses saved before the instant `before`; returns how many. */
export const removeSavedResponsesBefore = ({ sql }: Reader, before: number, limit: number): number =>
  sql.run(
    `DELETE FROM idempotency_keys WHERE rowid IN
       (SELECT rowid FROM idempotency_keys WHERE saved_at < ? LIMIT ?)`,
    before,
    limit,
  ).changes
