import type { Static } from '@sinclair/typebox'
import type { Caller } from '../kernel/caller.ts'
import { read } from '../kernel/operation.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { checkCursor, oldestChange } from '../log/cursors.ts'
import { lastChange } from '../log/log.ts'
import { type ChangeFilter, ChangeWriter, headsOf, selectAfter } from '../log/read.ts'
import {
  actorsNamed,
  countChanges,
  firstAround,
  type LoggedTransaction,
  transactionsBefore,
  undoneBy,
} from '../log/transactions.ts'
import { labelOf } from '../objects/current.ts'
import type { Reader } from '../storage/reader.ts'
import { CHANGE_KINDS } from '../storage/schema/changes.ts'
import { endPosition, parseFeedRequest } from './feed.ts'
import type { TransactionsQuery } from './schema.ts'
import { visibleTo } from './visible.ts'

const DEFAULT_TRANSACTIONS = 50
/** Maximum number of objects named per transaction. */
const NAMED = 5
/** Maximum number of consecutive changes skipped by a filter; then the page ends. */
const MAX_SCANNED = 1_000_000

/** A page of the transactions before a cursor, or of the latest ones, newest first. */
export const listTransactions = read({
  name: 'change-feed.transactions',
  covers: 'several',
  run: (snapshot, caller, request: Static<typeof TransactionsQuery>) => {
    const { before: cursor = 'now', limit = DEFAULT_TRANSACTIONS, actor } = request
    if (cursor !== 'now') checkCursor(cursor, 'before')
    const { kinds, structureId } = parseFeedRequest(snapshot, caller, request, CHANGE_KINDS)
    const before = endPosition(snapshot, caller.workspacePk, cursor)
    const filter: ChangeFilter = {
      ...visibleTo(caller),
      userId: caller.userId,
      ...(kinds && { kinds }),
      ...(structureId !== undefined && { structureId }),
      ...(actor !== undefined && { actors: actorsNamed(snapshot, actor) }),
    }
    return write(snapshot, caller, filter, find(snapshot, caller, { filter, before, limit }))
  },
})

interface Found {
  readonly transactions: readonly LoggedTransaction[]
  /** The position from which to continue. */
  readonly position: number
  readonly hasMore: boolean
}

const isFiltered = ({ kinds, structureId, actors, visible }: ChangeFilter): boolean =>
  [kinds, structureId, actors, visible].some((part) => part !== undefined)

interface Page {
  readonly filter: ChangeFilter
  /** The number of the change before which the page begins. */
  readonly before: number
  readonly limit: number
}

function find(reader: Reader, { workspacePk }: Caller, { filter, before, limit }: Page): Found {
  if (filter.actors?.length === 0) return { transactions: [], position: before - 1, hasMore: false }
  const oldest = oldestChange(reader, workspacePk)
  const end = Math.max(oldest, before - MAX_SCANNED)
  // The page ends between two transactions.
  const downTo = isFiltered(filter) ? Math.max(oldest, firstAround(reader, workspacePk, end)) : oldest
  const transactions: LoggedTransaction[] = []
  for (const found of transactionsBefore(reader, workspacePk, { before, downTo }, filter)) {
    const last = transactions.at(-1)
    if (transactions.length === limit && last) return { transactions, position: last.first, hasMore: true }
    transactions.push(found)
  }
  return {
    transactions,
    position: Math.min(before, downTo, lastChange(reader, workspacePk)),
    hasMore: downTo > oldest,
  }
}

function write(reader: Reader, caller: Caller, { userId, visible }: ChangeFilter, found: Found) {
  const { workspacePk } = caller
  const seen = { ...(userId !== undefined && { userId }), visible }
  const writer = new ChangeWriter(reader, workspacePk)
  const oldest = oldestChange(reader, workspacePk)
  const { cursorOf } = writer
  const written = found.transactions.map(({ first, last, at, actor }) => {
    // Retention may have removed the first changes.
    const kept = Math.max(first, oldest)
    const range = { after: kept - 1, upTo: last, limit: NAMED }
    const named = headsOf(reader, selectAfter(workspacePk, range, seen))
    const undoing = undoneBy(reader, workspacePk, first)
    return {
      transaction: cursorOf(first),
      cursor: cursorOf(last),
      at: isoTimestamp(at),
      actor: writer.actorOf(actor).presented,
      counts: countChanges(reader, workspacePk, { first: kept, last }, seen),
      objects: named.map((change) => ({
        kind: change.kind,
        id: change.id,
        op: change.operation,
        structure_id: change.structureId,
        label: labelOf(reader, caller, change),
      })),
      undone_by: undoing === undefined ? null : cursorOf(undoing),
    }
  })
  return { transactions: written, cursor: cursorOf(found.position), has_more: found.hasMore }
}
