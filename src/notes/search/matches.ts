import type { Reader } from '../../db/reader.ts'
import { allOf, type SqlPart } from '../../db/sql-part.ts'
import { matchAll, matchPhrase, type Phrase } from '../../search/query.ts'
import { fullTable, headTable, tagTable, tagTerm } from './tables.ts'

export interface SearchScope {
  workspace: number
  /** Only notes that carry this tag. */
  tag?: number
  /** Only these notes: a JSON list of pks. */
  among?: string
}

/** A set of active notes as SQL. */
export interface Matches {
  /** Answers the `pk` of each, in no order. */
  readonly set: SqlPart
  /** Answers `pk` and `score` of each, in no order; the less, the better. */
  scored(): SqlPart
}

/** A phrase, and the tags whose names hold it: a note matches by its text or by one of them. */
export interface Term {
  readonly match: string
  readonly tags: readonly number[]
  readonly isExcluded: boolean
  readonly titlesOnly: boolean
}

/** Looks up which tags each phrase means. */
export const termsOf = ({ sql }: Reader, workspace: number, phrases: readonly Phrase[]): Term[] =>
  phrases.map((phrase) => {
    const match = matchPhrase(phrase)
    const names = tagTable(workspace)
    const tags = sql.column<number>(`SELECT rowid FROM ${names} WHERE ${names} MATCH ?`, match)
    return { match, tags, isExcluded: phrase.isExcluded, titlesOnly: phrase.titlesOnly }
  })

/** A term and the table whose texts it is looked for in. */
interface PlacedTerm extends Term {
  readonly table: string
}

/** Title over body, in the order of the columns; tags are weighed by `tagShare`. */
const FULL_WEIGHTS = '10, 1, 0'
const HEAD_WEIGHTS = '10, 0'
const TAG_WEIGHT = 5

const bm25 = (workspace: number, table: string): string =>
  `bm25(${table}, ${table === fullTable(workspace) ? FULL_WEIGHTS : HEAD_WEIGHTS})`

/** The constants of FTS5's BM25. */
const K1 = 1.2
const LEAST_IDF = 1e-6

/**
 * What a tag that holds the term adds to a score: BM25 of a tag column in a note of average length, with the
 * idf of the term's own words. FTS5 cannot say that: to it the opaque terms of tags are words of their own, and
 * a rare tag would outrank a title.
 */
function tagShare({ sql }: Reader, workspace: number, { table, match }: PlacedTerm): number {
  const notes = sql.scalar<number>('SELECT live_notes FROM workspaces WHERE pk = ?', workspace)
  const found = sql.scalar<number>(`SELECT count(*) FROM ${table} WHERE ${table} MATCH ?`, match)
  const idf = Math.max(LEAST_IDF, Math.log((notes - found + 0.5) / (found + 0.5)))
  return (idf * TAG_WEIGHT * (K1 + 1)) / (TAG_WEIGHT + K1)
}

const CARRIES_ONE_OF = 'SELECT note FROM note_tags WHERE tag IN (SELECT value FROM json_each(?))'

/** What the tags of the wanted terms take off the score of `pk`, as SQL. */
function tagShares(reader: Reader, workspace: number, terms: readonly PlacedTerm[], pk: string): SqlPart {
  const tagged = terms.filter(({ tags, isExcluded }) => !isExcluded && tags.length > 0)
  return {
    text: tagged.map(() => ` - CASE WHEN ${pk} IN (${CARRIES_ONE_OF}) THEN ? ELSE 0 END`).join(''),
    values: tagged.flatMap((term) => [JSON.stringify(term.tags), tagShare(reader, workspace, term)]),
  }
}

const withTags = ({ match, tags }: Term): string =>
  `(${[match, ...tags.map((tag) => `"${tagTerm(tag)}"`)].join(' OR ')})`

function expressionOf(terms: readonly PlacedTerm[], { tag }: SearchScope): string {
  const scope = tag === undefined ? [] : [`"${tagTerm(tag)}"`]
  const wanted = [...terms.filter(({ isExcluded }) => !isExcluded).map(withTags), ...scope]
  const excluded = terms.filter(({ isExcluded }) => isExcluded).map(withTags)
  return matchAll(wanted, excluded)
}

/** What must hold beside a MATCH on one table. The plus keeps SQLite from matching anew for every row id. */
const conditionBeside = (term: PlacedTerm): SqlPart => ({
  text: `+rowid ${term.isExcluded ? 'NOT ' : ''}IN (SELECT rowid FROM ${term.table} WHERE ${term.table} MATCH ?)`,
  values: [withTags(term)],
})

