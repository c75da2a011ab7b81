import type { Reader } from '../../db/reader.ts'
import type { Page, PageRequest } from '../../http/page.ts'
import type { Phrase } from '../../search/query.ts'
import { allMatches, headMatches, type Matches, type SearchScope, type Term, termsOf } from './matches.ts'

/** Above so many matches, ranking every one would take too long: see `byTiers`. */
const RANKED_AT_MOST = 20_000

const count = ({ sql }: Reader, { set }: Matches): number =>
  sql.scalar(`SELECT count(*) FROM (${set.text})`, ...set.values)

/** The pks of all notes that hold the phrases, in no order. */
export function findMatches(reader: Reader, scope: SearchScope, phrases: readonly Phrase[]): number[] {
  if (phrases.length === 0) return []
  const { set } = allMatches(reader, scope, termsOf(reader, scope.workspace, phrases))
  return reader.sql.column(set.text, ...set.values)
}

/**
 * By rank, equals by id. Where notes were made in the order of their ids, the row id stands for it; else every
 * match is looked up.
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
 * Many matches: first those with every word in title or tags, by rank, then the others, newest edit first. Both
 * tiers are in a fixed order, so paging across them is stable.
 */
function byTiers(
  reader: Reader,
  scope: SearchScope,
  terms: readonly Term[],
  all: Matches,
  page: PageRequest,
): number[] {
  const top = headMatches(reader, scope, terms)
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

/** `ORDER BY` terms over the heads of notes; from a fixed list, never from a caller's text. */
export type NoteOrder = string

/** The pks of one page of the notes that hold the phrases, by rank or in the given order, and the exact total. */
export function findPks(
  reader: Reader,
  scope: SearchScope,
  phrases: readonly Phrase[],
  order: NoteOrder | undefined,
  page: PageRequest,
  rankedAtMost = RANKED_AT_MOST,
): Page<number> {
  if (phrases.length === 0) return { items: [], total: 0 }
  const terms = termsOf(reader, scope.workspace, phrases)
  const matches = allMatches(reader, scope, terms)
  const total = count(reader, matches)
  if (total === 0 || page.offset >= total) return { items: [], total }
  if (order !== undefined) return { items: inOrder(reader, scope, matches, order, page), total }
  if (total <= rankedAtMost) return { items: ranked(reader, scope.workspace, matches, page), total }
  return { items: byTiers(reader, scope, terms, matches, page), total }
}

const inOrder = (
  { sql }: Reader,
  { workspace }: SearchScope,
  { set }: Matches,
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
