import { NOWHERE } from '../../access/rights.ts'
import type { Reader } from '../../db/reader.ts'
import { allOf, type SqlPart } from '../../db/sql-part.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { isOneWord, matchAll, matchPhrase, type Phrase } from '../../search/words.ts'
import { ScannedNotes, tagShareOf, WEIGHTS } from './scan.ts'
import { areSearchTablesComplete, fullTable, tagTable, tagTerm, titleTable } from './tables.ts'

export interface SearchScope {
  workspace: number
  /** Only notes that have this tag. */
  tag?: number
  /** Only these notes: a JSON array of pks. */
  among?: string
}

/** A set of active notes as SQL. */
interface Matches {
  /** Selects the `pk` of each, in no order. */
  readonly set: SqlPart
  /** Selects `pk` and `score` of each, in no order; the lowest score is the best. */
  scored(): SqlPart
}

/** A phrase, and the tags whose names contain it: a note matches by its text or by one of these tags. */
interface Term {
  readonly match: string
  readonly tags: readonly number[]
  readonly isExcluded: boolean
  readonly titlesOnly: boolean
}

const termsOf = ({ sql }: Reader, workspace: number, phrases: readonly Phrase[]): Term[] =>
  phrases.map((phrase) => {
    const match = matchPhrase(phrase)
    const names = tagTable(workspace)
    const tags = sql.column<number>(`SELECT rowid FROM ${names} WHERE ${names} MATCH ?`, match)
    return { match, tags, isExcluded: phrase.isExcluded, titlesOnly: phrase.titlesOnly }
  })

/** A term and the table in which its phrase is looked up. */
interface TableTerm extends Term {
  readonly table: string
}

/** The weights of title, body and tags; the weight of tags is added by `tagShare`. */
const FULL_WEIGHTS = `${WEIGHTS.title}, ${WEIGHTS.body}, 0`
const TITLE_WEIGHTS = `${WEIGHTS.title}, 0`

const bm25 = (workspace: number, table: string): string =>
  `bm25(${table}, ${table === fullTable(workspace) ? FULL_WEIGHTS : TITLE_WEIGHTS})`

/** What a tag that contains the term adds to a score. */
function tagShare({ sql }: Reader, workspace: number, { table, match }: TableTerm): number {
  const notes = sql.scalar<number>('SELECT live_notes FROM workspaces WHERE pk = ?', workspace)
  const found = sql.scalar<number>(
    `SELECT count(*) FROM ${table} WHERE ${sql.stopCondition('rowid').text} AND ${table} MATCH ?`,
    match,
  )
  return tagShareOf(notes, found)
}

const HAS_ONE_OF = 'SELECT note FROM note_tags WHERE tag IN (SELECT value FROM json_each(?))'

