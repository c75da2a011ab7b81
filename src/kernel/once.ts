import { and, eq, getTableColumns, gt } from 'drizzle-orm'
import { DAY_MS } from '../lib/dates.ts'
import { refused } from '../lib/refusal.ts'
import { sha256 } from '../lib/sha256.ts'
import { from, rowBy, upsertInto } from '../storage/query.ts'
import type { Reader } from '../storage/reader.ts'
import { idempotencyKeys } from '../storage/schema/idempotency-keys.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { type Caller, callerKeyOf } from './caller.ts'

/*
 * Retried creations with the same `Idempotency-Key`. The transaction of the write saves the response. The same request
 * then gets this response and writes nothing; the same key with another body is refused. Writes run one at a time, so a
 * second request that arrives during the first finds its response.
 */

/** The format of an `Idempotency-Key`. */
export const KEY_FORM = /^[\x20-\x7e]{1,255}$/

/** Responses are saved and replayed for 24 hours. */
export const RESPONSE_SAVED_MS = DAY_MS

/** A response body as an object, or as its JSON text. */
export type ResponseContent = object | string

export interface Outcome {
  readonly text: string
  readonly replayed: boolean
}

/** Identifies a request by its caller, its target and its `Idempotency-Key`. */
export interface RequestIdentity {
  readonly keyId: string
  /** Method and path. */
  readonly target: string
  readonly idempotencyKey: string
}

/** A request with a key, and the hexadecimal SHA-256 of its body. */
export interface SignedRequest extends RequestIdentity {
  readonly bodyHash: string
}

export const signed = (identity: RequestIdentity, body: string): SignedRequest => ({
  ...identity,
  bodyHash: sha256(body),
})

const asText = (body: ResponseContent) => (typeof body === 'string' ? body : JSON.stringify(body))

/**
 * Creates in the transaction, or finds the response to the same request. `toSave` omits parts that only the first
 * response may show.
 */
export function once<Created extends ResponseContent>(
  tx: Tx,
  request: SignedRequest,
  create: () => Created,
  toSave: (created: Created) => ResponseContent = (created) => created,
): Outcome {
  const { keyId, target, idempotencyKey, bodyHash } = request
  const found = findSavedResponse(tx, keyId, target, idempotencyKey, tx.now - RESPONSE_SAVED_MS)
  if (!found) {
    const created = create()
    saveResponse(tx, { ...request, response: asText(toSave(created)), savedAt: tx.now })
    return { text: asText(created), replayed: false }
  }
  if (found.bodyHash === bodyHash) return { text: found.response, replayed: true }
  throw refused(
    'This "Idempotency-Key" was used with another body within the last 24 hours; send another key.',
    { reason: 'key_reused' },
  )
}

/** The owner of a saved response: the key, or the user and the session's current workspace. */
export const savedFor = (caller: Caller): string =>
  caller.keyId ?? `${callerKeyOf(caller)} ${caller.workspaceId}`

const saved = getTableColumns(idempotencyKeys)

/** The response to a request, if it was saved after an instant. */
const findSavedResponse = rowBy((keyId: string, target: string, idempotencyKey: string, since: number) =>
  from(idempotencyKeys, { bodyHash: saved.bodyHash, response: saved.response }).where(
    and(
      eq(saved.keyId, keyId),
      eq(saved.target, target),
      eq(saved.idempotencyKey, idempotencyKey),
      gt(saved.savedAt, since),
    ),
  ),
)

/** Saves a response; replaces an expired response to the same request. */
const saveResponse = upsertInto(idempotencyKeys, [saved.keyId, saved.target, saved.idempotencyKey])

/** Removes at most `limit` responses saved before the instant `before`; returns their number. */
export const removeSavedResponsesBefore = ({ sql }: Reader, before: number, limit: number): number =>
  sql.run(
    `DELETE FROM idempotency_keys WHERE rowid IN
       (SELECT rowid FROM idempotency_keys WHERE saved_at < ? LIMIT ?)`,
    before,
    limit,
  ).changes
