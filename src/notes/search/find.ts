import type { Reader } from '../../db/reader.ts'
import type { Page, PageRequest } from '../../http/page.ts'
import { matchPhrase, type Phrase } from './query.ts'
import { fullTable, headTable, tagTable } from './tables.ts'
import { tagTerm } from './words.ts'

/** Above so many matches, ranking every one would take too long: see `findByTiers`. */
const RANKED_AT_MOST = 20_000

/** Title over tags over body, in the order of the columns of the tables. */
const FULL_WEIGHTS = '10, 1, 5'
const HEAD_WEIGHTS = '10, 5'

/** A set of note pks as SQL, and the values bound in it. */
interface Matches {
  /** The table whose matches they are, and the weights of its columns. */
  table: string
  weights: string
  where: string
  values: (string | number)[]
}

export interface SearchScope {
  workspace: number
  /** Only notes that carry this tag. */
  tag?: number
}

/** A phrase and the tags whose names hold it, as one alternative. */
function alternatives({ sql }: Reader, workspace: number, phrase: Phrase): string {
  const match = matchPhrase(phrase)
  const tags = sql.column<number>(
    `SELECT rowid FROM ${tagTable(workspace)} WHERE ${tagTable(workspace)} MATCH ?`,
    match,
  )
  return `(${[match, ...tags.map((tag) => `"${tagTerm(tag)}"`)].join(' OR ')})`
}

interface Expressions {
  full: string[]
  heads: string[]
  notFull: string[]
  notHeads: string[]
}

function expressionsOf(reader: Reader, workspace: number, phrases: readonly Phrase[]): Expressions {
  const pick = (isExcluded: boolean, headsOnly: boolean) =>
    phrases
      .filter((phrase) => phrase.isExcluded === isExcluded && phrase.headsOnly === headsOnly)
      .map((phrase) => alternatives(reader, workspace, phrase))
  return {
    full: pick(false, false),
    heads: pick(false, true),
    notFull: pick(true, false),
    notHeads: pick(true, true),
  }
}

const without = (wanted: string[], unwanted: string[]): string =>
  unwanted.length === 0 ? wanted.join(' AND ') : `(${wanted.join(' AND ')}) NOT (${unwanted.join(' OR ')})`

/** Builds the set from conditions on one table and memberships in the other. */
class MatchesBuilder {
  readonly #conditions: string[]
  readonly #values: (string | number)[]

  constructor(
    readonly table: string,
    readonly weights: string,
    expression: string,
  ) {
    this.#conditions = [`${table} MATCH ?`]
    this.#values = [expression]
  }

  in(table: string, expressions: string[], joined: ' AND ' | ' OR ', not = ''): this {
    if (expressions.length === 0) return this
    this.#conditions.push(`rowid ${not}IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ?)`)
    this.#values.push(expressions.join(joined))
    return this
  }

