import type { Reader } from '../../db/reader.ts'

/** Whose call it is, where it goes, and under which `Idempotency-Key`. */
export interface CallIdentity {
  readonly keyId: string
  /** Method and path. */
  readonly target: string
  readonly idempotencyKey: string
}

export const findSavedResponse = (
  { sql }: Reader,
  { keyId, target, idempotencyKey }: CallIdentity,
  since: number,
): { bodyHash: string; answer: string } | undefined =>
  sql.get(
    `SELECT body_hash AS bodyHash, answer FROM kept_answers
     WHERE key_id = ? AND target = ? AND idempotency_key = ? AND created_at > ?`,
    keyId,
    target,
    idempotencyKey,
    since,
  )

/** An older answer under the same key, which is past its day, gives way. */
export const saveResponse = (
  { sql }: Reader,
  { keyId, target, idempotencyKey }: CallIdentity,
  { bodyHash, answer }: { bodyHash: string; answer: string },
  now: number,
) =>
  sql.run(
    `INSERT OR REPLACE INTO kept_answers (key_id, target, idempotency_key, body_hash, answer, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    keyId,
    target,
    idempotencyKey,
    bodyHash,
    answer,
    now,
  )

/** Forgets answers kept before `before`, at most `most` of them; answers how many. */
export const removeSavedResponsesBefore = ({ sql }: Reader, before: number, most: number): number =>
  sql.run(
    `DELETE FROM kept_answers WHERE rowid IN
       (SELECT rowid FROM kept_answers WHERE created_at < ? LIMIT ?)`,
    before,
    most,
  ).changes
