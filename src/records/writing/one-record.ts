import { checkAbility } from '../../access/rights.ts'
import { refuseStale } from '../../changes/if-unchanged.ts'
import type { Caller } from '../../context.ts'
import type { WriteListeners } from '../../db/worker/client.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { notFound } from '../../refusal.ts'
import { findStructureByPk } from '../../structures/store.ts'
import * as store from '../store.ts'
import { checkedChanges, mergedData, refuseBrokenReferences, refuseMissing } from './row-values.ts'
import {
  deleteRow,
  type RowWriter,
  refuseDuplicate,
  refuseFull,
  refuseImmutable,
  restoreRow,
  rowWriter,
  updateRow,
} from './row-writer.ts'

/** A record of the caller's workspace, with the writer of its structure. */
function get(
  listeners: WriteListeners,
  tx: Tx,
  caller: Caller,
  id: string,
  is: 'live' | 'deleted',
): { row: store.RecordRow; writer: RowWriter } {
  const row = store.findRecord(tx, id)
  const structure = row && findStructureByPk(tx, caller, row.structure)
  if (structure) checkAbility(caller.rights, structure, 'change')
  if (!structure || (row.deletedAt === null) !== (is === 'live'))
    throw notFound(is === 'live' ? 'record' : 'deleted record')
  return { row, writer: rowWriter(listeners, tx, caller, structure) }
}

/** Merges values into a live row; `expected` is the `updated_at` that it must have. `checkReferences` may put that off. */
export function changeLive(
  listeners: WriteListeners,
  tx: Tx,
  caller: Caller,
  id: string,
  data: Record<string, unknown>,
  expected?: number,
  checkReferences = refuseBrokenReferences,
): store.RecordRow {
  const { row, writer } = get(listeners, tx, caller, id, 'live')
  refuseStale('record', expected, row.updatedAt)
  refuseImmutable(writer.structure)
  const changes = checkedChanges(writer.definition, data)
  checkReferences(tx, caller, changes)
  return updateRow(writer, row, changes)
}

/** Deletes a live row. */
export function deleteLive(listeners: WriteListeners, tx: Tx, caller: Caller, id: string): void {
  const { row, writer } = get(listeners, tx, caller, id, 'live')
  deleteRow(writer, row)
}

/** Restores a deleted row under its id, checked like a new one. */
export function restoreDeleted(
  listeners: WriteListeners,
  tx: Tx,
  caller: Caller,
  id: string,
): store.RecordRow {
  const { row, writer } = get(listeners, tx, caller, id, 'deleted')
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
