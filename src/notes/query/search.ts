import { NOWHERE } from '../../kernel/caller.ts'
import type { Page, PageRequest } from '../../lib/pagination.ts'
import type { Phrase } from '../../lib/words.ts'
import type { Reader } from '../../storage/reader.ts'
import type { SqlPart } from '../../storage/sql.ts'
import { type Matches, matchesOf, type SearchScope, type Term, termsOf } from '../search/matches.ts'
import { findUnindexed } from '../search/unindexed.ts'
import { bitsetOf, complementOf, intersection } from './bitset.ts'
import type { Evaluation, Matching } from './evaluate.ts'
import { type MatchOrder, matchingPage, NEWEST_FIRST } from './page.ts'

/** Ranking more matches than this takes too long; see `byTiers`. */
const RANK_LIMIT = 20_000

/** Reads the pks as one JSON text, which is many times faster than one row each. */
const pksOf = ({ sql }: Reader, { set: { text, values } }: Matches): number[] =>
  JSON.parse(sql.scalar<string>(`SELECT json_group_array(pk) FROM (${text})`, ...values))

const count = ({ sql }: Reader, { set: { text, values } }: Matches): number =>
  sql.scalar(`SELECT count(*) FROM (${text})`, ...values)

/** The terms that a search looks up in the search tables, and the matching notes outside them. */
interface Found {
  readonly scope: SearchScope
  readonly terms: readonly Term[]
  /** Matching notes that are not up to date in the tables, newest edit first. */
  readonly unindexed: readonly number[]
}

function foundBy(reader: Reader, scope: SearchScope, phrases: readonly Phrase[]): Found {
  const terms = termsOf(reader, scope.workspace, phrases)
  const { pks, found } = findUnindexed(reader, scope, phrases)
  const except = pks.length === 0 ? undefined : JSON.stringify(pks)
  return { scope: { ...scope, except }, terms, unindexed: found }
}

/** The pks of all notes that match the phrases, in no particular order. */
export function findMatches(reader: Reader, scope: SearchScope, phrases: readonly Phrase[]): number[] {
  if (phrases.length === 0 || scope.workspace === NOWHERE) return []
  const { scope: indexed, terms, unindexed } = foundBy(reader, scope, phrases)
  return [...pksOf(reader, matchesOf(reader, indexed, terms)), ...unindexed]
}

/**
 * The pks of one page of the notes that match the phrases, by rank or in the given order, and the exact total. Notes
 * written while the search begins precede the ranked ones.
 */
export function findPks(
  evaluation: Evaluation,
  scope: Omit<SearchScope, 'workspace'>,
  phrases: readonly Phrase[],
  order: MatchOrder | undefined,
  page: PageRequest,
  rankLimit = RANK_LIMIT,
): Page<number> {
  const { reader, workspace } = evaluation
  if (phrases.length === 0 || workspace === NOWHERE) return { items: [], total: 0 }
  if (order !== undefined) {
    const matching = matchingOf(evaluation, findMatches(reader, { ...scope, workspace }, phrases))
    return { items: matchingPage(evaluation, matching, order, page), total: matching.total }
  }
  const found = foundBy(reader, { ...scope, workspace }, phrases)
  const { unindexed } = found
  const first = unindexed.slice(page.offset, page.offset + page.limit)
  const rest = {
    limit: page.limit - first.length,
    offset: Math.max(0, page.offset - unindexed.length),
  }
  const isCostly = phrases.some(({ terms }) => terms.length > 1)
  const { items, total } = rankedPage(evaluation, found, rest, rankLimit, isCostly)
  return { items: [...first, ...items], total: total + unindexed.length }
}

const matchingOf = ({ size }: Evaluation, pks: readonly number[]): Matching => ({
  set: bitsetOf(pks, size),
  total: pks.length,
})

