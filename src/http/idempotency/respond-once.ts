import { CryptoHasher } from 'bun'
import type { Db } from '../../db/database.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { DAY_MS } from '../../lib/dates.ts'
import { invalid, refused } from '../../refusal.ts'
import type { RequestContext } from '../request-context.ts'
import { jsonResponse } from '../responses.ts'
import { findSavedResponse, type RequestIdentity, saveResponse } from './store.ts'

/** How long a response is saved and returned again: 24 hours. */
export const RESPONSE_SAVED_MS = DAY_MS

const CREATED = 201
const KEY_FORM = /^[\x20-\x7e]{1,255}$/

/** A response body as an object, or as its JSON text. */
type Body = object | string

interface Outcome {
  text: string
  replayed: boolean
}

interface CreationOptions<Created extends Body> {
  /** Leaves out what only the first response may hold, such as a secret. */
  toSave?: (created: Created) => Body
  /** Whether the creation takes long, such as that of many rows. */
  isLong?: boolean
}

/**
 * Runs a creation in a transaction of its own and responds with 201. With an `Idempotency-Key` the response is saved
 * in that transaction: the same request again gets the saved response and writes nothing; the same key with another
 * body is refused. Writes run one at a time, so that a second request that arrives during the first finds the
 * response of the first.
 */
export async function respondOnce<Created extends Body>(
  db: Db,
  request: RequestContext,
  create: (tx: Tx) => Created,
  { toSave = (created) => created, isLong = false }: CreationOptions<Created> = {},
): Promise<Response> {
  const identity = identityOf(request)
  const { text, replayed } = await db.write(
    (tx) =>
      identity
        ? once(tx, identity, request.bodyText, create, toSave)
        : { text: asText(create(tx)), replayed: false },
    isLong,
  )
  const response = jsonResponse(text, CREATED)
  if (replayed) response.headers.set('Idempotent-Replayed', 'true')
  return response
}

const asText = (body: Body) => (typeof body === 'string' ? body : JSON.stringify(body))

function identityOf({ request, caller }: RequestContext): RequestIdentity | undefined {
  const idempotencyKey = request.headers.get('idempotency-key')
  if (idempotencyKey === null) return undefined
  if (!KEY_FORM.test(idempotencyKey))
    throw invalid('The header "Idempotency-Key" must be 1 to 255 printable ASCII characters.')
  const keyId = caller?.keyId ?? undefined
  if (keyId === undefined) return undefined
  return { keyId, target: `${request.method} ${new URL(request.url).pathname}`, idempotencyKey }
}

function once<Created extends Body>(
  tx: Tx,
  identity: RequestIdentity,
  requestBody: string,
  create: (tx: Tx) => Created,
  toSave: (created: Created) => Body,
): Outcome {
  const bodyHash = new CryptoHasher('sha256').update(requestBody).digest('hex')
  const saved = findSavedResponse(tx, identity, tx.now - RESPONSE_SAVED_MS)
  if (!saved) {
    const created = create(tx)
    saveResponse(tx, identity, { bodyHash, response: asText(toSave(created)) }, tx.now)
    return { text: asText(created), replayed: false }
  }
  if (saved.bodyHash === bodyHash) return { text: saved.response, replayed: true }
  throw refused(
    'This "Idempotency-Key" was used with another body within the last 24 hours; send another key.',
  )
}
