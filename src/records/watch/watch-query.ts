import { type InWorkspace, placeOf } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { RawCondition } from '../../filter/record/parse.ts'
import { type ListRequest, planList } from '../query/list.ts'
import { type ParsedRequest, parseRequest } from '../query/row-query.ts'

/** A watch as a client requests it. */
export type WatchRequest = Omit<ListRequest, 'offset'> & { changes?: boolean }

/** Parses and checks the request as the list does, and brings it into a canonical form. Memoized, because many equal ones may arrive at once. */
export const watchQuery = (
  reader: Reader,
  caller: InWorkspace,
  { changes: _, ...sent }: WatchRequest,
): WatchQuery => {
  const { workspacePk, userId, rights } = caller
  // A view may be one that the user alone sees.
  const of = sent.view === undefined ? [workspacePk] : [workspacePk, userId]
  return reader.sql.memoize(`watch ${of} ${JSON.stringify([rights, sent])}`, () =>
    checkedQuery(reader, placeOf(caller), of, sent),
  )
}

function checkedQuery(
  reader: Reader,
  caller: InWorkspace,
  of: readonly unknown[],
  sent: Omit<WatchRequest, 'changes'>,
): WatchQuery {
  const request = parseRequest(sent)
  const { query, direction, page } = planList(reader, { caller, request })
  const structureId = query.structure.id
  const { view, search } = sent
  const order =
    view === undefined
      ? { sort: request.sort ?? 'created_at', direction }
      : { view, sort: request.sort, direction: request.direction }
  const canonical = {
    structure: structureId,
    filter: canonicalFilter(request.filter),
    ...(search !== undefined && { search }),
    ...order,
    limit: page.limit,
  }
  return {
    workspacePk: caller.workspacePk,
    structureId,
    request: canonical,
    key: JSON.stringify([...of, canonical]),
  }
}

/** All conditions must hold, so neither their order nor a repetition matters; the same goes for lists of values. */
const canonicalFilter = (filter: readonly RawCondition[]): RawCondition[] =>
  canonicalList(
    filter.map(({ field, op, value }) => ({
      field,
      op,
      value: Array.isArray(value) ? canonicalList(value) : (value ?? undefined),
    })),
  )

const canonicalList = <Item>(items: readonly Item[]): Item[] =>
  [...new Set(items.map((item) => JSON.stringify(item)))].sort().map((text) => JSON.parse(text) as Item)

/** The query of a channel in canonical form; equivalent queries have the same key. */
export interface WatchQuery {
  readonly workspacePk: number
  readonly structureId: string
  /** Names the structure by its id, because its name may change. */
  readonly request: ParsedRequest<ListRequest>
  readonly key: string
}
