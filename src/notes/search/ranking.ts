import type { Reader } from '../../storage/reader.ts'
import { FULL_TABLE, TITLE_TABLE } from './tables.ts'

/*
 * Notes are ranked by BM25 as FTS5 computes it, with the statistics of the whole file. Tags are opaque terms to FTS5
 * (`tagTerm`), so that what they add to a score is computed here.
 */

/**
 * The weights of the parts of a note: so far apart that a title precedes a tag, and a tag a body, however often the body
 * holds the word, and however long the notes are below 100,000 times the average.
 */
const WEIGHTS = { title: 10_000_000_000, tags: 100_000, body: 1 }

/** The weights of title, body and tags; the weight of tags is added by `tagShare`. */
const FULL_WEIGHTS = `${WEIGHTS.title}, ${WEIGHTS.body}, 0`
const TITLE_WEIGHTS = `${WEIGHTS.title}, 0`

/** The score of an entry in one of the search tables of notes, without its tags; the lowest is the best. */
export const bm25 = (table: string): string =>
  `bm25(${table}, ${table === FULL_TABLE ? FULL_WEIGHTS : TITLE_WEIGHTS})`

const K1 = 1.2
const MIN_IDF = 1e-6

/**
 * The amount that a tag with a term adds to a score: BM25 of a tag column in a note of average length, with the idf of the
 * term's own words, which match in the table. The terms of tags are words of their own to FTS5, and a rare tag would
 * outrank a title.
 */
export function tagShare({ sql }: Reader, table: string, match: string): number {
  const entries = sql.scalar<number>(`SELECT count(*) FROM ${TITLE_TABLE}_docsize`)
  const found = sql.scalar<number>(
    `SELECT count(*) FROM ${table} WHERE ${sql.stopCondition('rowid').text} AND ${table} MATCH ?`,
    match,
  )
  const idf = Math.max(MIN_IDF, Math.log((entries - found + 0.5) / (found + 0.5)))
  return (idf * WEIGHTS.tags * (K1 + 1)) / (WEIGHTS.tags + K1)
}
