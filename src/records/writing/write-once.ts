import type { AppContext, Caller } from '../../context.ts'
import {
  createdResponse,
  identityOf,
  once,
  type RequestIdentity,
  type SignedRequest,
  signed,
} from '../../http/idempotency.ts'
import { encoded, type JsonBody } from '../../http/responses.ts'
import type { RequestContext } from '../../http/routes.ts'
import { writtenResponse } from '../present.ts'
import { type RecordWrite, receivedText, writeWhereShort } from './record-write.ts'
import { checkedWrite, isBatch, prepareRows, type WriteRequest, writeRecords } from './write-records.ts'

interface Input {
  readonly wanted: WriteRequest
  readonly request: SignedRequest | undefined
}

interface Sent {
  readonly identity: RequestIdentity | undefined
}

interface Outcome {
  readonly text: string
  readonly replayed: boolean
}

/** Writes rows, or finds the response to the same request. The worker is sent the body as it came. */
export const rowsWrite: RecordWrite<Input, Outcome, { body: JsonBody; replayed: boolean }, Sent> = {
  name: 'records.write',
  receive: ({ identity }, text) => {
    const body = receivedText(text)
    return { wanted: JSON.parse(body) as WriteRequest, request: signed(identity, body) }
  },
  prepare: (reader, caller, { wanted }) => prepareRows(reader, caller, wanted),
  run: (ctx, tx, caller, { wanted, request }) =>
    once(tx, request, (tx) => writtenResponse(writeRecords(ctx, tx, caller, wanted)), {
      maxLength: ctx.budget?.left,
    }),
  present: ({ text, replayed }) => ({ body: encoded(text), replayed }),
}

/** Writes rows; with an `Idempotency-Key` once (`http/idempotency.ts`). */
export async function respondToWrite(
  ctx: AppContext,
  request: RequestContext<Caller, unknown, unknown, WriteRequest>,
): Promise<Response> {
  const { caller, bodyText: text } = request
  const wanted = checkedWrite(request.body)
  const identity = identityOf(request)
  const choice = { sent: { identity }, text, isLong: isBatch(wanted) }
  const { body, replayed } = await writeWhereShort(
    ctx,
    caller,
    rowsWrite,
    () => ({ wanted, request: signed(identity, text) }),
    choice,
  )
  return createdResponse(body, replayed)
}
