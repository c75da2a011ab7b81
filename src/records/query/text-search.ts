import type { Reader } from '../../db/reader.ts'
import type { Condition } from '../../filter/record/parse.ts'
import type { ScanCost } from '../../structures/storage/index-policy.ts'
import { findCandidates, isSearchable, TEXT_INDEX } from '../../structures/storage/text-index.ts'
import { FEW, type Indexes } from './index-choice.ts'
import type { Entry, RowQuery } from './row-query.ts'

/*
 * `*` searches through the structure's search table, where there is one and it leads to so few rows that looking
 * at each of them is worth it.
 */

const WORTH_SHARE = 0.05

/** The most rows that are looked at one by one rather than in a scan. */
const mostCandidates = ({ structure }: RowQuery) => Math.max(FEW, Math.floor(structure.live * WORTH_SHARE))

const needlesOf = (conditions: readonly Condition[]): string[] =>
  conditions
    .filter(({ target }) => target === TEXT_INDEX)
    .map(({ operands }) => String(operands[0]?.low))
    .filter(isSearchable)

/**
 * The rows that a search table leads to; all that match are among them. Undefined where there is none, or it
 * would not help. Where words are frequent it takes long itself: never to be asked on the thread of the requests
 * about a structure of many rows.
 */
export function searchEntry(reader: Reader, query: RowQuery, indexes: Indexes): Entry | undefined {
  const { pk, indexedTo } = query.structure
  if (indexedTo === null || !indexes.has(TEXT_INDEX)) return undefined
  const needles = needlesOf(query.conditions)
  if (needles.length === 0) return undefined
  const pks = findCandidates(reader, { pk, indexedTo }, needles, mostCandidates(query))
  return pks && { by: 'pk', pks }
}

/** The scan that a search table would have spared: one for a text that it can find and that few rows hold. */
export function searchScan(query: RowQuery, total: number, ms: number): ScanCost[] {
  if (needlesOf(query.conditions).length === 0 || total > mostCandidates(query)) return []
  return [{ column: TEXT_INDEX, ms }]
}
