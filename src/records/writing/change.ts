import type { AppContext, Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { fail, notFound } from '../../refusal.ts'
import { findStructureByPk } from '../../structures/store.ts'
import * as store from '../store.ts'
import { refuseDeadReferences } from './references.ts'
import { changeRow, deleteRow, refuseCollision, reviveRow } from './rows.ts'
import { moveLive, refuseFull, refuseImmutable, type Target, targetOf } from './target.ts'
import { checkedChanges, mergedData, refuseMissing } from './values.ts'

interface Found {
  row: store.RecordRow
  target: Target
}

/** A record of the caller's workspace with what it takes to write it; undefined for none. */
function find(ctx: AppContext, tx: Tx, caller: Caller, id: string): Found | undefined {
  const row = store.findRecord(tx, id)
  const structure = row && findStructureByPk(tx, caller.workspacePk, row.structure)
  return row && structure && { row, target: targetOf(ctx, tx, caller, structure) }
}

function getLive(ctx: AppContext, tx: Tx, caller: Caller, id: string): Found {
  const found = find(ctx, tx, caller, id)
  return found?.row.deletedAt === null ? found : fail(notFound('record'))
}

function getDeleted(ctx: AppContext, tx: Tx, caller: Caller, id: string): Found {
  const found = find(ctx, tx, caller, id)
  return found && found.row.deletedAt !== null ? found : fail(notFound('deleted record'))
}

/** Merges values into a live row; null takes one away. Only what is named is checked (contract, section 10). */
export const patchRecord = (
  ctx: AppContext,
  caller: Caller,
  id: string,
  data: Record<string, unknown>,
): Promise<store.RecordRow> =>
  ctx.db.write((tx) => {
    const { row, target } = getLive(ctx, tx, caller, id)
    refuseImmutable(target.structure)
    const changes = checkedChanges(target.definition, data)
    refuseDeadReferences(tx, caller, changes)
    return changeRow(target, row, changes)
  })

/** Deletes softly: the row is kept and can be restored. */
export const deleteRecord = (ctx: AppContext, caller: Caller, id: string): Promise<void> =>
  ctx.db.write((tx) => {
    const { row, target } = getLive(ctx, tx, caller, id)
    deleteRow(target, row)
    moveLive(target, -1)
  })

/** Brings a deleted row back with its id, checked like a new row; also where rows are immutable. */
export const restoreRecord = (ctx: AppContext, caller: Caller, id: string): Promise<store.RecordRow> =>
  ctx.db.write((tx) => {
    const { row, target } = getDeleted(ctx, tx, caller, id)
    const { definition, structure } = target
    const changes = checkedChanges(definition, store.dataOf(row))
    const data = mergedData(definition, {}, changes)
    refuseMissing(definition, data)
    refuseCollision(target, definition.uniqueSets, data)
    refuseFull(structure)
    const revived = reviveRow(target, row, data)
    moveLive(target, 1)
    // Last, as the row may name itself.
    refuseDeadReferences(tx, caller, changes)
    return revived
  })
