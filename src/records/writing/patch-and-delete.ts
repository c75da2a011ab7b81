import { expectedInstant, refuseStale } from '../../changes/if-unchanged.ts'
import type { RecordData } from '../../changes/record-data.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import type { JsonBody } from '../../http/responses.ts'
import { fail, notFound } from '../../refusal.ts'
import { type Definition, findStructureByPk } from '../../structures/store.ts'
import { presentWritten } from '../present.ts'
import * as store from '../store.ts'
import { dataOf, findPrepared, prepareRow } from './long-row.ts'
import { type RecordWrite, receivedText, writeWhereShort } from './record-write.ts'
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
  type WriteContext,
} from './row-writer.ts'

interface Found {
  row: store.RecordRow
  writer: RowWriter
}

/** A record of the caller's workspace, live or deleted, with the writer of its structure. */
function find(ctx: WriteContext, tx: Tx, caller: Caller, id: string): Found | undefined {
  const row = findPrepared(tx, caller, id) ?? store.findWithin(tx, id, ctx.budget)
  const structure = row && findStructureByPk(tx, caller.workspacePk, row.structure)
  return row && structure && { row, writer: rowWriter(ctx, tx, caller, structure) }
}

function getLive(ctx: WriteContext, tx: Tx, caller: Caller, id: string): Found {
  const found = find(ctx, tx, caller, id)
  return found?.row.deletedAt === null ? found : fail(notFound('record'))
}

function getDeleted(ctx: WriteContext, tx: Tx, caller: Caller, id: string): Found {
  const found = find(ctx, tx, caller, id)
  return found && found.row.deletedAt !== null ? found : fail(notFound('deleted record'))
}

export interface RecordPatch {
  data: Record<string, unknown>
  if_unchanged?: string
}

/** For `prepareRow`: how a row will be with these values. */
export const withValues =
  (sent: Readonly<Record<string, unknown>>) =>
  (definition: Definition, before: RecordData): RecordData =>
    mergedData(definition, before, checkedChanges(definition, sent))

interface PatchInput extends RecordPatch {
  readonly id: string
}

export const recordPatch: RecordWrite<PatchInput, store.RecordRow, JsonBody, { readonly id: string }> = {
  name: 'records.patch',
  receive: ({ id }, text) => ({ ...(JSON.parse(receivedText(text)) as RecordPatch), id }),
  prepare: (reader, caller, { id, data }) => prepareRow(reader, caller, id, withValues(data)),
  run: (ctx, tx, caller, { id, data, if_unchanged }) =>
    changeLive(ctx, tx, caller, id, data, expectedInstant(if_unchanged)),
  present: presentWritten,
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
  return writeWhereShort(ctx, caller, recordPatch, () => ({ ...patch, id }), { sent: { id }, text })
}

/** Merges values into a live row in the caller's transaction; `expected` is the `updated_at` that it must have. */
export function changeLive(
  ctx: WriteContext,
  tx: Tx,
  caller: Caller,
  id: string,
  data: Record<string, unknown>,
  expected?: number,
): store.RecordRow {
  const { row, writer } = getLive(ctx, tx, caller, id)
  refuseStale('record', expected, row.updatedAt)
  refuseImmutable(writer.structure)
  const changes = checkedChanges(writer.definition, data)
  refuseBrokenReferences(tx, caller, changes)
  return updateRow(writer, row, changes)
}

export const recordDeletion: RecordWrite<string, void, void> = {
  name: 'records.delete',
  prepare: (reader, caller, id) => prepareRow(reader, caller, id, () => undefined),
  run: deleteLive,
  present: () => {},
}

/** Deletes a row; it can be restored. */
export const deleteRecord = (ctx: AppContext, caller: Caller, id: string): Promise<void> =>
  writeWhereShort(ctx, caller, recordDeletion, () => id, { sent: id })

/** Deletes a row in the caller's transaction. */
export function deleteLive(ctx: WriteContext, tx: Tx, caller: Caller, id: string): void {
  const { row, writer } = getLive(ctx, tx, caller, id)
  deleteRow(writer, row)
}

export const recordRestoration: RecordWrite<string, store.RecordRow, JsonBody> = {
  name: 'records.restore',
  prepare: (reader, caller, id) =>
    prepareRow(reader, caller, id, (definition, data) => withValues(data)(definition, {})),
  run: restoreDeleted,
  present: presentWritten,
}

/** Restores a deleted row under its id, checked like a new row; also where rows are immutable. */
export const restoreRecord = (ctx: AppContext, caller: Caller, id: string): Promise<JsonBody> =>
  writeWhereShort(ctx, caller, recordRestoration, () => id, { sent: id })

/** Restores a deleted row in the caller's transaction. */
export function restoreDeleted(ctx: WriteContext, tx: Tx, caller: Caller, id: string): store.RecordRow {
  const { row, writer } = getDeleted(ctx, tx, caller, id)
  const { definition, structure } = writer
  const changes = checkedChanges(definition, dataOf(row))
  const data = mergedData(definition, {}, changes)
  refuseMissing(definition, data)
  refuseDuplicate(writer, definition.uniqueSets, data)
  refuseFull(structure)
  const restored = restoreRow(writer, row, data)
  // Checked last, because the row may refer to itself.
  refuseBrokenReferences(tx, caller, changes)
  return restored
}
