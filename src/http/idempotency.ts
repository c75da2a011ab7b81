import { and, eq, getTableColumns, gt } from 'drizzle-orm'
import type { Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import { from, rowBy, upsertInto } from '../db/query.ts'
import type { Reader } from '../db/reader.ts'
import { idempotencyKeys } from '../db/schema/idempotency-keys.ts'
import { requesterKey } from '../db/worker/client.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { DAY_MS } from '../lib/dates.ts'
import { sha256 } from '../lib/sha256.ts'
import { invalid, refused } from '../refusal.ts'
import type { Exchange } from './exchange.ts'
import { type JsonBody, jsonResponse } from './responses.ts'

/** How long a response is saved and returned again: 24 hours. */
export const RESPONSE_SAVED_MS = DAY_MS

const CREATED = 201
/** What an `Idempotency-Key` may be. */
export const KEY_FORM = /^[\x20-\x7e]{1,255}$/

/** A response body as an object, or as its JSON text. */
type Body = object | string

export interface Outcome {
  text: string
  replayed: boolean
}

/** Leaves out what only the first response may hold, such as a secret. */
type ToSave<Created extends Body> = (created: Created) => Body

/** Refuses who may not do it now, also where the response is only found. */
type Check = (tx: Tx) => unknown

/**
 * Runs a creation in a transaction of its own and responds with 201. With an `Idempotency-Key` the response is saved
 * in that transaction: the same request again gets the saved response and writes nothing; the same key with another
 * body is refused. Writes run one at a time, so that a second request that arrives during the first finds the
 * response of the first.
 */
export async function respondOnce<Created extends Body>(
  db: Db,
  exchange: Exchange,
  create: (tx: Tx) => Created,
  toSave?: ToSave<Created>,
  check?: Check,
): Promise<Response> {
  const identity = identityOf(exchange)
  const { text, replayed } = await createOnce(db, identity, exchange.bodyText, create, toSave, check)
  return createdResponse(text, replayed)
}

export function createdResponse(body: JsonBody, replayed: boolean, status = CREATED): Response {
  const response = jsonResponse(body, status)
  if (replayed) response.headers.set('Idempotent-Replayed', 'true')
  return response
}

/** Runs a creation; with an identity, the same body again gets the saved response, as JSON text, and writes nothing. */
export const createOnce = <Created extends Body>(
  db: Db,
  identity: RequestIdentity | undefined,
  body: string,
  create: (tx: Tx) => Created,
  toSave?: ToSave<Created>,
  check?: Check,
): Promise<Outcome> => db.write((tx) => once(tx, signed(identity, body), create, toSave, check))

const asText = (body: Body) => (typeof body === 'string' ? body : JSON.stringify(body))

/** Whose saved responses they are: of a key, or of a person in the workspace that the session looks into now. */
export const savedFor = (caller: Caller): string =>
  caller.keyId ?? `${requesterKey(caller)} ${caller.workspaceId}`

export function identityOf({ request, caller }: Exchange): RequestIdentity | undefined {
  const idempotencyKey = request.headers.get('idempotency-key')
  if (idempotencyKey === null) return undefined
  if (!KEY_FORM.test(idempotencyKey))
    throw invalid('The header "Idempotency-Key" must be 1 to 255 printable ASCII characters.')
  if (!caller) return undefined
  return {
    keyId: savedFor(caller),
    target: `${request.method} ${new URL(request.url).pathname}`,
    idempotencyKey,
  }
}

/** A request with a key, and the SHA-256 of its body, hexadecimal. */
export interface SignedRequest extends RequestIdentity {
  readonly bodyHash: string
}

export const signed = (identity: RequestIdentity | undefined, body: string): SignedRequest | undefined =>
  identity && { ...identity, bodyHash: sha256(body) }

/** Creates in the transaction, or finds the response to the same request. */
export function once<Created extends Body>(
  tx: Tx,
  request: SignedRequest | undefined,
  create: (tx: Tx) => Created,
  toSave: ToSave<Created> = (created) => created,
  check: Check = () => {},
): Outcome {
  check(tx)
  if (!request) return { text: asText(create(tx)), replayed: false }
  const { keyId, target, idempotencyKey, bodyHash } = request
  const found = findSavedResponse(tx, keyId, target, idempotencyKey, tx.now - RESPONSE_SAVED_MS)
  if (!found) {
    const created = create(tx)
    saveResponse(tx, { ...request, response: asText(toSave(created)), savedAt: tx.now })
    return { text: asText(created), replayed: false }
  }
  if (found.bodyHash === bodyHash) return { text: found.response, replayed: true }
  throw refused(
    'This "Idempotency-Key" was used with another body within the last 24 hours; send another key.',
    { reason: 'key_reused' },
  )
}

/** Identifies a request: who makes it, where it goes, and its `Idempotency-Key`. */
export interface RequestIdentity {
  readonly keyId: string
  /** Method and path. */
  readonly target: string
  readonly idempotencyKey: string
}

const saved = getTableColumns(idempotencyKeys)

/** The response to a request that was saved after an instant, if any. */
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

/** Saves a response; replaces an expired one to the same request. */
const saveResponse = upsertInto(idempotencyKeys, [saved.keyId, saved.target, saved.idempotencyKey])

/** Removes at most `limit` responses saved before the instant `before`; returns how many. */
export const removeSavedResponsesBefore = ({ sql }: Reader, before: number, limit: number): number =>
  sql.run(
    `DELETE FROM idempotency_keys WHERE rowid IN
       (SELECT rowid FROM idempotency_keys WHERE saved_at < ? LIMIT ?)`,
    before,
    limit,
  ).changes