/** `isCostly` means that finding the matches takes longer than ranking them, so they are found only once. */
function rankedPage(
  evaluation: Evaluation,
  { scope, terms }: Found,
  page: PageRequest,
  rankLimit: number,
  isCostly: boolean,
): Page<number> {
  const { reader } = evaluation
  const matches = matchesOf(reader, scope, terms)
  const few = isCostly ? rankedIfFew(evaluation, matches, page, rankLimit) : undefined
  if (few) return few
  // All notes of a small workspace may be ranked, so nothing needs to be counted first.
  if (evaluation.live <= rankLimit) return rankedAndCounted(evaluation, matches, page)
  const top = matchesOf(reader, scope, terms, true)
  const topCount = count(reader, top)
  // If the hits in titles and tags fill the page, the others are only counted.
  const pks = page.offset + page.limit <= topCount ? [] : pksOf(reader, matches)
  const total = pks.length || count(reader, matches)
  if (page.limit === 0 || page.offset >= total) return { items: [], total }
  if (total <= rankLimit) return { items: ranked(evaluation, matches, page), total }
  return { items: byTiers(evaluation, { top, topCount, pks }, page), total }
}

/** `ORDER BY` rank; equal ranks by id. While pk order equals id order, the pk is used instead. */
const byRank = ({ inOrder }: Evaluation, pk: string): string =>
  `ORDER BY score, ${inOrder ? pk : `(SELECT id FROM notes n WHERE n.pk = ${pk})`}`

function ranked(evaluation: Evaluation, matches: Matches, page: PageRequest): number[] {
  const { text, values } = rankedSql(evaluation, matches.scored())
  return evaluation.reader.sql.column(text, ...values, page.limit, page.offset)
}

/** Counts the matches only if the page does not show the last one. */
function rankedAndCounted(evaluation: Evaluation, matches: Matches, page: PageRequest): Page<number> {
  const items = page.limit === 0 ? [] : ranked(evaluation, matches, page)
  const showsLast = items.length < page.limit && (items.length > 0 || page.offset === 0)
  return { items, total: showsLast ? page.offset + items.length : count(evaluation.reader, matches) }
}

const rankedSql = (evaluation: Evaluation, { text, values }: SqlPart): SqlPart => ({
  text: evaluation.inOrder
    ? `${text} ${byRank(evaluation, 'pk')} LIMIT ? OFFSET ?`
    : `SELECT m.pk FROM (${text}) m ${byRank(evaluation, 'm.pk')} LIMIT ? OFFSET ?`,
  values,
})

/** Finds and ranks in one step; undefined if more than `rankLimit` match. */
function rankedIfFew(
  evaluation: Evaluation,
  matches: Matches,
  page: PageRequest,
  rankLimit: number,
): Page<number> | undefined {
  const { text, values } = matches.scored()
  const [[total, items] = [0, '[]']] = evaluation.reader.sql.rows<[total: number, items: string]>(
    `WITH scored AS MATERIALIZED (${text} LIMIT ${rankLimit + 1})
     SELECT (SELECT count(*) FROM scored), (SELECT json_group_array(pk) FROM (
       SELECT pk FROM scored ${byRank(evaluation, 'scored.pk')} LIMIT ? OFFSET ?))`,
    ...values,
    page.limit,
    page.offset,
  )
  return total > rankLimit ? undefined : { items: JSON.parse(items), total }
}

interface Tiers {
  readonly top: Matches
  readonly topCount: number
  /** The pks of all matches, including those of `top`. */
  readonly pks: readonly number[]
}

/**
 * For many matches: first those with every word in title or tags, by rank, then the others, newest edit first. Both
 * tiers have a fixed order, so paging across them is stable.
 */
function byTiers(evaluation: Evaluation, { top, topCount, pks }: Tiers, page: PageRequest): number[] {
  const { reader, size } = evaluation
  const fromTop = page.offset < topCount ? ranked(evaluation, top, page) : []
  const missing = page.limit - fromTop.length
  if (missing === 0) return fromTop
  const others = {
    set: intersection(bitsetOf(pks, size), complementOf(bitsetOf(pksOf(reader, top), size))),
    total: pks.length - topCount,
  }
  const rest = { limit: missing, offset: Math.max(0, page.offset - topCount) }
  return [...fromTop, ...matchingPage(evaluation, others, NEWEST_FIRST, rest)]
}
