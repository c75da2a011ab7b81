import type { Static } from '@sinclair/typebox'
import { expectedInstant } from '../../changes/if-unchanged.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { WorkerTask, WriteListeners } from '../../db/worker/client.ts'
import type { Tx } from '../../db/writes/transaction.ts'
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
import type { JsonBody } from '../../http/responses.ts'
import { presentWritten, recordResponse, writtenResponse } from '../present.ts'
import type { PatchBody } from '../schema.ts'
import type { RecordRow } from '../store.ts'
import { changeLive, checkChanger, deleteLive, restoreDeleted, revertLive } from './one-record.ts'
import { checkedWrite, checkWriter, sizeOf, type WriteRequest, writeRecords } from './write-records.ts'

interface RowsInput {
  readonly caller: Caller
  readonly identity: RequestIdentity | undefined
  readonly body: RequestBody<WriteRequest>
}

/** Writes rows, or finds the response to the same request. */
export const rowsWrite: WorkerTask<RowsInput, Outcome> = {
  name: 'record-writes.write',
  run: (tx, { caller, identity, body }, listeners) =>
    once(
      tx,
      signed(identity, body.text),
      (tx) => writtenResponse(writeRecords(listeners, tx, caller, RequestBody.valueOf(body))),
      undefined,
      () => caller.rights && checkWriter(tx, caller, RequestBody.valueOf(body)),
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
  const { bodyText } = exchange
  const input = { caller, identity: identityOf(exchange), body: new RequestBody(wanted, bodyText) }
  const size = sizeOf(db, caller, body, bodyText.length)
  const { text, replayed } = await worker.write(rowsWrite, input, { size })
  return createdResponse(text, replayed)
}

interface RecordInput {
  readonly caller: Caller
  readonly id: string
}

/** A write of one record as the body of its response. */
const recordWrite = <Input extends RecordInput>(
  name: string,
  write: (listeners: WriteListeners, tx: Tx, input: Input) => RecordRow,
): WorkerTask<Input, JsonBody> => ({
  name: `record-writes.${name}`,
  run: (tx, input, listeners) => presentWritten(write(listeners, tx, input)),
})

type RecordPatch = Static<typeof PatchBody>

interface PatchInput extends RecordInput {
  readonly identity: RequestIdentity | undefined
  readonly body: RequestBody<RecordPatch>
}

export const recordPatch: WorkerTask<PatchInput, Outcome> = {
  name: 'record-writes.patch',
  run: (tx, { caller, id, identity, body }, listeners) =>
    once(
      tx,
      signed(identity, body.text),
      (tx) => {
        const { data, if_unchanged } = RequestBody.valueOf(body)
        return recordResponse(changeLive(listeners, tx, caller, id, data, expectedInstant(if_unchanged)))
      },
      undefined,
      () => caller.rights && checkChanger(tx, caller, id),
    ),
}

/**
 * Merges values into a live row; null removes one. Only the values that are sent are checked. With `if_unchanged`,
 * only when the row was not changed since; with an `Idempotency-Key` once.
 */
export async function respondToPatch(
  { worker }: AppContext,
  caller: Caller,
  exchange: Exchange,
  id: string,
  patch: RecordPatch,
): Promise<Response> {
  const { bodyText } = exchange
  expectedInstant(patch.if_unchanged)
  const input = { caller, id, identity: identityOf(exchange), body: new RequestBody(patch, bodyText) }
  const size = { length: bodyText.length }
  const { text, replayed } = await worker.write(recordPatch, input, { size })
  return createdResponse(text, replayed, 200)
}

export const recordDeletion: WorkerTask<RecordInput, void> = {
  name: 'record-writes.delete',
  run: (tx, { caller, id }, listeners) => deleteLive(listeners, tx, caller, id),
}

/** Also where rows are immutable. */
export const recordRestoration = recordWrite('restore', (listeners, tx, { caller, id }) =>
  restoreDeleted(listeners, tx, caller, id),
)

export const recordRevert = recordWrite<RecordInput & { readonly to: string }>(
  'revert',
  (listeners, tx, { caller, id, to }) => revertLive(listeners, tx, caller, id, to),
)
