import type { Reader } from '../../db/reader.ts'
import { eachRecord, type RecordRow } from '../store.ts'
import { type ListInput, planList } from './list.ts'
import { pageParts, scanPath, sortedPath, textIndexPath } from './planner.ts'
import { rowQuery, scanSource, withView } from './row-query.ts'

/*
 * All rows of a list in its order, to be read some at a time: their pks are found at once, so that a row that is written or
 * deleted meanwhile moves no other.
 */

/** The pks of all rows of a list in its order. */
export function pksInOrder(reader: Reader, input: ListInput): Float64Array {
  const plan = planList(reader, input)
  const { query, choice, indexes, sort, direction } = plan
  const few = choice?.few === undefined ? undefined : choice.path
  const sorted = query.conditions.length === 0 ? sortedPath(plan) : undefined
  const path = few ?? textIndexPath(reader, query, indexes) ?? sorted ?? scanPath(choice)
  const parts = pageParts(reader, query, path, sort, { direction, isReversed: false })
  const pks = parts.flatMap(({ source, orderBy }) =>
    reader.sql.column<number>(`SELECT pk ${source.text} ${orderBy}`, ...source.values),
  )
  return Float64Array.from(pks)
}

/** Those of these rows that were not changed meanwhile so that the list does not hold them any more. */
export function* rowsInList(
  reader: Reader,
  { caller, request }: ListInput,
  pks: readonly number[],
): Generator<RecordRow> {
  const query = rowQuery(reader, caller, withView(reader, caller, request))
  const { text, values } = scanSource(reader, query, { by: 'pk', pks })
  const matching = new Set(reader.sql.column<number>(`SELECT pk ${text}`, ...values))
  yield* eachRecord(
    reader,
    pks.filter((pk) => matching.has(pk)),
  )
}