/** What the tags of the terms subtract from the score of `pk`, as SQL. */
function tagShares(reader: Reader, workspace: number, terms: readonly TableTerm[], pk: string): SqlPart {
  const tagged = terms.filter(({ tags, isExcluded }) => !isExcluded && tags.length > 0)
  return {
    text: tagged.map(() => ` - CASE WHEN ${pk} IN (${HAS_ONE_OF}) THEN ? ELSE 0 END`).join(''),
    values: tagged.flatMap((term) => [JSON.stringify(term.tags), tagShare(reader, workspace, term)]),
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

/** A condition beside a MATCH on another table. The unary plus keeps SQLite from repeating the match for every row id. */
const conditionBeside = (term: TableTerm): SqlPart => ({
  text: `+rowid ${term.isExcluded ? 'NOT ' : ''}IN (SELECT rowid FROM ${term.table} WHERE ${term.table} MATCH ?)`,
  values: [withTags(term)],
})

const conditionAmong = ({ among }: SearchScope, pk: string): SqlPart[] =>
  among === undefined ? [] : [{ text: `${pk} IN (SELECT value FROM json_each(?))`, values: [among] }]

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
    reader.sql.stopCondition('rowid'),
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

const termCondition = ({ table, match, tags, isExcluded }: TableTerm): SqlPart => ({
  text: `n.pk ${isExcluded ? 'NOT ' : ''}IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ? UNION ALL ${HAS_ONE_OF})`,
  values: [match, JSON.stringify(tags)],
})

/** For many tags, as FTS5 is very slow with thousands of alternatives: intersects sets of notes. */
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
    reader.sql.stopCondition('n.pk'),
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

/** With more tags than this, sets are faster than alternatives. */
const MAX_ALTERNATIVES = 50

/** The notes that match every term and none of the excluded ones; with `inTitles`, those that match in title or tags. */
function matchesOf(reader: Reader, scope: SearchScope, terms: readonly Term[], inTitles = false): Matches {
  const [full, titles] = [fullTable(scope.workspace), titleTable(scope.workspace)]
  const tableOf = ({ isExcluded, titlesOnly }: Term) =>
    titlesOnly || (inTitles && !isExcluded) ? titles : full
  const withTables = terms.map((term) => ({ ...term, table: tableOf(term) }))
  const main = withTables.some(({ isExcluded, table }) => !isExcluded && table === full) ? full : titles
  const tags = terms.reduce((sum, term) => sum + term.tags.length, 0)
  const build = tags > MAX_ALTERNATIVES ? matchesBySets : matchesByText
  return build(reader, scope, withTables, main)
}

/** With more matches than this, ranking every one takes too long: see `byTiers`. */
const RANK_LIMIT = 20_000

const count = ({ sql }: Reader, { set }: Matches): number =>
  sql.scalar(`SELECT count(*) FROM (${set.text})`, ...set.values)

/** The pks of all notes that match the phrases, in no order. */
export function findMatches(reader: Reader, scope: SearchScope, phrases: readonly Phrase[]): number[] {
  if (phrases.length === 0 || scope.workspace === NOWHERE) return []
  if (!areSearchTablesComplete(reader, scope.workspace)) return new ScannedNotes(reader, scope, phrases).pks
  if (!isOneWord(phrases)) reader.sql.cannotCount()
  const { set } = matchesOf(reader, scope, termsOf(reader, scope.workspace, phrases))
  return reader.sql.column(set.text, ...set.values)
}

/**
 * By rank, equal ones by id. While the order of pks is the order of ids, it is used instead; else every match is looked
 * up.
 */
function ranked(reader: Reader, workspace: number, matches: Matches, page: PageRequest): number[] {
  const { text: scored, values } = matches.scored()
  const text = areInOrder(reader, workspace)
    ? `${scored} ORDER BY score, pk LIMIT ? OFFSET ?`
    : `SELECT m.pk FROM (${scored}) m CROSS JOIN notes n ON n.pk = m.pk ORDER BY m.score, n.id LIMIT ? OFFSET ?`
  return reader.sql.column(text, ...values, page.limit, page.offset)
}

const areInOrder = ({ sql }: Reader, workspace: number): boolean =>
  sql.scalar<number>('SELECT notes_in_order FROM workspaces WHERE pk = ?', workspace) === 1

/**
 * For many matches: first those with every word in title or tags, by rank, then the others, newest edit first. Both tiers
 * have a fixed order, so paging across them is stable.
 */
function byTiers(
  reader: Reader,
  scope: SearchScope,
  terms: readonly Term[],
  all: Matches,
  page: PageRequest,
): number[] {
  const top = matchesOf(reader, scope, terms, true)
  const topCount = count(reader, top)
  const fromTop = page.offset < topCount ? ranked(reader, scope.workspace, top, page) : []
  const missing = page.limit - fromTop.length
  if (missing === 0) return fromTop
  const others = reader.sql.column<number>(
    `SELECT pk FROM notes WHERE workspace = ? AND deleted_at IS NULL
       AND pk IN (${all.set.text}) AND pk NOT IN (${top.set.text})
     ORDER BY updated_at DESC, id DESC LIMIT ? OFFSET ?`,
    scope.workspace,
    ...all.set.values,
    ...top.set.values,
    missing,
    Math.max(0, page.offset - topCount),
  )
  return [...fromTop, ...others]
}

/** `ORDER BY` terms over `notes`; from a fixed list, never from a request. */
export type NoteOrder = string

/** The pks of one page of the notes that match the phrases, by rank or in the given order, and the exact total. */
export function findPks(
  reader: Reader,
  scope: SearchScope,
  phrases: readonly Phrase[],
  order: NoteOrder | undefined,
  page: PageRequest,
  rankLimit = RANK_LIMIT,
): Page<number> {
  if (phrases.length === 0 || scope.workspace === NOWHERE) return { items: [], total: 0 }
  if (!areSearchTablesComplete(reader, scope.workspace))
    return pageOfScan(reader, scope, phrases, order, page)
  if (!isOneWord(phrases)) reader.sql.cannotCount()
  const terms = termsOf(reader, scope.workspace, phrases)
  const matches = matchesOf(reader, scope, terms)
  const total = count(reader, matches)
  if (total === 0 || page.offset >= total) return { items: [], total }
  if (order !== undefined) return { items: inOrder(reader, scope, matches.set, order, page), total }
  if (total <= rankLimit) return { items: ranked(reader, scope.workspace, matches, page), total }
  return { items: byTiers(reader, scope, terms, matches, page), total }
}

const inOrder = (
  { sql }: Reader,
  { workspace }: SearchScope,
  set: SqlPart,
  order: NoteOrder,
  page: PageRequest,
): number[] =>
  sql.column(
    `SELECT pk FROM notes WHERE workspace = ? AND deleted_at IS NULL
       AND pk IN (${set.text}) ORDER BY ${order} LIMIT ? OFFSET ?`,
    workspace,
    ...set.values,
    page.limit,
    page.offset,
  )

/** The same for a workspace without search tables. */
function pageOfScan(
  reader: Reader,
  scope: SearchScope,
  phrases: readonly Phrase[],
  order: NoteOrder | undefined,
  page: PageRequest,
): Page<number> {
  const found = new ScannedNotes(reader, scope, phrases)
  const { pks } = found
  const set = { text: 'SELECT value FROM json_each(?)', values: [JSON.stringify(pks)] }
  if (order !== undefined) return { items: inOrder(reader, scope, set, order, page), total: pks.length }
  return { items: found.ranked.slice(page.offset, page.offset + page.limit), total: pks.length }
}
