import { BoundedCache } from '../../../lib/bounded-cache.ts'
import { firstWithin } from '../../../lib/first-within.ts'
import type { Reader } from '../../../storage/reader.ts'
import { rowTable } from '../../../storage/row-table-names.ts'

/*
 * Estimates from a sample how common runs of three characters are in the rows of a structure. A search reads only the
 * entries of rare runs, and never those of a run in half of the rows. Estimates affect costs, never results.
 */

/** In characters; set by the tokenizer of the text index. */
export const RUN_LENGTH = 3

/** The sample: the newest rows, limited in number, in characters per row, and in total characters. */
const SAMPLED_ROWS = 512
const SAMPLED_LENGTH = 2_048
const SAMPLED_LENGTH_OF_ALL = 262_144
/** Runs share counters, so a sample takes 32 KiB. A shared counter overestimates. */
const COUNTERS = 16_384
/** The sample is renewed once the table has grown by this factor. */
const GROWTH = 2
const MAX_STRUCTURES = 64

interface Sample {
  readonly rows: number
  readonly counts: Uint16Array
  readonly takenAt: number
}

const newSamples = () => new BoundedCache<number, Sample>(MAX_STRUCTURES)

function counterOf(text: string, at: number): number {
  let hash = 0
  for (let next = at; next < at + RUN_LENGTH; next++) hash = Math.imul(hash, 31) + text.charCodeAt(next)
  return (hash ^ (hash >>> 13)) & (COUNTERS - 1)
}

interface SampledRows {
  readonly pk: number
  readonly live: number
  /** The SQL expression for the text of a row. */
  readonly text: string
}

function sampleOf({ sql }: Reader, { pk, live, text }: SampledRows): Sample {
  const newest = sql.each<{ text: string }>(
    `SELECT substr(${text}, 1, ${SAMPLED_LENGTH}) AS text FROM ${rowTable(pk)} ORDER BY pk DESC LIMIT ${SAMPLED_ROWS}`,
  )
  const sampled = firstWithin(newest, SAMPLED_LENGTH_OF_ALL, (row) => row.text.length)
  const counts = new Uint16Array(COUNTERS)
  const lastIn = new Int16Array(COUNTERS).fill(-1)
  sampled.forEach(({ text: searched }, row) => {
    for (let at = 0; at + RUN_LENGTH <= searched.length; at++) {
      const counter = counterOf(searched, at)
      if (lastIn[counter] === row) continue
      lastIn[counter] = row
      counts[counter] = (counts[counter] ?? 0) + 1
    }
  })
  return { rows: sampled.length, counts, takenAt: live }
}

/** Estimates the share of the structure's rows with a run: more than 0, at most 1. */
export function runShares(reader: Reader, structure: SampledRows): (run: string) => number {
  const samples = reader.sql.state.of(newSamples)
  const known = samples.get(structure.pk)
  const isFresh = known !== undefined && structure.live < known.takenAt * GROWTH
  const sample = isFresh ? known : sampleOf(reader, structure)
  if (!isFresh) samples.set(structure.pk, sample)
  const rows = Math.max(1, sample.rows)
  return (run) => Math.min(1, ((sample.counts[counterOf(run, 0)] ?? 0) + 0.5) / rows)
}
