import { lastChange } from '../../changes/log.ts'
import type { WorkerQuery } from '../../db/worker/client.ts'
import { type ListInput, type ListPlan, type ListResult, listQuery } from '../query/list.ts'

interface WatchPlan extends ListPlan {
  readonly position: number
}

interface WatchResult extends ListResult {
  /** The number of the last change of the workspace. */
  readonly position: number
}

/** A page of the list, and the place in the change log of the same moment. */
export const watchQuery: WorkerQuery<ListInput, WatchPlan, WatchResult> = {
  name: 'records.watch',
  plan: (reader, input) => ({
    ...listQuery.plan(reader, input),
    position: lastChange(reader, input.caller.workspacePk),
  }),
  run: (reader, plan, maxLength) => ({ ...listQuery.run(reader, plan, maxLength), position: plan.position }),
}
