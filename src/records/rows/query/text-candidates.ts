import type { Condition } from '../../../filter/record/parse.ts'
import { rowText } from '../../../filter/record/sql.ts'
import type { Reader } from '../../../storage/reader.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import { findCandidates, isSearchable, type SearchedRows } from '../../structures/storage/text-search.ts'
import { type AccessPath, FEW_ROWS, type Indexes, type RowQuery } from './row-query.ts'

/* Finds candidates for `*` conditions in the text index. */

const MAX_CANDIDATE_SHARE = 0.2

/** Above this many candidates, a scan is faster than verifying each. */
const maxCandidates = ({ structure }: RowQuery) =>
  Math.max(FEW_ROWS, Math.floor(structure.live * MAX_CANDIDATE_SHARE))

/** The texts that conditions search for in all fields, if the text index can find them. */
export const needlesOf = (conditions: readonly Condition[]): string[] =>
  conditions
    .filter(({ target }) => target === '*')
    .map(({ operands }) => String(operands[0]?.low))
    .filter(isSearchable)

/** The structure with its text index; undefined if it has none. */
function textIndexed({ structure, definition }: RowQuery, indexes: Indexes): SearchedRows | undefined {
  const { pk, indexedTo, live } = structure
  if (indexedTo === null || !indexes.has(TEXT_INDEX)) return undefined
  return { pk, indexedTo, live, text: rowText(definition.fields) }
}

/**
 * The rows that the text index finds for the `*` conditions, a superset of the matches. Undefined if there is no text
 * index, or if it finds too many.
 */
export function textIndexPath(reader: Reader, query: RowQuery, indexes: Indexes): AccessPath | undefined {
  const structure = textIndexed(query, indexes)
  const needles = needlesOf(query.conditions)
  if (!structure || needles.length === 0) return undefined
  const pks = findCandidates(reader, structure, needles, maxCandidates(query))
  return pks && { by: 'pk', pks }
}
