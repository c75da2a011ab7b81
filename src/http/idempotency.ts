import type { Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import { requesterKey } from '../db/worker/client.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { type Outcome, once, type RequestIdentity, type ResponseContent, signed } from '../kernel/once.ts'
import { invalid } from '../refusal.ts'
import type { Exchange } from './exchange.ts'
import { type JsonBody, jsonResponse } from './responses.ts'

const CREATED = 201
/** The form of an `Idempotency-Key`. */
export const KEY_FORM = /^[\x20-\x7e]{1,255}$/

/** Leaves out what only the first response may hold, such as a secret. */
type ToSave<Created extends ResponseContent> = (created: Created) => ResponseContent

/** Refuses a caller who may not create it now, also where the response is only found. */
type Check = (tx: Tx) => unknown

/** Runs a creation in a transaction of its own and responds with 201 (`kernel/once.ts`). */
export async function respondOnce<Created extends ResponseContent>(
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
export const createOnce = <Created extends ResponseContent>(
  db: Db,
  identity: RequestIdentity | undefined,
  body: string,
  create: (tx: Tx) => Created,
  toSave?: ToSave<Created>,
  check?: Check,
): Promise<Outcome> => db.write((tx) => once(tx, signed(identity, body), create, toSave, check))

/** The owner of a saved response: the key, or the user and the session's current workspace. */
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
