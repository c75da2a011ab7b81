import type { Reader } from '../../db/reader.ts'
import { matchPhrase, type Phrase } from '../../search/query.ts'
import { fullTable, headTable, tagTable } from './tables.ts'

/** No entries are counted beyond so many: searches that read more are not told apart. */
const COUNTED = 20_000

/**
 * About how many entries of the search tables a search reads: every place where one of its words stands, and every
 * note that carries a tag whose name holds a phrase.
 */
export function estimateSearch(reader: Reader, workspace: number, phrases: readonly Phrase[]): number {
  let entries = 0
  for (const phrase of phrases) {
    const table = phrase.titlesOnly ? headTable(workspace) : fullTable(workspace)
    for (const { first, last } of rangesOf(phrase)) {
      entries += countPlaces(reader, table, first, last)
      if (entries >= COUNTED) return entries
    }
    entries += countTagged(reader, workspace, phrase)
  }
  return entries
}

const GREATEST_CHARACTER = '\u{10ffff}'

/** The words that each term stands for: itself alone, or all that begin with it. */
const rangesOf = ({ terms, isPrefix }: Phrase): { first: string; last: string }[] =>
  terms.map((term, at) => ({
    first: term,
    last: isPrefix && at === terms.length - 1 ? `${term}${GREATEST_CHARACTER}` : term,
  }))

/** The table that answers one row for each place of a word; it is of this connection and holds nothing itself. */
function placesTable({ sql }: Reader, table: string): string {
  const places = `temp.${table}_places`
  sql.run(`CREATE VIRTUAL TABLE IF NOT EXISTS ${places} USING fts5vocab(main, ${table}, instance)`)
  return places
}

/** Stops in time, unlike a match, which gathers all words that begin so before its first row. */
const countPlaces = (reader: Reader, table: string, first: string, last: string): number =>
  reader.sql.scalar(
    `SELECT count(*) FROM (SELECT 1 FROM ${placesTable(reader, table)} WHERE term >= ? AND term <= ? LIMIT ?)`,
    first,
    last,
    COUNTED,
  )

function countTagged({ sql }: Reader, workspace: number, phrase: Phrase): number {
  const names = tagTable(workspace)
  return sql.scalar(
    `SELECT coalesce(sum((SELECT note_count FROM tags WHERE id = tag)), 0)
     FROM (SELECT rowid AS tag FROM ${names} WHERE ${names} MATCH ? LIMIT ?)`,
    matchPhrase(phrase),
    COUNTED,
  )
}
