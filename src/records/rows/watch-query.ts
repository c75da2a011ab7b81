import type { InWorkspace } from '../../context.ts'
import type { RawCondition } from '../../filter/record/parse.ts'
import type { Rights } from '../../kernel/caller.ts'
import { read } from '../../kernel/operation.ts'
import { sha256 } from '../../lib/sha256.ts'
import { lastChange } from '../../log/log.ts'
import type { Reader } from '../../storage/reader.ts'
import { definitionOf, type StructureRow } from '../structures/store.ts'
import { expandedMembers, expandedStructures } from './query/expand.ts'
import { type ListRequest, type ListResult, listPage, planList } from './query/list.ts'
import { type ParsedRequest, parseRequest } from './query/row-query.ts'
import { learnOfRows } from './query/total-cache.ts'

const DIGITS = 12

type PageRequest = ListRequest & { expand?: string }
export type WatchRequest = Omit<PageRequest, 'offset'> & { changes?: boolean }

/**
 * Parses and checks the request as the list does, and returns it in canonical form. Memoized, because many equal
 * requests may arrive at once.
 */
export function watchQuery(
  reader: Reader,
  caller: InWorkspace,
  { changes: _, ...sent }: WatchRequest,
): WatchQuery {
  const { workspacePk, userId, rights } = caller
  // The view may be personal to the user, and "me" is the user; JSON may write it with escapes.
  const isPersonal = sent.view !== undefined || /"me"|\\/.test(sent.filter ?? '')
  const of = isPersonal ? [workspacePk, userId] : [workspacePk]
  const key = `watch ${of} ${JSON.stringify([rights, sent])}`
  return reader.sql.memoize(key, () => checkedQuery(reader, caller, of, sent))
}

function checkedQuery(
  reader: Reader,
  caller: InWorkspace,
  of: readonly unknown[],
  { expand, ...sent }: Omit<PageRequest, 'offset'>,
): WatchQuery {
  const request = parseRequest(sent)
  const { query, direction, page } = planList(reader, { caller, request })
  const structureId = query.structure.id
  const shown = expand === undefined ? [] : expandedStructures(reader, caller, query.structure, expand)
  const linked = linkedStructures(query.structure)
  // Expanded objects and roll-ups depend on the caller's access.
  const dependsOnAccess = expand !== undefined || linked.length > 0
  const rights = dependsOnAccess ? caller.rights : undefined
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
    ...(expand !== undefined && { expand }),
  }
  const key = JSON.stringify([...of, canonical, ...(dependsOnAccess ? [rights ?? null, linked] : [])])
  const digest = sha256(key).slice(0, DIGITS)
  const structureIds = [...new Set([structureId, ...shown, ...linked])]
  return {
    ...{ workspacePk: caller.workspacePk, structureId, structureIds, linked, dependsOnAccess, rights },
    ...{ request: canonical, key, digest },
  }
}

/** All conditions must hold, so neither their order nor repetitions matter. The same applies to lists of values. */
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

/** The ids of the structures whose rows the roll-ups of a structure count. */
export const linkedStructures = (structure: StructureRow): string[] => [
  ...new Set(definitionOf(structure).rollups.flatMap(({ rollup }) => rollup?.via.structure ?? [])),
]

/** The query of a channel in canonical form; equivalent queries have the same key. */
export interface WatchQuery {
  readonly workspacePk: number
  readonly structureId: string
  /** The structures whose changes may change the page. */
  readonly structureIds: readonly string[]
  /** The structures that roll-ups count when the query is checked. */
  readonly linked: readonly string[]
  readonly dependsOnAccess: boolean
  /** The access that the page depends on; undefined if it is the same for all readers. */
  readonly rights: Rights | undefined
  /** Names the structure by its id, because its name may change. */
  readonly request: ParsedRequest<PageRequest>
  readonly key: string
  /** The hash of the key, which the ids of its events contain. */
  readonly digest: string
}

/** A page of the list, and the number of the workspace's last change when it was read. */
export type WatchResult = ListResult & {
  readonly position: number
  /** Further members of its answer, after a comma. */
  readonly expanded: string
}

export const watchPage = read({
  name: 'records.watch',
  covers: 'structures',
  run: (snapshot, caller, { expand, ...request }: ParsedRequest<PageRequest>): WatchResult => {
    const position = lastChange(snapshot, caller.workspacePk)
    const { structure, page } = listPage(snapshot, { caller, request })
    const expanded =
      expand === undefined ? '' : expandedMembers(snapshot, caller, structure, page.rows, expand)
    return { position, structure, page, expanded }
  },
  learn: learnOfRows,
})
