import { isKeptAfter } from '../../changes/epochs.ts'
import { lastChange } from '../../changes/log.ts'
import type { RecordData, RecordState } from '../../changes/record-change.ts'
import { type Replaced, replacedAfter } from '../../changes/replaced.ts'
import type { Reader } from '../../db/reader.ts'
import type { QueryPlan, WorkerQuery } from '../../db/worker/client.ts'
import { matchesFilter } from '../../filter/record/match.ts'
import { firstRowsWithout, type ListInput, type ListPlan, listQuery } from '../query/list.ts'
import { dataOf, findRecords, stateOf } from '../store.ts'
import type { Versions } from './page.ts'
import { compareStates } from './sort.ts'

/*
 * A page as it was at an earlier place in the change log. The rows that have not changed since are read as they are;
 * the others are taken back to how they were, from the old values in the log.
 */

interface PastInput extends ListInput {
  /** The number of the last change before the page was read. */
  readonly position: number
}

interface PastPlan extends QueryPlan {
  readonly input: PastInput
  readonly list: ListPlan
}

/** What taking back a change costs, in rows of a scan. */
const CHANGE_COST = 20
const RECORDS_AT_ONCE = 1_000

/** The versions of an earlier page; undefined if the log does not tell them. */
export const pastPageQuery: WorkerQuery<PastInput, PastPlan, Versions | undefined> = {
  name: 'records.past',
  plan: (reader, input) => {
    const list = listQuery.plan(reader, input)
    const changes = lastChange(reader, input.caller.workspacePk) - input.position
    return { input, list, cost: list.cost + changes * CHANGE_COST }
  },
  run: readPastPage,
}

function readPastPage(reader: Reader, { input, list }: PastPlan): Versions | undefined {
  const { caller, position } = input
  const { query, sort, direction, page } = list
  if (!isKeptAfter(reader, caller.workspacePk, position)) return undefined
  const replaced = replacedAfter(reader, caller.workspacePk, query.structure.id, position)
  if (!replaced) return undefined
  const unchanged = firstRowsWithout(reader, list, [...replaced.keys()]).map((row) =>
    stateOf(row, dataOf(row)),
  )
  const changed = [...statesBefore(reader, replaced)].filter((state) =>
    matchesFilter(state, query.conditions),
  )
  const states = [...unchanged, ...changed].sort(compareStates(sort, direction)).slice(0, page.limit)
  return new Map(states.map(({ id, updatedAt }) => [id, updatedAt]))
}

/** The records that were live, as they were. */
function* statesBefore(
  reader: Reader,
  replaced: ReadonlyMap<string, Replaced | undefined>,
): Generator<RecordState> {
  const ids = [...replaced.keys()].filter((id) => replaced.get(id) !== undefined)
  for (let start = 0; start < ids.length; start += RECORDS_AT_ONCE) {
    for (const row of findRecords(reader, ids.slice(start, start + RECORDS_AT_ONCE))) {
      const before = replaced.get(row.id)
      if (before) yield { ...stateOf(row, dataBefore(dataOf(row), before)), updatedAt: before.updatedAt }
    }
  }
}

function dataBefore(data: RecordData, { values }: Replaced): RecordData {
  const merged = { ...data, ...values }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as RecordData
}
