import type { AppContext, Caller } from '../context.ts'
import type { WorkerQuery } from '../db/worker/client.ts'
import { type PageRequest, pageRequest } from '../http/page.ts'
import type { JsonBody } from '../http/responses.ts'
import { utcDay } from '../lib/dates.ts'
import type { NotePagePlan } from '../notes/query/note-page.ts'
import { treeRead } from '../notes/query/tree-query.ts'
import { filterOf, getViewRow } from './service.ts'

interface ViewNotesQuery {
  readonly workspacePk: number
  readonly id: string
  readonly page: PageRequest
  /** The UTC day, `YYYY-MM-DD`. */
  readonly today: string
}

/**
 * The notes of a view. The view itself is read in the same snapshot as its notes: while the query waits for the
 * worker, the view may change, and what it names may be deleted.
 */
export const viewRead: WorkerQuery<ViewNotesQuery, NotePagePlan, JsonBody> = {
  name: 'views.notes',
  plan: (reader, { workspacePk, id, page, today }) => {
    const row = getViewRow(reader, { workspacePk }, id)
    const { sortField: field, sortDirection: direction, sortProperty } = row
    const sort = { field, direction, ...(sortProperty !== null && { property: sortProperty }) }
    return treeRead.plan(reader, { workspace: workspacePk, filter: filterOf(row), sort, page, today })
  },
  run: treeRead.run,
}

/** One page of the notes that match the view now, in its order. */
export async function listViewNotes(
  ctx: AppContext,
  caller: Caller,
  id: string,
  query: { limit?: number; offset?: number },
): Promise<JsonBody> {
  const today = utcDay(ctx.clock.now())
  const { workspacePk } = caller
  return ctx.worker.run(viewRead, { workspacePk, id, page: pageRequest(query), today }, caller)
}
