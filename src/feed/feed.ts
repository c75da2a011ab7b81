import type { Static } from '@sinclair/typebox'
import type { InWorkspace } from '../context.ts'
import type { JsonBody } from '../http/responses.ts'
import type { Caller } from '../kernel/caller.ts'
import { may } from '../kernel/caller.ts'
import { read } from '../kernel/operation.ts'
import { encoded } from '../lib/encoding.ts'
import { isId } from '../lib/ids.ts'
import { atPlace, cursorExpired, fail, invalid, notFound } from '../lib/refusal.ts'
import { checkCursor, findPosition, getPosition, oldestChange, refuseExpired } from '../log/cursors.ts'
import { endOfKeys, keyOf, lastChange } from '../log/log.ts'
import {
  type Change,
  type ChangeFilter,
  ChangeWriter,
  changesAfter,
  eachChange,
  selectAfter,
  selectBefore,
  takeTransactions,
} from '../log/read.ts'
import { CurrentObjects } from '../objects/current.ts'
import { findStructure } from '../records/structures/store.ts'
import type { Reader } from '../storage/reader.ts'
import { CHANGE_KINDS, type ChangeKind } from '../storage/schema/changes.ts'
import type { SqlPart } from '../storage/sql.ts'
import type { ChangesQuery } from './schema.ts'
import { visibleTo } from './visible.ts'

/** The changes, and their parts, that a reader of the feed requests; excludes its position. */
export interface FeedQuery extends Pick<ChangeFilter, 'kinds' | 'structureId'> {
  readonly includesObjects: boolean
  /** Whether notes among the objects have `edited_at`. */
  readonly isEdited?: boolean
  readonly limit: number
}

type FeedRequest = Pick<Static<typeof ChangesQuery>, 'kinds' | 'structure' | 'include' | 'edited' | 'limit'>

const DEFAULT_CHANGES = 100

/** Parses the request; refuses unknown kinds and structures. */
export function parseFeedRequest(
  reader: Reader,
  caller: InWorkspace,
  { kinds, structure, include, edited = false, limit = DEFAULT_CHANGES }: FeedRequest,
  known: readonly ChangeKind[],
): FeedQuery {
  return {
    includesObjects: include === 'objects',
    isEdited: edited,
    limit,
    ...(kinds !== undefined && { kinds: parseKinds(kinds, known) }),
    ...(structure !== undefined && { structureId: structureIdOf(reader, caller, structure) }),
  }
}

function parseKinds(text: string, known: readonly ChangeKind[]): ChangeKind[] {
  const kinds = text.split(',').map((name) => {
    const kind = known.find((one) => one === name)
    return (
      kind ??
      fail(
        invalid(
          `"kinds" must be names of kinds with commas between them, of ${known.join(', ')}.`,
          atPlace('kinds'),
        ),
      )
    )
  })
  return [...new Set(kinds)].sort()
}

/** A deleted structure can still be named by its id, while the log contains its changes. */
function structureIdOf(reader: Reader, caller: InWorkspace, nameOrId: string): string {
  const structure = findStructure(reader, caller, nameOrId)
  if (structure) return structure.id
  const { workspacePk, rights } = caller
  const isLogged = isId(nameOrId) && may(rights, nameOrId, 'see') && isInLog(reader, workspacePk, nameOrId)
  return isLogged ? nameOrId : fail(notFound('structure'))
}

const isInLog = ({ sql }: Reader, workspace: number, id: string): boolean =>
  sql.get(
    'SELECT 1 FROM changes WHERE object = ? AND structure = object AND key > ? AND key < ? LIMIT 1',
    Buffer.from(id.replaceAll('-', ''), 'hex'),
    keyOf(workspace, 0),
    endOfKeys(workspace),
  ) !== undefined

/**
 * The number of the change after which a reader continues: `now`, a cursor, or by default before the oldest stored
 * change.
 */
export function startPosition(reader: Reader, workspace: number, after: string | undefined): number {
  if (after === undefined) return oldestChange(reader, workspace) - 1
  if (after === 'now') return lastChange(reader, workspace)
  return getPosition(reader, workspace, after, 'after')
}