const conditionAmong = ({ among }: SearchScope, pk: string): SqlPart[] =>
  among === undefined ? [] : [{ text: `${pk} IN (SELECT value FROM json_each(?))`, values: [among] }]

/** Few tags are in question: they are alternatives in one MATCH on the main table. */
function matchesByText(
  reader: Reader,
  scope: SearchScope,
  terms: readonly PlacedTerm[],
  main: string,
): Matches {
  const onMain = terms.filter(({ table }) => table === main)
  const beside = terms.filter(({ table }) => table !== main)
  const match = { text: `${main} MATCH ?`, values: [expressionOf(onMain, scope)] }
  const { text: where, values } = allOf([
    match,
    ...conditionAmong(scope, '+rowid'),
    ...beside.map(conditionBeside),
  ])
  return {
    set: { text: `SELECT rowid AS pk FROM ${main} WHERE ${where}`, values },
    scored: () => {
      const shares = tagShares(reader, scope.workspace, onMain, '+rowid')
      const score = `${bm25(scope.workspace, main)}${shares.text}`
      return {
        text: `SELECT rowid AS pk, ${score} AS score FROM ${main} WHERE ${where}`,
        values: [...shares.values, ...values],
      }
    },
  }
}

const termCondition = ({ table, match, tags, isExcluded }: PlacedTerm): SqlPart => ({
  text: `n.pk ${isExcluded ? 'NOT ' : ''}IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ? UNION ALL ${CARRIES_ONE_OF})`,
  values: [match, JSON.stringify(tags)],
})

/** Many tags are in question, and FTS5 takes very long over thousands of alternatives: sets are met instead. */
function matchesBySets(
  reader: Reader,
  scope: SearchScope,
  terms: readonly PlacedTerm[],
  main: string,
): Matches {
  const { workspace, tag } = scope
  const onMain = terms.filter(({ table, isExcluded }) => table === main && !isExcluded)
  const active = { text: 'n.workspace = ? AND n.deleted_at IS NULL', values: [workspace] }
  const inScope =
    tag === undefined ? [] : [{ text: 'n.pk IN (SELECT note FROM note_tags WHERE tag = ?)', values: [tag] }]
  const { text: where, values } = allOf([
    active,
    ...inScope,
    ...conditionAmong(scope, 'n.pk'),
    ...terms.map(termCondition),
  ])
  return {
    set: { text: `SELECT n.pk FROM notes n WHERE ${where}`, values },
    scored: () => {
      const shares = tagShares(reader, workspace, onMain, 'n.pk')
      return {
        text: `SELECT pk, score FROM (
          WITH texts AS MATERIALIZED (SELECT rowid AS pk, ${bm25(workspace, main)} AS score FROM ${main} WHERE ${main} MATCH ?)
          SELECT n.pk, coalesce(texts.score, 0)${shares.text} AS score
          FROM notes n LEFT JOIN texts ON texts.pk = n.pk WHERE ${where})`,
        values: [onMain.map(({ match }) => match).join(' OR '), ...shares.values, ...values],
      }
    },
  }
}

/** With more tags in question, sets are faster than alternatives. */
const MOST_ALTERNATIVES = 50

function matchesOf(reader: Reader, scope: SearchScope, terms: readonly PlacedTerm[], main: string): Matches {
  const tags = terms.reduce((sum, term) => sum + term.tags.length, 0)
  const build = tags > MOST_ALTERNATIVES ? matchesBySets : matchesByText
  return build(reader, scope, terms, main)
}

/** The notes that hold every term and none of those excluded. */
export function allMatches(reader: Reader, scope: SearchScope, terms: readonly Term[]): Matches {
  const [full, heads] = [fullTable(scope.workspace), headTable(scope.workspace)]
  const placed = terms.map((term) => ({ ...term, table: term.titlesOnly ? heads : full }))
  const isFull = terms.some(({ isExcluded, titlesOnly }) => !isExcluded && !titlesOnly)
  return matchesOf(reader, scope, placed, isFull ? full : heads)
}

/** Those of them that hold every term in their title or tags. */
export function headMatches(reader: Reader, scope: SearchScope, terms: readonly Term[]): Matches {
  const [full, heads] = [fullTable(scope.workspace), headTable(scope.workspace)]
  const placed = terms.map((term) => ({
    ...term,
    table: term.isExcluded && !term.titlesOnly ? full : heads,
  }))
  return matchesOf(reader, scope, placed, heads)
}
