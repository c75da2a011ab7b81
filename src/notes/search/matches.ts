import { matchScanOf, scanOf } from '../../lib/scan.ts'
import { isOneWord, matchAll, type Phrase } from '../../lib/words.ts'
import type { Reader } from '../../storage/reader.ts'
import { allOf, type SqlPart } from '../../storage/sql.ts'
import { FULL_TABLE, matchIn, TAG_TABLE, TITLE_TABLE, tagTerm } from './indexing.ts'
import { bm25, tagShare } from './ranking.ts'

export interface SearchScope {
  readonly workspace: number
  /** Limits the search to notes with this tag. */
  readonly tag?: number | undefined
  /** Limits the search to these notes: a JSON array of pks. */
  readonly among?: string | undefined
  /** Excludes these notes, in the format of `among`. */
  readonly except?: string | undefined
}

/** A set of active notes as SQL. */
export interface Matches {
  /** Selects the `pk` of each note, in no particular order. */
  readonly set: SqlPart
  /** Selects `pk` and `score` of each note, in no particular order; the lowest score is the best. */
  scored(): SqlPart
}

/** A phrase, and the tags whose names contain it. A note matches by its text or by one of these tags. */
export interface Term {
  readonly match: string
  readonly tags: readonly number[]
  readonly isExcluded: boolean
  readonly titlesOnly: boolean
}

/** The terms of a search for these phrases. Its first statement names the scan of all, which may be uncounted. */
export function termsOf({ sql }: Reader, workspace: number, phrases: readonly Phrase[]): Term[] {
  const { text: scan } = matchScanOf('rowid', isOneWord(phrases))
  const lookup = `SELECT rowid FROM ${TAG_TABLE} WHERE ${scan} AND ${TAG_TABLE} MATCH ?`
  return phrases.map((phrase) => {
    const match = matchIn(workspace, phrase)
    const { isExcluded, titlesOnly } = phrase
    return { match, tags: sql.column<number>(lookup, match), isExcluded, titlesOnly }
  })
}

/** A term, and the table in which its phrase is looked up. */
interface TableTerm extends Term {
  readonly table: string
}

const HAS_ONE_OF = 'SELECT note FROM note_tags WHERE tag IN (SELECT value FROM json_each(?))'

/** SQL for the amount that the tags of the terms subtract from the score of `pk`. */
function tagShares(reader: Reader, terms: readonly TableTerm[], pk: string): SqlPart {
  const tagged = terms.filter(({ tags, isExcluded }) => !isExcluded && tags.length > 0)
  return {
    text: tagged.map(() => ` - CASE WHEN ${pk} IN (${HAS_ONE_OF}) THEN ? ELSE 0 END`).join(''),
    values: tagged.flatMap((term) => [JSON.stringify(term.tags), tagShare(reader, term.table, term.match)]),
  }
}

const withTags = ({ match, tags }: Term): string =>
  `(${[match, ...tags.map((tag) => `"${tagTerm(tag)}"`)].join(' OR ')})`

function expressionOf(terms: readonly TableTerm[], { tag }: SearchScope): string {
  const scope = tag === undefined ? [] : [`"${tagTerm(tag)}"`]
  const wanted = [...terms.filter(({ isExcluded }) => !isExcluded).map(withTags), ...scope]
  const excluded = terms.filter(({ isExcluded }) => isExcluded).map(withTags)
  return matchAll(wanted, excluded)
}

/**
 * A condition next to a MATCH on another table. The unary plus prevents SQLite from repeating the match for every row
 * id.
 */
const conditionBeside = (term: TableTerm): SqlPart => ({
  text: `+rowid ${term.isExcluded ? 'NOT ' : ''}IN (SELECT rowid FROM ${term.table} WHERE ${term.table} MATCH ?)`,
  values: [withTags(term)],
})