interface PageInput {
  readonly query: FeedQuery
  readonly after: number
  /** Whether each change is returned separately. */
  readonly isStream: boolean
}

/** The changes that a query selects, limited to those that the caller may see. */
const filterOf = ({ kinds, structureId }: FeedQuery, caller: Caller): ChangeFilter => ({
  ...(kinds && { kinds }),
  ...(structureId !== undefined && { structureId }),
  userId: caller.userId,
  ...visibleTo(caller),
})

const bodyOf = (changes: readonly { json: string }[], cursor: string, hasMore: boolean): JsonBody =>
  encoded(
    `{"changes":[${changes.map(({ json }) => json).join(',')}],"cursor":"${cursor}","has_more":${hasMore}}`,
  )

/** Maximum number of consecutive changes skipped by a filter; then the page ends. */
const MAX_SCANNED = 200_000
/** A page ends after a transaction once its text exceeds this length. */
const MAX_PAGE_LENGTH = 2_097_152

interface Found {
  readonly changes: readonly Change[]
  /** The position from which to continue. */
  readonly position: number
  readonly hasMore: boolean
}

/**
 * The first changes of a selection that begins after `start`. The page takes its position from `end` if it contains all
 * of them. A transaction is split only if it has more changes than fit on one page.
 */
function pageOf(
  reader: Reader,
  selected: SqlPart,
  limit: number,
  start: number,
  end: Omit<Found, 'changes'>,
): Found {
  const { taken: found, isCut } = takeTransactions(eachChange(reader, selected), MAX_PAGE_LENGTH)
  const next = found[limit]
  if (!next && !isCut) return { changes: found, ...end }
  const cut = isCut ? found.length : found.findIndex(({ first }) => first === next?.first)
  const changes = found.slice(0, cut > 0 ? cut : limit)
  return { changes, position: changes.at(-1)?.number ?? start, hasMore: true }
}

/**
 * The last change that one page reads. It never splits a transaction, unless the transaction alone exceeds the page.
 */
function scanEnd(reader: Reader, workspace: number, after: number, last: number): number {
  const end = after + MAX_SCANNED
  if (end >= last) return last
  const [next] = changesAfter(reader, workspace, { after: end, upTo: end + 1, limit: 1 })
  return next && next.first > after + 1 ? next.first - 1 : end
}

export interface FeedPage {
  readonly count: number
  /** The changes as requested: the JSON text of a list, or for a stream each separately with its cursor. */
  readonly changes: JsonBody | readonly { readonly cursor: string; readonly json: string }[]
  readonly position: number
  readonly cursor: string
  readonly hasMore: boolean
}

/** Writes the found changes as JSON; a page with much text ends early. */
function write(
  reader: Reader,
  caller: Caller,
  { includesObjects, isEdited = false }: FeedQuery,
  found: Found,
  isStream: boolean,
): FeedPage {
  const writer = new ChangeWriter(reader, caller.workspacePk)
  const objects = includesObjects ? new CurrentObjects(reader, { ...caller, isEdited }) : undefined
  objects?.loadRecords(recordIdsOf(found.changes))
  const changes: { cursor: string; json: string }[] = []
  let { position, hasMore } = found
  let length = 0
  let before: Change | undefined
  for (const change of found.changes) {
    if (length > MAX_PAGE_LENGTH && before && before.first !== change.first) {
      position = before.number
      hasMore = true
      break
    }
    const { kind, id, structureId } = change
    const object = objects ? `,"object":${objects.jsonOf(kind, id, structureId)}` : ''
    const json = `{${writer.changeMembers(change)}${object}}`
    length += json.length
    changes.push({ cursor: writer.cursorOf(change.number), json })
    before = change
  }
  const { length: count } = changes
  const cursor = writer.cursorOf(position)
  if (isStream) return { count, changes, position, cursor, hasMore }
  return { count, changes: bodyOf(changes, cursor, hasMore), position, cursor, hasMore }
}

