import { checkCursor, findPosition, oldestChange } from '../changes/cursors.ts'
import { CHANGE_KINDS } from '../changes/entries.ts'
import { lastChange } from '../changes/log.ts'
import { selectBefore } from '../changes/read.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { WorkerQuery } from '../db/worker/client.ts'
import type { JsonBody } from '../http/responses.ts'
import { cursorExpired, fail, invalid } from '../refusal.ts'
import {
  type FeedPage,
  type FeedQuery,
  type FeedRequest,
  type Found,
  MAX_SCANNED,
  pageOf,
  parseFeedRequest,
  write,
} from './feed.ts'

interface NewestFirstInput extends FeedQuery {
  /** The number of the change before which the page begins. */
  readonly before: number
  readonly isStream: false
}

interface Backwards extends FeedRequest {
  readonly before: string
}

/** Refuses a malformed cursor, and what only a reader that goes forward can ask. */
export function checkBackwards(query: {
  readonly before: string
  readonly after?: string
  readonly wait?: number
  readonly isStream: boolean
}): void {
  const { before, after, wait, isStream } = query
  if (before !== 'now') checkCursor(before, 'before')
  if (isStream) throw invalid('"before" reads pages; leave it out to follow the changes as a stream.')
  const other = after !== undefined ? 'after' : wait !== undefined ? 'wait' : undefined
  if (other) throw invalid(`"before" reads towards older changes; it does not go together with "${other}".`)
}

/** A page of the changes before a cursor, or of the last ones, newest first. */
export async function newestFirst(
  ctx: Pick<AppContext, 'db' | 'worker'>,
  caller: Caller,
  request: Backwards,
): Promise<JsonBody> {
  const wanted = parseFeedRequest(ctx.db, caller, request, CHANGE_KINDS)
  const before = endPosition(ctx.db, caller.workspacePk, request.before)
  const { changes } = await ctx.worker.run(newestFirstQuery, { ...wanted, before, isStream: false }, caller)
  return changes as JsonBody
}

/** The number that a page begins under: that of the cursor, or for `now` one more than the last change. */
export function endPosition(reader: Reader, workspace: number, before: string): number {
  if (before === 'now') return lastChange(reader, workspace) + 1
  return (
    findPosition(reader, workspace, before) ??
    fail(cursorExpired('The cursor comes from another state of the database; begin again with before=now.'))
  )
}

function find(reader: Reader, { workspacePk, rights: _, before, limit, ...filter }: NewestFirstInput): Found {
  const first = oldestChange(reader, workspacePk)
  const downTo = Math.max(first, before - MAX_SCANNED)
  const selected = selectBefore(reader, workspacePk, { before, downTo, limit: limit + 1 }, filter)
  const position = Math.min(before, downTo, lastChange(reader, workspacePk))
  return pageOf(reader, selected, limit, before, { position, hasMore: downTo > first })
}

/** One page towards the past. */
export const newestFirstQuery: WorkerQuery<NewestFirstInput, FeedPage> = {
  name: 'change-feed.newestFirst',
  run: (reader, input) => write(reader, input, find(reader, input)),
}
