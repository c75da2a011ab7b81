import type { Static } from '@sinclair/typebox'
import type { ValueKind } from '../../filter/operators.ts'
import {
  type CheckedTree,
  checkTree,
  type FilterTree,
  parseTree,
  type TreeDefinitions,
  treeReferences,
} from '../../filter/tree/parse.ts'
import { read, type Snapshot } from '../../kernel/operation.ts'
import { memoize } from '../../lib/bounded-cache.ts'
import { utcDay } from '../../lib/dates.ts'
import { type Page, type PageRequest, pageRequest } from '../../lib/pagination.ts'
import { fail, refused } from '../../lib/refusal.ts'
import type { Phrase } from '../../lib/words.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Direction } from '../../storage/sql.ts'
import type { QueryBody } from '../schema.ts'
import { bitsetOf, intersection, isIn, pksOf } from './bitset.ts'
import type { FIELD_INDEXES } from './conditions.ts'
import { type Evaluation, evaluationOf, type Matching, matchTree } from './evaluate.ts'
import { type MatchOrder, matchingPage, NEWEST_FIRST, notePageJson, type ShownParts } from './page.ts'
import { findMatches, findPks } from './search.ts'
import { pageOfAny, phrasesIn, type SearchMode } from './search-any.ts'

/** The sort of notes: by a field, or by a property given by its id. */
export interface NoteSort {
  readonly field: keyof typeof FIELD_INDEXES | 'property'
  readonly direction: Direction
  /** Only with the field `property`. */
  readonly property?: string
}

export const NEWEST_EDIT_FIRST: NoteSort = { field: 'updated_at', direction: 'desc' }

/** The default direction of a sort; timestamps are sorted newest first. */
export const usualDirection = (field: NoteSort['field']): Direction =>
  field.endsWith('_at') ? 'desc' : 'asc'

/** A query by filter tree. */
export interface TreeQuery {
  /** Null matches every note. */
  readonly filter: FilterTree | null
  readonly search?: string
  readonly match?: SearchMode | undefined
  /** By default newest edit first; for a search by rank. */
  readonly sort?: NoteSort
  readonly page: PageRequest
  readonly shown?: ShownParts
}

type QueryRequest = Static<typeof QueryBody>

/**
 * One page of the active notes that match a filter tree. By default newest edit first, or by rank for a search. A
 * search finds only indexed notes, so call `refreshSearch` first.
 */
export const queryNotes = read({
  name: 'notes.query',
  covers: 'notes',
  run: (snapshot, caller, { body }: { body: QueryRequest }) => {
    const { filter, search, match, sort: field, direction, content, excerpt, ...page } = body
    const by = field ?? (search === undefined ? NEWEST_EDIT_FIRST.field : undefined)
    return notesByTree(snapshot, caller.workspacePk, {
      filter: parseTree(filter, 'filter'),
      ...(search !== undefined && { search }),
      match,
      ...(by && { sort: { field: by, direction: direction ?? usualDirection(by) } }),
      page: pageRequest(page),
      shown: { content, excerpt },
    })
  },
})

/** One page of the active notes that match a parsed tree. */
export const listByTree = read({
  name: 'notes.by-tree',
  covers: 'notes',
  run: (snapshot, caller, query: TreeQuery) => notesByTree(snapshot, caller.workspacePk, query),
})

/** The response with a page of the notes that match a tree now. Relative days refer to the day of the snapshot. */
export function notesByTree(
  snapshot: Snapshot,
  workspace: number,
  { filter, search, match, sort, page, shown = {} }: TreeQuery,
): string {
  const tree = checkedTree(snapshot, workspace, filter, 'filter')
  const evaluation = evaluationOf(snapshot, workspace, utcDay(snapshot.now))
  const order = sort && orderOf(snapshot, workspace, sort)
  const phrases = phrasesIn(search, match)
  const find = (): Page<number> =>
    phrases
      ? (match === 'any' ? searchedByAny : searched)(evaluation, tree, phrases, order, page)
      : paged(evaluation, matchTree(evaluation, tree), order ?? NEWEST_FIRST, page)
  return notePageJson(snapshot, { page, shown, isByEdit: sort?.field === 'edited_at', phrases, find })
}