const conditionsOn = ({ among, except }: SearchScope, pk: string): SqlPart[] => [
  ...(among === undefined ? [] : [{ text: `${pk} IN (SELECT value FROM json_each(?))`, values: [among] }]),
  ...(except === undefined
    ? []
    : [{ text: `${pk} NOT IN (SELECT value FROM json_each(?))`, values: [except] }]),
]

/** For few tags: they are alternatives in one MATCH on the main table. */
function matchesByText(
  reader: Reader,
  scope: SearchScope,
  terms: readonly TableTerm[],
  main: string,
): Matches {
  const onMain = terms.filter(({ table }) => table === main)
  const beside = terms.filter(({ table }) => table !== main)
  const match = { text: `${main} MATCH ?`, values: [expressionOf(onMain, scope)] }
  const { text: where, values } = allOf([
    scanOf('rowid'),
    match,
    ...conditionsOn(scope, '+rowid'),
    ...beside.map(conditionBeside),
  ])
  return {
    set: { text: `SELECT rowid AS pk FROM ${main} WHERE ${where}`, values },
    scored: () => {
      const shares = tagShares(reader, onMain, '+rowid')
      const score = `${bm25(main)}${shares.text}`
      return {
        text: `SELECT rowid AS pk, ${score} AS score FROM ${main} WHERE ${where}`,
        values: [...shares.values, ...values],
      }
    },
  }
}

const termCondition = ({ table, match, tags, isExcluded }: TableTerm): SqlPart => ({
  text: `n.pk ${isExcluded ? 'NOT ' : ''}IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ? UNION ALL ${HAS_ONE_OF})`,
  values: [match, JSON.stringify(tags)],
})

/** For many tags: intersects sets of notes, because FTS5 is very slow with thousands of alternatives. */
function matchesBySets(
  reader: Reader,
  scope: SearchScope,
  terms: readonly TableTerm[],
  main: string,
): Matches {
  const { workspace, tag } = scope
  const onMain = terms.filter(({ table, isExcluded }) => table === main && !isExcluded)
  const active = { text: 'n.workspace = ? AND n.deleted_at IS NULL', values: [workspace] }
  const inScope =
    tag === undefined ? [] : [{ text: 'n.pk IN (SELECT note FROM note_tags WHERE tag = ?)', values: [tag] }]
  const { text: where, values } = allOf([
    scanOf('n.pk'),
    active,
    ...inScope,
    ...conditionsOn(scope, 'n.pk'),
    ...terms.map(termCondition),
  ])
  return {
    set: { text: `SELECT n.pk FROM notes n WHERE ${where}`, values },
    scored: () => {
      const shares = tagShares(reader, onMain, 'n.pk')
      return {
        text: `SELECT pk, score FROM (
          WITH texts AS MATERIALIZED (SELECT rowid AS pk, ${bm25(main)} AS score FROM ${main} WHERE ${main} MATCH ?)
          SELECT n.pk, coalesce(texts.score, 0)${shares.text} AS score
          FROM notes n LEFT JOIN texts ON texts.pk = n.pk WHERE ${where})`,
        values: [onMain.map(({ match }) => match).join(' OR '), ...shares.values, ...values],
      }
    },
  }
}

/** Above this many tags, sets are faster than alternatives. */
const MAX_ALTERNATIVES = 50

/** The notes that match every term and none of the excluded ones; with `inTitles`, only by title or tags. */
export function matchesOf(
  reader: Reader,
  scope: SearchScope,
  terms: readonly Term[],
  inTitles = false,
): Matches {
  const tableOf = ({ isExcluded, titlesOnly }: Term) =>
    titlesOnly || (inTitles && !isExcluded) ? TITLE_TABLE : FULL_TABLE
  const withTables = terms.map((term) => ({ ...term, table: tableOf(term) }))
  const main = withTables.some(({ isExcluded, table }) => !isExcluded && table === FULL_TABLE)
    ? FULL_TABLE
    : TITLE_TABLE
  const tags = terms.reduce((sum, term) => sum + term.tags.length, 0)
  const build = tags > MAX_ALTERNATIVES ? matchesBySets : matchesByText
  return build(reader, scope, withTables, main)
}
