import type { Reader } from '../../db/reader.ts'
import { textIndexTable, vocabularyTable, wordPartTable } from '../../db/row-table-names.ts'
import { findUnindexed, type TextIndexed } from './text-index.ts'
import { needleOf, runQuery } from './text-words.ts'

/** Whether the text index can find the text. */
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
  /** The FTS5 query; undefined if there is no such row. */
  readonly match: string | undefined
  /** Whether all of these rows contain the texts. */
  readonly isExact: boolean
}

const anyOf = (words: readonly string[]) => `(${words.map((word) => `"${word}"`).join(' OR ')})`

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
  if (groups.some(({ length }) => length === 0)) return { match: undefined, isExact }
  return { match: groups.map(anyOf).join(' AND '), isExact }
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
  const found = search.match
    ? reader.sql.column<number>(
        `SELECT rowid FROM ${table} WHERE ${reader.sql.stopCondition('rowid').text} AND ${table} MATCH ? LIMIT ?`,
        search.match,
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
  if (!search.match) return { count: 0, unindexed }
  const { sql } = reader
  const table = textIndexTable(structure.pk)
  const outdated = 'SELECT row FROM row_search_pending WHERE structure = ?'
  const hasOutdated = sql.get(`${outdated} LIMIT 1`, structure.pk) !== undefined
  const count = sql.scalar<number>(
    `SELECT count(*) FROM ${table} WHERE ${sql.stopCondition('rowid').text} AND ${table} MATCH ?
       ${hasOutdated ? `AND rowid NOT IN (${outdated})` : ''}`,
    search.match,
    ...(hasOutdated ? [structure.pk] : []),
  )
  return { count, unindexed }
}