function orderOf(reader: Reader, workspace: number, { field, direction, property }: NoteSort): MatchOrder {
  if (field !== 'property') return { by: field, direction }
  const definition =
    treeDefinitions(reader, workspace).property(property ?? '') ??
    fail(refused('The property that the notes are sorted by does not exist; change the sort.'))
  return { by: 'property', property: definition, direction }
}

const paged = (
  evaluation: Evaluation,
  matching: Matching,
  order: MatchOrder,
  page: PageRequest,
): Page<number> => ({ items: matchingPage(evaluation, matching, order, page), total: matching.total })

/** One page of the notes that match both the search and the tree, by default in rank order. */
function searched(
  evaluation: Evaluation,
  tree: CheckedTree,
  phrases: readonly Phrase[],
  order: MatchOrder | undefined,
  page: PageRequest,
): Page<number> {
  const { reader, workspace, size } = evaluation
  const found = findMatches(reader, { workspace }, phrases)
  const { set } = matchTree(evaluation, tree, found.length <= evaluation.candidateLimit ? found : undefined)
  const both = intersection(bitsetOf(found, size), set)
  const among = pksOf(both)
  if (order) return paged(evaluation, { set: both, total: among.length }, order, page)
  const scope = among.length === found.length ? {} : { among: JSON.stringify(among) }
  return findPks(evaluation, scope, phrases, undefined, page)
}

/** The same for the notes that match at least one phrase. */
function searchedByAny(
  evaluation: Evaluation,
  tree: CheckedTree,
  phrases: readonly Phrase[],
  order: MatchOrder | undefined,
  page: PageRequest,
): Page<number> {
  const { set } = matchTree(evaluation, tree)
  return pageOfAny(evaluation, {}, phrases, order, page, (pk) => isIn(set, pk))
}

/* Views, lenses and subscriptions store a parsed tree as JSON, or null for every note. */

const TAG = 'SELECT name FROM tags WHERE id = ? AND workspace = ?'
const PROPERTY = 'SELECT pk, key, type FROM properties WHERE id = ? AND workspace = ?'

/** Looks up the tags and properties of a workspace that trees reference, each once. */
export const treeDefinitions = ({ sql }: Reader, workspace: number): TreeDefinitions => ({
  tag: memoize((id) => sql.get<{ name: string }>(TAG, id, workspace)),
  property: memoize((id) => sql.get<{ pk: number; key: string; type: ValueKind }>(PROPERTY, id, workspace)),
})

const EVERY_NOTE: CheckedTree = { kind: 'group', match: 'all', children: [] }

/**
 * A tree checked against the workspace, ready for evaluation; null matches every note. `place` names it in refusals.
 */
export const checkedTree = (
  reader: Reader,
  workspace: number,
  tree: FilterTree | null,
  place: string,
): CheckedTree => (tree ? checkTree(tree, treeDefinitions(reader, workspace), place) : EVERY_NOTE)

/** The JSON text in which a tree is stored; checks the tree first. */
export function storedTree(
  reader: Reader,
  workspace: number,
  tree: FilterTree | null,
  place: string,
): string | null {
  checkedTree(reader, workspace, tree, place)
  return tree && JSON.stringify(tree)
}

/**
 * A stored tree. It was parsed and checked before storage, and the objects that it references cannot be deleted
 * meanwhile.
 */
export const readStoredTree = (stored: string | null): FilterTree | null =>
  stored === null ? null : JSON.parse(stored)

/** The ids of the tags and properties that a stored tree references. */
export function storedTreeReferences(stored: string | null): ReturnType<typeof treeReferences> {
  const tree = readStoredTree(stored)
  return tree ? treeReferences(tree) : { tagIds: [], propertyIds: [] }
}
