import { NOWHERE } from '../../kernel/caller.ts'
import type { Page, PageRequest } from '../../lib/pagination.ts'
import { atPlace, invalid } from '../../lib/refusal.ts'
import { type Phrase, parseSearch } from '../../lib/words.ts'
import type { SearchScope } from '../search/matches.ts'
import { bitsetOf } from './bitset.ts'
import type { Evaluation } from './evaluate.ts'
import { type MatchOrder, matchingPage, NEWEST_FIRST } from './page.ts'
import { findMatches } from './search.ts'

/** How a search matches, if not by every word: by at least one, or by the beginnings of words. */
export type SearchMode = 'any' | 'prefix'

/** The phrases of a request; undefined without a search. Refuses `match` without a search. */
export function phrasesIn(search: string | undefined, match: SearchMode | undefined): Phrase[] | undefined {
  if (search !== undefined) return parseSearch(search, match === 'prefix')
  if (match === undefined) return undefined
  throw invalid('"match" says how "search" matches; send it with "search" only.', atPlace('match'))
}

/**
 * One page of the notes with at least one of the wanted phrases and none of the excluded ones: in the given order, or
 * those with most phrases first, newest edit first among them. `isWanted` narrows them further.
 */
export function pageOfAny(
  evaluation: Evaluation,
  scope: Omit<SearchScope, 'workspace'>,
  phrases: readonly Phrase[],
  order: MatchOrder | undefined,
  page: PageRequest,
  isWanted: (pk: number) => boolean = () => true,
): Page<number> {
  const found = countFound(evaluation, scope, phrases, isWanted)
  const groups = order ? [[...found.keys()]] : groupsOf(found)
  const items: number[] = []
  let before = 0
  for (const pks of groups) {
    const matching = { set: bitsetOf(pks, evaluation.size), total: pks.length }
    const rest = { limit: page.limit - items.length, offset: Math.max(0, page.offset - before) }
    if (rest.limit > 0) items.push(...matchingPage(evaluation, matching, order ?? NEWEST_FIRST, rest))
    before += pks.length
  }
  return { items, total: found.size }
}

/** The number of wanted phrases in each note that has one. */
function countFound(
  { reader, workspace }: Evaluation,
  scope: Omit<SearchScope, 'workspace'>,
  phrases: readonly Phrase[],
  isWanted: (pk: number) => boolean,
): Map<number, number> {
  const counts = new Map<number, number>()
  if (workspace === NOWHERE) return counts
  const excluded = phrases.filter(({ isExcluded }) => isExcluded)
  for (const phrase of phrases) {
    if (phrase.isExcluded) continue
    for (const pk of findMatches(reader, { ...scope, workspace }, [phrase, ...excluded]))
      if (isWanted(pk)) counts.set(pk, (counts.get(pk) ?? 0) + 1)
  }
  return counts
}

/** The notes by number of phrases, most first. */
const groupsOf = (counts: ReadonlyMap<number, number>): number[][] =>
  [...Map.groupBy(counts, ([, count]) => count)]
    .sort(([one], [other]) => other - one)
    .map(([, entries]) => entries.map(([pk]) => pk))
