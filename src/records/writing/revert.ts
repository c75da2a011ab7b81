import { parseDifference } from '../../changes/entries.ts'
import { checkCursor, findPosition } from '../../changes/epochs.ts'
import { lastChange } from '../../changes/log.ts'
import { type Change, changesOfObject } from '../../changes/read.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { fail, notFound, refused } from '../../refusal.ts'
import { getAnyRecord } from '../history.ts'
import type { RecordRow } from '../store.ts'
import { changeLive } from './patch-and-delete.ts'

const VERSIONS_AT_ONCE = 500

const noSuchChange = () => fail(notFound('change of this record'))

/** Sets a live row back to how it was just after a change, which `to` names: an update under all rules. */
export function revertRecord(ctx: AppContext, caller: Caller, id: string, to: string): Promise<RecordRow> {
  checkCursor(to, 'to')
  return ctx.db.write((tx) => {
    const row = getAnyRecord(tx, caller, id)
    if (row.deletedAt !== null) throw notFound('record')
    const number = findPosition(tx, caller.workspacePk, to) ?? noSuchChange()
    return changeLive(ctx, tx, caller, id, valuesAfter(tx, caller.workspacePk, id, number))
  })
}

/** The values that later changes replaced, as they were after this one; null where there was none. */
function valuesAfter(tx: Tx, workspace: number, id: string, number: number): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  let before = lastChange(tx, workspace) + 1
  for (;;) {
    const changes = changesOfObject(tx, workspace, id, { before, limit: VERSIONS_AT_ONCE })
    for (const change of changes) {
      if (change.number === number) return revertible(change) && values
      if (change.number < number) return noSuchChange()
      takeBack(values, change)
      before = change.number
    }
    if (changes.length === 0) return noSuchChange()
  }
}

/** Overwrites what a later change took back: the oldest of several old values counts. */
export function takeBack(values: Record<string, unknown>, { operation, detail }: Change): void {
  if (operation === 'updated' && detail !== null) Object.assign(values, parseDifference(detail).previous)
}

function revertible({ operation }: Change): true {
  if (operation !== 'deleted') return true
  throw refused('"to" names the deletion of the record; name a change after which it was there.')
}
