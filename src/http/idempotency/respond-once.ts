import { CryptoHasher } from 'bun'
import type { Db } from '../../db/database.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { DAY_MS } from '../../lib/dates.ts'
import { invalid, refused } from '../../refusal.ts'
import type { RequestContext } from '../request-context.ts'
import { jsonResponse } from '../responses.ts'
import { type CallIdentity, findSavedResponse, saveResponse } from './store.ts'

/** How long an answer is repeated: 24 hours (contract, section 11). */
export const RESPONSE_KEPT_MS = DAY_MS

const CREATED = 201
const KEY_FORM = /^[\x20-\x7e]{1,255}$/

/** An answer as an object, or as its JSON text. */
type Answer = object | string

interface Outcome {
  text: string
  replayed: boolean
}

/**
 * Runs a creation in a transaction of its own and answers 201. Under an `Idempotency-Key` the answer is kept
 * in that transaction: the same call again gets it once more and writes nothing; with another body it is
 * refused. Writes stand in one queue, so a second call during the first finds the first one's answer. `keep` leaves
 * out what may be answered only the first time, and must not be kept.
 */
export async function respondOnce<Created extends Answer>(
  db: Db,
  request: RequestContext,
  create: (tx: Tx) => Created,
  keep: (created: Created) => Answer = (created) => created,
): Promise<Response> {
  const identity = identityOf(request)
  const { text, replayed } = await db.write((tx) =>
    identity
      ? once(tx, identity, request.bodyText, create, keep)
      : { text: asText(create(tx)), replayed: false },
  )
  const response = jsonResponse(text, CREATED)
  if (replayed) response.headers.set('Idempotent-Replayed', 'true')
  return response
}

const asText = (answer: Answer) => (typeof answer === 'string' ? answer : JSON.stringify(answer))

function identityOf({ request, caller }: RequestContext): CallIdentity | undefined {
  const idempotencyKey = request.headers.get('idempotency-key')
  if (idempotencyKey === null) return undefined
  if (!KEY_FORM.test(idempotencyKey))
    throw invalid('The header "Idempotency-Key" must be 1 to 255 printable ASCII characters.')
  const keyId = caller?.keyId ?? undefined
  if (keyId === undefined) return undefined
  return { keyId, target: `${request.method} ${new URL(request.url).pathname}`, idempotencyKey }
}

function once<Created extends Answer>(
  tx: Tx,
  identity: CallIdentity,
  body: string,
  create: (tx: Tx) => Created,
  keep: (created: Created) => Answer,
): Outcome {
  const bodyHash = new CryptoHasher('sha256').update(body).digest('hex')
  const kept = findSavedResponse(tx, identity, tx.now - RESPONSE_KEPT_MS)
  if (!kept) {
    const created = create(tx)
    saveResponse(tx, identity, { bodyHash, answer: asText(keep(created)) }, tx.now)
    return { text: asText(created), replayed: false }
  }
  if (kept.bodyHash === bodyHash) return { text: kept.answer, replayed: true }
  throw refused(
    'This "Idempotency-Key" was used with another body within the last 24 hours; send another key.',
  )
}
