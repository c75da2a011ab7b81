/*
 * BM25 as FTS5 computes it, and what tags add to it. The search tables compute scores in SQL; here is what they cannot
 * compute, and the same for notes that are searched without tables.
 */

/** The weights of the parts of a note. */
export const WEIGHTS = { title: 10, tags: 5, body: 1 }

const K1 = 1.2
const B = 0.75
export const MIN_IDF = 1e-6

/**
 * What a word that occurs with this weighted frequency adds to the score of a note, by the size of the note relative to the
 * average; its idf multiplies it.
 */
export const wordShareOf = (frequency: number, relativeSize: number): number =>
  (frequency * (K1 + 1)) / (frequency + K1 * (1 - B + B * relativeSize))

/**
 * What a tag that contains the term adds to a score: BM25 of a tag column in a note of average length, with the idf of
 * the term's own words, which occur in `found` of all `notes`. FTS5 cannot compute it: the opaque terms of tags are words
 * of their own to it, and a rare tag would outrank a title.
 */
export function tagShareOf(notes: number, found: number): number {
  const idf = Math.max(MIN_IDF, Math.log((notes - found + 0.5) / (found + 0.5)))
  return (idf * WEIGHTS.tags * (K1 + 1)) / (WEIGHTS.tags + K1)
}