const recordIdsOf = (changes: readonly Change[]): string[] => [
  ...new Set(changes.flatMap(({ kind, id }) => (kind === 'record' ? [String(id)] : []))),
]

/** The page after a position. Refuses a position whose later changes retention has removed. */
function pageAfter(reader: Reader, caller: Caller, { query, after, isStream }: PageInput): FeedPage {
  const { workspacePk } = caller
  refuseExpired(reader, workspacePk, after)
  const last = lastChange(reader, workspacePk)
  const upTo = scanEnd(reader, workspacePk, after, last)
  const range = { after, upTo, limit: query.limit + 1 }
  const selected = selectAfter(workspacePk, range, filterOf(query, caller))
  const end = { position: Math.max(after, upTo), hasMore: upTo < last }
  return write(reader, caller, query, pageOf(reader, selected, query.limit, after, end), isStream)
}

const covers = 'several'

type ForwardRequest = FeedRequest & { readonly after?: string | undefined }

/** Parses a request that reads forward; refuses malformed and expired cursors. */
function parseForward(reader: Reader, caller: Caller, request: ForwardRequest) {
  const { after } = request
  if (after !== undefined && after !== 'now') checkCursor(after, 'after')
  const query = parseFeedRequest(reader, caller, request, CHANGE_KINDS)
  return { query, position: startPosition(reader, caller.workspacePk, after) }
}

/** The query of a request, and the position at which its stream begins. */
export const beginStream = read({ name: 'change-feed.begin', covers, run: parseForward })

/** The query of a request, and its first page. */
export const readChanges = read({
  name: 'change-feed.read',
  covers,
  run: (snapshot, caller, request: ForwardRequest) => {
    const { query, position: after } = parseForward(snapshot, caller, request)
    return { query, page: pageAfter(snapshot, caller, { query, after, isStream: false }) }
  },
})

/** A later page of a query. */
export const readNextChanges = read({ name: 'change-feed.next', covers, run: pageAfter })

/** Refuses malformed cursors, and parameters that only forward readers can use. */
export function checkBackwards(query: {
  readonly before: string
  readonly after?: string
  readonly wait?: number
  readonly isStream: boolean
}): void {
  const { before, after, wait, isStream } = query
  if (before !== 'now') checkCursor(before, 'before')
  if (isStream)
    throw invalid('"before" reads pages; leave it out to follow the changes as a stream.', atPlace('before'))
  const other = after !== undefined ? 'after' : wait !== undefined ? 'wait' : undefined
  if (other)
    throw invalid(
      `"before" reads towards older changes; it does not go together with "${other}".`,
      atPlace('before'),
    )
}

/** The number below which a page begins: that of the cursor, or for `now` one more than the last change. */
export function endPosition(reader: Reader, workspace: number, before: string): number {
  if (before === 'now') return lastChange(reader, workspace) + 1
  return (
    findPosition(reader, workspace, before) ??
    fail(cursorExpired('The cursor comes from another state of the database; begin again with before=now.'))
  )
}

/** A page of the changes before a cursor, or of the latest ones, newest first. */
export const readNewestFirst = read({
  name: 'change-feed.newest-first',
  covers,
  run: (snapshot, caller, request: FeedRequest & { readonly before: string }): JsonBody => {
    const { workspacePk } = caller
    const query = parseFeedRequest(snapshot, caller, request, CHANGE_KINDS)
    const before = endPosition(snapshot, workspacePk, request.before)
    const first = oldestChange(snapshot, workspacePk)
    const downTo = Math.max(first, before - MAX_SCANNED)
    const range = { before, downTo, limit: query.limit + 1 }
    const selected = selectBefore(workspacePk, range, filterOf(query, caller))
    const position = Math.min(before, downTo, lastChange(snapshot, workspacePk))
    const found = pageOf(snapshot, selected, query.limit, before, { position, hasMore: downTo > first })
    return write(snapshot, caller, query, found, false).changes as JsonBody
  },
})
