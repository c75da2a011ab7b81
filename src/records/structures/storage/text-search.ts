import { scanOf } from '../../../lib/scan.ts'
import type { Reader } from '../../../storage/reader.ts'
import { textIndexTable } from '../../../storage/row-table-names.ts'
import { RUN_LENGTH, runShares } from './run-frequencies.ts'
import { findUnindexed, type TextIndexed } from './text-index.ts'

/** Maximum number of runs used from a long text; more would not narrow a search further. */
const MAX_RUNS = 30

/** The runs of three characters that locate a text: all of them, or those at even distances in a long text. */
function runsOf(text: string): string[] {
  const characters = [...text]
  const last = characters.length - RUN_LENGTH
  const runAt = (at: number) => characters.slice(at, at + RUN_LENGTH).join('')
  const step = Math.max(1, Math.ceil(last / MAX_RUNS))
  const runs = new Set<string>()
  for (let at = 0; at < last; at += step) runs.add(runAt(at))
  return last < 0 ? [] : [...runs.add(runAt(last))]
}

/** The number of index entries read in the time of verifying one row. */
const ENTRIES_PER_ROW = 300

/**
 * The rarest runs. Another run is added while reading its entries is expected to take less time than verifying the rows
 * that it excludes.
 */
function worthReading(runs: readonly string[], live: number, shareOf: (run: string) => number): string[] {
  const byShare = runs
    .map((run) => ({ run, share: shareOf(run) }))
    .sort((one, other) => one.share - other.share)
  let expected = live
  const end = byShare.findIndex(({ share }, at) => {
    const excluded = expected * (1 - share)
    expected -= excluded
    return at > 0 && excluded * ENTRIES_PER_ROW < share * live
  })
  return byShare.slice(0, end === -1 ? undefined : end).map(({ run }) => run)
}

/** Whether the text index can find a text; it cannot find texts shorter than a run. */
export const isSearchable = (text: string): boolean => runsOf(text).length > 0

const quoted = (run: string) => `"${run.replaceAll('"', '""')}"`

/** A structure with a text index, and the means to search its rows. */
export interface SearchedRows extends TextIndexed {
  readonly live: number
  /** The SQL expression for the text of a row. */
  readonly text: string
}

/**
 * Every row that may contain all of the texts, which must be folded and searchable. Undefined if there are more than
 * `most`.
 */
export function findCandidates(
  reader: Reader,
  rows: SearchedRows,
  texts: readonly string[],
  most: number,
): number[] | undefined {
  const unindexed = findUnindexed(reader, rows, most + 1)
  if (unindexed.length > most) return undefined
  const table = textIndexTable(rows.pk)
  const runs = [...new Set(texts.flatMap(runsOf))]
  const shareOf = runShares(reader, rows)
  const read = worthReading(runs, rows.live, shareOf)
  // FTS5 reads the entries of all runs before it returns the first row.
  const entries = read.reduce((sum, run) => sum + shareOf(run) * rows.live, 0)
  const found = reader.sql.columnAfter<number>(
    entries,
    `SELECT rowid FROM ${table} WHERE ${scanOf('rowid').text} AND ${table} MATCH ? LIMIT ?`,
    read.map(quoted).join(' AND '),
    most + 1 - unindexed.length,
  )
  return unindexed.length + found.length > most ? undefined : [...unindexed, ...found]
}
