import { checkCursor, findPosition } from '../../changes/cursors.ts'
import { parseDifference } from '../../changes/entries.ts'
import { type Change, changesOfObject, eachChange, selectOfObject } from '../../changes/read.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import type { JsonBody } from '../../http/responses.ts'
import { fail, notFound, refused } from '../../refusal.ts'
import { isLive } from '../history.ts'
import { presentWritten } from '../present.ts'
import { changeLive } from './patch-and-delete.ts'

const noSuchChange = () => notFound('change of this record')

interface RevertInput {
  readonly caller: Caller
  readonly id: string
  readonly to: string
}

export const recordRevert: WorkerTask<RevertInput, JsonBody> = {
  name: 'record-writes.revert',
  run: (tx, { caller, id, to }, listeners) => {
    const { workspacePk } = caller
    if (!isLive(tx, caller, id)) throw notFound('record')
    const number = findPosition(tx, workspacePk, to) ?? fail(noSuchChange())
    refuseDeletion(tx, workspacePk, id, number)
    const values: Record<string, unknown> = {}
    const later = selectOfObject(tx, workspacePk, id, { after: number, limit: Number.MAX_SAFE_INTEGER })
    for (const change of eachChange(tx, later)) takeBack(values, change)
    return presentWritten(changeLive(listeners, tx, caller, id, values))
  },
}

/** Sets a live row back to how it was just after a change, which `to` names: an update under all rules. */
export async function revertRecord(
  { worker }: AppContext,
  { signal: _, ...caller }: Caller,
  id: string,
  to: string,
): Promise<JsonBody> {
  checkCursor(to, 'to')
  return worker.write(recordRevert, { caller, id, to })
}

/** Overwrites what a later change took back: the oldest of several old values counts. */
export function takeBack(values: Record<string, unknown>, { operation, detail }: Change): void {
  if (operation === 'updated' && detail !== null) Object.assign(values, parseDifference(detail).previous)
}

/** Refuses what is no change of the record, and a change after which it was not there. */
function refuseDeletion(reader: Reader, workspace: number, id: string, number: number): void {
  const range = { after: number - 1, before: number + 1, limit: 1 }
  const [change] = changesOfObject(reader, workspace, id, range)
  if (!change) throw noSuchChange()
  if (change.operation === 'deleted')
    throw refused('"to" names the deletion of the record; name a change after which it was there.')
}
