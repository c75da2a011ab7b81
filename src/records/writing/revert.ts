import { findPosition } from '../../changes/cursors.ts'
import { parseDifference } from '../../changes/entries.ts'
import { type Change, changesOfObject, eachChange, selectOfObject } from '../../changes/read.ts'
import type { Caller } from '../../context.ts'
import type { WriteListeners } from '../../db/worker/client.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { fail, notFound, refused } from '../../refusal.ts'
import { isLive } from '../history.ts'
import type { RecordRow } from '../store.ts'
import { changeLive } from './one-record.ts'

const noSuchChange = () => notFound('change of this record')

/** Sets a live row back to how it was just after a change, which the cursor `to` names. */
export function revertLive(
  listeners: WriteListeners,
  tx: Tx,
  caller: Caller,
  id: string,
  to: string,
): RecordRow {
  const { workspacePk } = caller
  if (!isLive(tx, caller, id)) throw notFound('record')
  const number = findPosition(tx, workspacePk, to) ?? fail(noSuchChange())
  const [change] = changesOfObject(tx, workspacePk, id, { after: number - 1, before: number + 1, limit: 1 })
  if (!change) throw noSuchChange()
  if (change.operation === 'deleted')
    throw refused('"to" names the deletion of the record; name a change after which it was there.')
  const values: Record<string, unknown> = {}
  const later = selectOfObject(tx, workspacePk, id, { after: number, limit: Number.MAX_SAFE_INTEGER })
  for (const change of eachChange(tx, later)) takeBack(values, change)
  return changeLive(listeners, tx, caller, id, values)
}

/** Overwrites what a later change took back: the oldest of several old values counts. */
export function takeBack(values: Record<string, unknown>, { operation, detail }: Change): void {
  if (operation === 'updated' && detail !== null) Object.assign(values, parseDifference(detail).previous)
}
