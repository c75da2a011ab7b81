import type { Static } from '@sinclair/typebox'
import { type AppContext, type Caller, type InWorkspace, placeOf } from '../context.ts'
import type { WorkerQuery } from '../db/worker/client.ts'
import { type PageRequest, pageRequest } from '../http/pagination.ts'
import type { JsonBody } from '../http/responses.ts'
import { utcDay } from '../lib/dates.ts'
import type { ShownParts } from '../notes/query/note-page.ts'
import { type NoteSort, treeQuery } from '../notes/query/tree-query.ts'
import type { ViewNotesQuery as NotesRequest } from './schema.ts'
import { filterOf, type ViewRow, viewKind } from './service.ts'

interface ViewNotesQuery extends InWorkspace {
  readonly id: string
  readonly page: PageRequest
  readonly shown: ShownParts
  /** The UTC day, `YYYY-MM-DD`. */
  readonly today: string
}

/** The order of a view. */
export const sortOf = ({ sortField: field, sortDirection: direction, sortProperty }: ViewRow): NoteSort => ({
  field,
  direction,
  ...(sortProperty !== null && { property: sortProperty }),
})

/**
 * The notes of a view. The view itself is read in the same snapshot as its notes: while the query waits for the
 * worker, the view may change, and what it names may be deleted.
 */
export const viewQuery: WorkerQuery<ViewNotesQuery, JsonBody> = {
  name: 'views.notes',
  run: (reader, { id, page, shown, today, ...caller }) => {
    const row = viewKind.getRow(reader, caller, id)
    const query = { filter: filterOf(row), sort: sortOf(row), page, shown, today }
    return treeQuery.run(reader, { workspace: caller.workspacePk, ...query })
  },
}

/** One page of the notes that match the view now, in its order. */
export async function listViewNotes(
  ctx: AppContext,
  caller: Caller,
  id: string,
  { content, excerpt, ...page }: Static<typeof NotesRequest>,
): Promise<JsonBody> {
  const today = utcDay(ctx.clock.now())
  const wanted = { page: pageRequest(page), shown: { content, excerpt } }
  return ctx.worker.run(viewQuery, { ...placeOf(caller), id, ...wanted, today }, caller)
}
