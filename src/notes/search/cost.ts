import type { Reader } from '../../db/reader.ts'
import { matchPhrase, type Phrase } from '../../search/query.ts'
import { fullTable, tagTable, titleTable } from './tables.ts'

/** Counting stops here, far above the number from which a search runs in the worker. */
const COUNT_LIMIT = 20_000

/**
 * Estimates how many entries of the search tables a search reads: every occurrence of one of its words, and every note
 * with a tag whose name contains a phrase.
 */
export function estimateSearch(reader: Reader, workspace: number, phrases: readonly Phrase[]): number {
  let entries = 0
  for (const phrase of phrases) {
    const table = phrase.titlesOnly ? titleTable(workspace) : fullTable(workspace)
    for (const { first, last } of rangesOf(phrase)) {
      entries += countOccurrences(reader, table, first, last)
      if (entries >= COUNT_LIMIT) return entries
    }
    entries += countTagged(reader, workspace, phrase)
  }
  return entries
}

const GREATEST_CHARACTER = '\u{10ffff}'

/** The range of words that each term matches: the word itself, or all that begin with it. */
const rangesOf = ({ terms, isPrefix }: Phrase): { first: string; last: string }[] =>
  terms.map((term, at) => ({
    first: term,
    last: isPrefix && at === terms.length - 1 ? `${term}${GREATEST_CHARACTER}` : term,
  }))

/** A virtual table of this connection with one row for each occurrence of a word; it stores nothing itself. */
function occurrencesTable({ sql }: Reader, table: string): string {
  const name = `temp.${table}_places`
  sql.run(`CREATE VIRTUAL TABLE IF NOT EXISTS ${name} USING fts5vocab(main, ${table}, instance)`)
  return name
}

/** Stops at the limit, unlike a MATCH, which collects all words of a prefix before its first row. */
const countOccurrences = (reader: Reader, table: string, first: string, last: string): number =>
  reader.sql.scalar(
    `SELECT count(*) FROM (SELECT 1 FROM ${occurrencesTable(reader, table)} WHERE term >= ? AND term <= ? LIMIT ?)`,
    first,
    last,
    COUNT_LIMIT,
  )

function countTagged({ sql }: Reader, workspace: number, phrase: Phrase): number {
  const names = tagTable(workspace)
  return sql.scalar(
    `SELECT coalesce(sum((SELECT note_count FROM tags WHERE id = tag)), 0)
     FROM (SELECT rowid AS tag FROM ${names} WHERE ${names} MATCH ? LIMIT ?)`,
    matchPhrase(phrase),
    COUNT_LIMIT,
  )
}
