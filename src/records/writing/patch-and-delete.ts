import { expectedInstant, refuseStale } from '../../changes/if-unchanged.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { WorkerTask, WriteListeners } from '../../db/worker/client.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { RequestBody } from '../../http/request-body.ts'
import type { JsonBody } from '../../http/responses.ts'
import { fail, notFound } from '../../refusal.ts'
import { findStructureByPk } from '../../structures/store.ts'
import { presentWritten } from '../present.ts'
import * as store from '../store.ts'
import {
  checkedChanges,
  deleteRow,
  mergedData,
  type RowWriter,
  refuseBrokenReferences,
  refuseDuplicate,
  refuseFull,
  refuseImmutable,
  refuseMissing,
  restoreRow,
  rowWriter,
  updateRow,
} from './row-writer.ts'

interface Found {
  row: store.RecordRow
  writer: RowWriter
}

/** A record of the caller's workspace, live or deleted, with the writer of its structure. */
function find(listeners: WriteListeners, tx: Tx, caller: Caller, id: string): Found | undefined {
  const row = store.findRecord(tx, id)
  const structure = row && findStructureByPk(tx, caller.workspacePk, row.structure)
  return row && structure && { row, writer: rowWriter(listeners, tx, caller, structure) }
}

function getLive(listeners: WriteListeners, tx: Tx, caller: Caller, id: string): Found {
  const found = find(listeners, tx, caller, id)
  return found?.row.deletedAt === null ? found : fail(notFound('record'))
}

function getDeleted(listeners: WriteListeners, tx: Tx, caller: Caller, id: string): Found {
  const found = find(listeners, tx, caller, id)
  return found && found.row.deletedAt !== null ? found : fail(notFound('deleted record'))
}

export interface RecordPatch {
  data: Record<string, unknown>
  if_unchanged?: string
}

interface RecordInput {
  readonly caller: Caller
  readonly id: string
}

export const recordPatch: WorkerTask<RecordInput & { readonly body: RequestBody<RecordPatch> }, JsonBody> = {
  name: 'record-writes.patch',
  run: (tx, { caller, id, body }, listeners) => {
    const { data, if_unchanged } = RequestBody.valueOf(body)
    return presentWritten(changeLive(listeners, tx, caller, id, data, expectedInstant(if_unchanged)))
  },
}

/**
 * Merges values into a live row; null removes one. Only the values that are sent are checked. With `if_unchanged`,
 * only when the row was not changed since. `text` is the patch as it was sent.
 */
export async function patchRecord(
  ctx: AppContext,
  caller: Caller,
  id: string,
  patch: RecordPatch,
  text: string,
): Promise<JsonBody> {
  expectedInstant(patch.if_unchanged)
  const input = { caller, id, body: new RequestBody(patch, text) }
  const length = text.length + store.recordLength(ctx.db, id)
  return ctx.worker.write(recordPatch, input, { size: { length } })
}

/** Merges values into a live row in the caller's transaction; `expected` is the `updated_at` that it must have. */
export function changeLive(
  listeners: WriteListeners,
  tx: Tx,
  caller: Caller,
  id: string,
  data: Record<string, unknown>,
  expected?: number,
): store.RecordRow {
  const { row, writer } = getLive(listeners, tx, caller, id)
  refuseStale('record', expected, row.updatedAt)
  refuseImmutable(writer.structure)
  const changes = checkedChanges(writer.definition, data)
  refuseBrokenReferences(tx, caller, changes)
  return updateRow(writer, row, changes)
}

export const recordDeletion: WorkerTask<RecordInput, void> = {
  name: 'record-writes.delete',
  run: (tx, { caller, id }, listeners) => deleteLive(listeners, tx, caller, id),
}

/** Deletes a row; it can be restored. */
export const deleteRecord = ({ db, worker }: AppContext, caller: Caller, id: string): Promise<void> =>
  worker.write(recordDeletion, { caller, id }, { size: { length: store.recordLength(db, id) } })

/** Deletes a row in the caller's transaction. */
export function deleteLive(listeners: WriteListeners, tx: Tx, caller: Caller, id: string): void {
  const { row, writer } = getLive(listeners, tx, caller, id)
  deleteRow(writer, row)
}

export const recordRestoration: WorkerTask<RecordInput, JsonBody> = {
  name: 'record-writes.restore',
  run: (tx, { caller, id }, listeners) => presentWritten(restoreDeleted(listeners, tx, caller, id)),
}

/** Restores a deleted row under its id, checked like a new row; also where rows are immutable. */
export const restoreRecord = ({ db, worker }: AppContext, caller: Caller, id: string): Promise<JsonBody> =>
  worker.write(recordRestoration, { caller, id }, { size: { length: store.recordLength(db, id) } })

/** Restores a deleted row in the caller's transaction. */
export function restoreDeleted(
  listeners: WriteListeners,
  tx: Tx,
  caller: Caller,
  id: string,
): store.RecordRow {
  const { row, writer } = getDeleted(listeners, tx, caller, id)
  const { definition, structure } = writer
  const changes = checkedChanges(definition, store.dataOf(row))
  const data = mergedData(definition, {}, changes)
  refuseMissing(definition, data)
  refuseDuplicate(writer, definition.uniqueSets, data)
  refuseFull(structure)
  const restored = restoreRow(writer, row, data)
  // Checked last, because the row may refer to itself.
  refuseBrokenReferences(tx, caller, changes)
  return restored
}
