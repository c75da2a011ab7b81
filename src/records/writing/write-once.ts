import type { AppContext, Caller } from '../../context.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import type { Exchange } from '../../http/exchange.ts'
import {
  createdResponse,
  identityOf,
  type Outcome,
  once,
  type RequestIdentity,
  signed,
} from '../../http/idempotency.ts'
import { RequestBody } from '../../http/request-body.ts'
import { writtenResponse } from '../present.ts'
import { checkedWrite, sizeOf, type WriteRequest, writeRecords } from './write-records.ts'

interface Input {
  readonly caller: Caller
  readonly identity: RequestIdentity | undefined
  readonly body: RequestBody<WriteRequest>
}

/** Writes rows, or finds the response to the same request. */
export const rowsWrite: WorkerTask<Input, Outcome> = {
  name: 'record-writes.write',
  run: (tx, { caller, identity, body }, listeners) =>
    once(tx, signed(identity, body.text), (tx) =>
      writtenResponse(writeRecords(listeners, tx, caller, RequestBody.valueOf(body))),
    ),
}

/** Writes rows; with an `Idempotency-Key` once (`http/idempotency.ts`). */
export async function respondToWrite(
  { db, worker }: AppContext,
  caller: Caller,
  exchange: Exchange,
  body: WriteRequest,
): Promise<Response> {
  const wanted = checkedWrite(body)
  const identity = identityOf(exchange)
  const { bodyText } = exchange
  const input = { caller, identity, body: new RequestBody(wanted, bodyText) }
  const size = sizeOf(db, caller, wanted, bodyText.length)
  const { text, replayed } = await worker.write(rowsWrite, input, { size })
  return createdResponse(text, replayed)
}
