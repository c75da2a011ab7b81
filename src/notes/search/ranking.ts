import { scanOf } from '../../lib/scan.ts'
import type { Reader } from '../../storage/reader.ts'
import { FULL_TABLE, TITLE_TABLE } from './indexing.ts'

/*
 * Notes are ranked by BM25 as FTS5 computes it, with the statistics of the whole file. Tags are opaque terms to FTS5
 * (`tagTerm`), so their share of a score is computed here.
 */

/**
 * The weights of the parts of a note. They are so far apart that a title precedes a tag, and a tag precedes a body.
 * This holds however often the body contains the word, and for any note shorter than 100,000 times the average.
 */
const WEIGHTS = { title: 10_000_000_000, tags: 100_000, body: 1 }

/** The weights of title, body and tags; `tagShare` adds the weight of tags. */
const FULL_WEIGHTS = `${WEIGHTS.title}, ${WEIGHTS.body}, 0`
const TITLE_WEIGHTS = `${WEIGHTS.title}, 0`

/** The score of an entry in one of the note search tables, without its tags; the lowest score is the best. */
export const bm25 = (table: string): string =>
  `bm25(${table}, ${table === FULL_TABLE ? FULL_WEIGHTS : TITLE_WEIGHTS})`

const K1 = 1.2
const MIN_IDF = 1e-6

/**
 * The amount that a tag with a term adds to a score: the BM25 of a tag column in a note of average length. The idf is
 * that of the term's own words, which match in the table. FTS5 treats tag terms as separate words, so a rare tag would
 * outrank a title.
 */
export function tagShare({ sql }: Reader, table: string, match: string): number {
  const entries = sql.scalar<number>(`SELECT count(*) FROM ${TITLE_TABLE}_docsize`)
  const found = sql.scalar<number>(
    `SELECT count(*) FROM ${table} WHERE ${scanOf('rowid').text} AND ${table} MATCH ?`,
    match,
  )
  const idf = Math.max(MIN_IDF, Math.log((entries - found + 0.5) / (found + 0.5)))
  return (idf * WEIGHTS.tags * (K1 + 1)) / (WEIGHTS.tags + K1)
}
