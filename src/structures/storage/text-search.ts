import type { Reader } from '../../db/reader.ts'
import { textIndexTable, vocabularyTable, wordPartTable } from '../../db/row-table-names.ts'
import { findUnindexed, NO_WORD, needleOf, runQuery, type TextIndexed } from './text-index.ts'

export const isSearchable = (text: string): boolean => needleOf(text) !== undefined

/** With more words that contain a text, the rows are scanned instead. */
const MAX_WORDS = 1_000

/** The words that contain the part; undefined where they are too many. */
function findWords({ sql }: Reader, structurePk: number, part: string): string[] | undefined {
  const parts = wordPartTable(structurePk)
  const words = sql.column<string>(
    `SELECT word FROM ${vocabularyTable(structurePk)} WHERE instr(word, ?) > 0 AND pk IN
       (SELECT rowid FROM ${parts} WHERE ${sql.stopCondition('rowid').text} AND ${parts} MATCH ?) LIMIT ?`,
    part,
    runQuery(part),
    MAX_WORDS + 1,
  )
  return words.length > MAX_WORDS ? undefined : words
}

/** The search for the rows that have words as the texts demand. */
interface RowSearch {
  /** A row has one of the words of each list; undefined if there is no such row. */
  readonly words: readonly (readonly string[])[] | undefined
  /** Whether all of these rows contain the texts. */
  readonly isExact: boolean
}

const alternatives = (queries: readonly string[]) => `(${queries.join(' OR ')})`

/**
 * The FTS5 query for the rows that have one of the words. FTS5 looks at all alternatives at every row that it finds: with
 * many words there are groups of them, which `NOT` keeps from being taken for one.
 */
function anyOf(words: readonly string[]): string {
  const size = Math.ceil(Math.sqrt(words.length))
  const groups = Array.from({ length: Math.ceil(words.length / size) }, (_, at) =>
    alternatives(words.slice(at * size, (at + 1) * size).map((word) => `"${word}"`)),
  )
  return groups.length <= 2
    ? alternatives(groups)
    : alternatives(groups.map((group) => `(${group} NOT "${NO_WORD}")`))
}

/** Undefined where the index does not narrow the search. */
function rowSearch(reader: Reader, structurePk: number, texts: readonly string[]): RowSearch | undefined {
  const needles = texts.flatMap((text) => needleOf(text) ?? [])
  const groups = needles.flatMap(({ words }) => words.map((word) => [word]))
  let isExact = needles.length === texts.length
  for (const needle of needles) {
    isExact &&= needle.isExact
    for (const part of needle.parts) {
      const words = findWords(reader, structurePk, part)
      if (words) groups.push(words)
      else isExact = false
    }
  }
  if (groups.length === 0) return undefined
  return { words: groups.some(({ length }) => length === 0) ? undefined : groups, isExact }
}

/**
 * Every row that may contain all of the texts, which are folded; undefined where there are more than `most`, or the
 * index cannot find them.
 */
export function findCandidates(
  reader: Reader,
  structure: TextIndexed,
  texts: readonly string[],
  most: number,
): number[] | undefined {
  const unindexed = findUnindexed(reader, structure, most + 1)
  if (unindexed.length > most) return undefined
  const search = rowSearch(reader, structure.pk, texts)
  if (!search) return undefined
  const table = textIndexTable(structure.pk)
  const found = search.words
    ? reader.sql.column<number>(
        `SELECT rowid FROM ${table} WHERE ${reader.sql.stopCondition('rowid').text} AND ${table} MATCH ? LIMIT ?`,
        search.words.map(anyOf).join(' AND '),
        most + 1 - unindexed.length,
      )
    : []
  return unindexed.length + found.length > most ? undefined : [...unindexed, ...found]
}

/** The rows that contain a text: how many of those that are up to date in the index, and the others, to be looked at. */
export interface CountedRows {
  readonly count: number
  readonly unindexed: readonly number[]
}

/** Undefined where the index alone does not tell, or more than `most` rows are not up to date in it. */
export function countRows(
  reader: Reader,
  structure: TextIndexed,
  text: string,
  most: number,
): CountedRows | undefined {
  const unindexed = findUnindexed(reader, structure, most + 1)
  if (unindexed.length > most) return undefined
  const search = rowSearch(reader, structure.pk, [text])
  if (!search?.isExact) return undefined
  return { count: search.words ? countWith(reader, structure.pk, search.words.flat()) : 0, unindexed }
}

/**
 * How many of the rows that are up to date have one of the words. The shortest word, which most of them have, is counted by
 * itself: where that takes too long, the others are not even looked up.
 */
function countWith({ sql }: Reader, structurePk: number, words: readonly string[]): number {
  const [first = '', ...others] = words.toSorted((one, other) => one.length - other.length)
  const table = textIndexTable(structurePk)
  const outdated = 'SELECT row FROM row_search_pending WHERE structure = ?'
  const hasOutdated = sql.get(`${outdated} LIMIT 1`, structurePk) !== undefined
  const count = (match: string) =>
    sql.scalar<number>(
      `SELECT count(*) FROM ${table} WHERE ${sql.stopCondition('rowid').text} AND ${table} MATCH ?
         ${hasOutdated ? `AND rowid NOT IN (${outdated})` : ''}`,
      match,
      ...(hasOutdated ? [structurePk] : []),
    )
  const withFirst = count(`"${first}"`)
  return others.length === 0 ? withFirst : withFirst + count(`${anyOf(others)} NOT "${first}"`)
}
