import { type Direction, sqlWay } from '../../db/direction.ts'
import type { PageRequest } from '../../http/page.ts'
import { pksOf } from './bitset.ts'
import type { Evaluation, Matching } from './evaluate.ts'

/** The notes that match as a JSON list, when they are few. */
export const candidatesOf = ({ few }: Evaluation, { set, total }: Matching): string | undefined =>
  !set.isComplement && total <= few ? JSON.stringify(pksOf(set)) : undefined

export interface Walked {
  readonly found: number[]
  /** How many of those wanted were met, those passed over included; all there are when the page is not full. */
  readonly met: number
}

const LEAST_STEP = 200

/**
 * Walks notes in their order and answers a page of those wanted. `sparsity` guesses how many are met for one that
 * is wanted; steps grow, so that a wrong guess costs little.
 */
export function walk(
  fetch: (limit: number, offset: number) => readonly number[],
  isWanted: (pk: number) => boolean,
  { limit, offset }: PageRequest,
  sparsity: number,
): Walked {
  const found: number[] = []
  let met = 0
  let step = LEAST_STEP + Math.ceil((offset + limit) * sparsity)
  for (let from = 0; ; from += step, step *= 2) {
    const pks = fetch(step, from)
    for (const pk of pks) {
      if (!isWanted(pk)) continue
      met += 1
      if (met > offset) found.push(pk)
      if (found.length === limit) return { found, met }
    }
    if (pks.length < step) return { found, met }
  }
}

/** Pks that stand in ascending order, by id. */
export function byId(
  { reader, inOrder }: Evaluation,
  pks: readonly number[],
  direction: Direction,
): number[] {
  if (inOrder) return direction === 'asc' ? [...pks] : pks.toReversed()
  return reader.sql.column(
    `SELECT pk FROM notes NOT INDEXED WHERE pk IN (SELECT value FROM json_each(?)) ORDER BY id ${sqlWay(direction)}`,
    JSON.stringify(pks),
  )
}
