import { checkCursor, findPosition } from '../../changes/cursors.ts'
import { parseDifference } from '../../changes/entries.ts'
import { type Change, changesOfObject, eachChange, selectOfObject, sizeOf } from '../../changes/read.ts'
import type { AppContext, Caller, InWorkspace } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { QueryPlan, WorkerQuery } from '../../db/worker/client.ts'
import type { LongText } from '../../db/worker/protocol.ts'
import type { JsonBody } from '../../http/responses.ts'
import { fail, notFound, refused } from '../../refusal.ts'
import { isLive } from '../history.ts'
import { presentWritten } from '../present.ts'
import type { RecordRow } from '../store.ts'
import { prepareRow } from './long-row.ts'
import { changeLive, withValues } from './patch-and-delete.ts'
import { type RecordWrite, receivedText, writeWhereShort } from './record-write.ts'

const noSuchChange = () => notFound('change of this record')

/**
 * Sets a live row back to how it was just after a change, which `to` names: an update under all rules. What later changes
 * replaced may be long, and is read before the transaction, which adds what changed meanwhile.
 */
export async function revertRecord(
  ctx: AppContext,
  caller: Caller,
  id: string,
  to: string,
): Promise<JsonBody> {
  checkCursor(to, 'to')
  const { workspacePk } = caller
  const text = await ctx.worker.run(replacedQuery, { caller: { workspacePk }, id, to }, caller)
  const input = () => ({ id, replaced: replacedIn(text) })
  return writeWhereShort(ctx, caller, recordRevert, input, { sent: id, text })
}

const replacedIn = (text: LongText) => JSON.parse(receivedText(text)) as Replaced

export const recordRevert: RecordWrite<
  { readonly id: string; readonly replaced: Replaced },
  RecordRow,
  JsonBody,
  string
> = {
  name: 'records.revert',
  receive: (id, text) => ({ id, replaced: replacedIn(text) }),
  prepare: (reader, caller, { id, replaced }) => prepareRow(reader, caller, id, withValues(replaced.values)),
  run: (ctx, tx, caller, { id, replaced: { values, last } }) => {
    if (!isLive(tx, caller, id)) throw notFound('record')
    const meanwhile = replacedSince(tx, caller.workspacePk, id, last)
    return changeLive(ctx, tx, caller, id, { ...meanwhile.values, ...values })
  },
  present: presentWritten,
}

/** What the changes of a record after a number replaced, null where there was no value, and the number of the last. */
interface Replaced {
  readonly values: Record<string, unknown>
  readonly last: number
}

function replacedSince(reader: Reader, workspace: number, id: string, after: number): Replaced {
  const values: Record<string, unknown> = {}
  let last: number | undefined
  for (const change of eachChange(reader, laterChanges(reader, workspace, id, after))) {
    last ??= change.number
    takeBack(values, change)
  }
  return { values, last: last ?? after }
}

const laterChanges = (
  reader: Reader,
  workspace: number,
  id: string,
  after: number,
  limit = Number.MAX_SAFE_INTEGER,
) => selectOfObject(reader, workspace, id, { after, limit })

interface ReplacedInput {
  readonly caller: InWorkspace
  readonly id: string
  readonly to: string
}

interface ReplacedPlan extends QueryPlan {
  readonly workspacePk: number
  readonly id: string
  readonly number: number
}

/** More changes are not counted to find out what reading them costs. */
const MAX_COUNTED = 1_000
/** What a change costs, in rows of a scan. */
const CHANGE_COST = 10
const BYTES_PER_ROW = 100

/** What the changes of a live record after one of them replaced, as JSON text, which may be long. */
export const replacedQuery: WorkerQuery<ReplacedInput, ReplacedPlan, JsonBody> = {
  name: 'records.replaced',
  plan: (reader, { caller, id, to }) => {
    const { workspacePk } = caller
    if (!isLive(reader, caller, id)) throw notFound('record')
    const number = findPosition(reader, workspacePk, to) ?? fail(noSuchChange())
    refuseDeletion(reader, workspacePk, id, number)
    const some = laterChanges(reader, workspacePk, id, number, MAX_COUNTED)
    const { count, bytes } = sizeOf(reader, some)
    const cost = count * CHANGE_COST + bytes / BYTES_PER_ROW
    return { workspacePk, id, number, cost: count === MAX_COUNTED ? Number.POSITIVE_INFINITY : cost }
  },
  run: (reader, { workspacePk, id, number }) =>
    JSON.stringify(replacedSince(reader, workspacePk, id, number)),
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
