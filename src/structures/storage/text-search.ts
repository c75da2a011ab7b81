import type { Reader } from '../../db/reader.ts'
import { textIndexTable } from '../../db/row-table-names.ts'
import { findUnindexed, type TextIndexed } from './text-index.ts'

const RUN_LENGTH = 3
/** More runs of a long text narrow a search no further. */
const MAX_RUNS = 30

/**
 * The runs of three characters by which rows with a text are found: every other one, and the last. All of them would take
 * twice as long, and lead to as many rows within a few percent.
 */
function runsOf(text: string): string[] {
  const characters = [...text]
  const last = characters.length - RUN_LENGTH
  const runAt = (at: number) => characters.slice(at, at + RUN_LENGTH).join('')
  const step = Math.max(2, Math.ceil(last / MAX_RUNS))
  const runs = new Set<string>()
  for (let at = 0; at < last; at += step) runs.add(runAt(at))
  return last < 0 ? [] : [...runs.add(runAt(last))]
}

/** Whether the text index can find a text; it knows nothing of shorter ones. */
export const isSearchable = (text: string): boolean => runsOf(text).length > 0

const quoted = (run: string) => `"${run.replaceAll('"', '""')}"`

/**
 * Every row that may contain all of the texts, which are folded and searchable; undefined where there are more than
 * `most`.
 */
export function findCandidates(
  reader: Reader,
  structure: TextIndexed,
  texts: readonly string[],
  most: number,
): number[] | undefined {
  const unindexed = findUnindexed(reader, structure, most + 1)
  if (unindexed.length > most) return undefined
  const table = textIndexTable(structure.pk)
  const runs = new Set(texts.flatMap(runsOf))
  const found = reader.sql.column<number>(
    `SELECT rowid FROM ${table} WHERE ${reader.sql.stopCondition('rowid').text} AND ${table} MATCH ? LIMIT ?`,
    Array.from(runs, quoted).join(' AND '),
    most + 1 - unindexed.length,
  )
  return unindexed.length + found.length > most ? undefined : [...unindexed, ...found]
}