  tagged(tag: number | undefined): Matches {
    const { table, weights } = this
    if (tag !== undefined) {
      this.#conditions.push('rowid IN (SELECT note FROM note_tags WHERE tag = ?)')
      this.#values.push(tag)
    }
    return { table, weights, where: this.#conditions.join(' AND '), values: this.#values }
  }
}

function matchesOf(
  { workspace, tag }: SearchScope,
  { full, heads, notFull, notHeads }: Expressions,
): Matches {
  const [all, head] = [fullTable(workspace), headTable(workspace)]
  if (full.length === 0) {
    return new MatchesBuilder(head, HEAD_WEIGHTS, without(heads, notHeads))
      .in(all, notFull, ' OR ', 'NOT ')
      .tagged(tag)
  }
  return new MatchesBuilder(all, FULL_WEIGHTS, without(full, notFull))
    .in(head, heads, ' AND ')
    .in(head, notHeads, ' OR ', 'NOT ')
    .tagged(tag)
}

/** The matches that hold every word in their title or tags. */
function headMatchesOf(
  { workspace, tag }: SearchScope,
  { full, heads, notFull, notHeads }: Expressions,
): Matches {
  const [all, head] = [fullTable(workspace), headTable(workspace)]
  return new MatchesBuilder(head, HEAD_WEIGHTS, without([...full, ...heads], notHeads))
    .in(all, notFull, ' OR ', 'NOT ')
    .tagged(tag)
}

const count = ({ sql }: Reader, { table, where, values }: Matches): number =>
  sql.scalar(`SELECT count(*) FROM ${table} WHERE ${where}`, ...values)

/**
 * By rank, equals by id. Where notes were made in the order of their ids, the row id stands for it; else every
 * match is looked up.
 */
function ranked(reader: Reader, workspace: number, matches: Matches, page: PageRequest): number[] {
  const { table, weights, where, values } = matches
  const scored = `SELECT rowid AS pk, bm25(${table}, ${weights}) AS score FROM ${table} WHERE ${where}`
  const text = areInOrder(reader, workspace)
    ? `${scored} ORDER BY score, rowid LIMIT ? OFFSET ?`
    : `SELECT m.pk FROM (${scored}) m CROSS JOIN notes n ON n.pk = m.pk ORDER BY m.score, n.id LIMIT ? OFFSET ?`
  return reader.sql.column(text, ...values, page.limit, page.offset)
}

const areInOrder = ({ sql }: Reader, workspace: number): boolean =>
  sql.scalar<number>('SELECT notes_in_order FROM workspaces WHERE pk = ?', workspace) === 1

/**
 * Many matches: first those with every word in title or tags, by rank, then the others, newest edit first. Both
 * tiers are in a fixed order, so paging across them is stable.
 */
function byTiers(
  reader: Reader,
  scope: SearchScope,
  expressions: Expressions,
  all: Matches,
  page: PageRequest,
): number[] {
  const top = headMatchesOf(scope, expressions)
  const topCount = count(reader, top)
  const fromTop = page.offset < topCount ? ranked(reader, scope.workspace, top, page) : []
  const missing = page.limit - fromTop.length
  if (missing === 0) return fromTop
  const others = reader.sql.column<number>(
    `SELECT pk FROM notes WHERE workspace = ? AND deleted_at IS NULL
       AND pk IN (SELECT rowid FROM ${all.table} WHERE ${all.where})
       AND pk NOT IN (SELECT rowid FROM ${top.table} WHERE ${top.where})
     ORDER BY updated_at DESC, id DESC LIMIT ? OFFSET ?`,
    scope.workspace,
    ...all.values,
    ...top.values,
    missing,
    Math.max(0, page.offset - topCount),
  )
  return [...fromTop, ...others]
}

/** `ORDER BY` terms over the heads of notes; from a fixed list, never from a caller's text. */
export type NoteOrder = string

/** The pks of one page of the notes that hold the phrases, by rank or in the given order, and the exact total. */
export function findPks(
  reader: Reader,
  scope: SearchScope,
  phrases: readonly Phrase[],
  order: NoteOrder | undefined,
  page: PageRequest,
): Page<number> {
  if (phrases.length === 0) return { items: [], total: 0 }
  const expressions = expressionsOf(reader, scope.workspace, phrases)
  const matches = matchesOf(scope, expressions)
  const total = count(reader, matches)
  if (total === 0 || page.offset >= total) return { items: [], total }
  if (order !== undefined) return { items: inOrder(reader, scope, matches, order, page), total }
  if (total <= RANKED_AT_MOST) return { items: ranked(reader, scope.workspace, matches, page), total }
  return { items: byTiers(reader, scope, expressions, matches, page), total }
}

const inOrder = (
  { sql }: Reader,
  { workspace }: SearchScope,
  { table, where, values }: Matches,
  order: NoteOrder,
  page: PageRequest,
): number[] =>
  sql.column(
    `SELECT pk FROM notes WHERE workspace = ? AND deleted_at IS NULL
       AND pk IN (SELECT rowid FROM ${table} WHERE ${where}) ORDER BY ${order} LIMIT ? OFFSET ?`,
    workspace,
    ...values,
    page.limit,
    page.offset,
  )
