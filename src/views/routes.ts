import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { jsonResponse } from '../http/responses.ts'
import { routes } from '../http/routes.ts'
import { NotesResponse } from '../notes/schema.ts'
import { listViewNotes } from './notes.ts'
import { presentView } from './present.ts'
import * as schema from './schema.ts'
import { createView, deleteView, getView, listViews, parseView, patchView } from './service.ts'

export const viewRoutes = (ctx: AppContext) =>
  routes('Views', '/v1/views')
    .get(
      '/',
      'listViews',
      'List views by creation',
      ({ caller }) => ({ views: listViews(ctx.db, caller).map(presentView) }),
      { response: schema.ViewsResponse },
    )
    .post(
      '/',
      'createView',
      'Save a view',
      (request) =>
        respondOnce(ctx.db, request, (tx) => ({
          view: presentView(createView(tx, request.caller, parseView(request.body))),
        })),
      { write: true, creates: true, body: schema.CreateViewBody, response: schema.ViewResponse },
    )
    .get(
      '/:id',
      'getView',
      'Read a view',
      ({ caller, params }) => ({ view: presentView(getView(ctx.db, caller, params.id)) }),
      { response: schema.ViewResponse },
    )
    .get(
      '/:id/notes',
      'listViewNotes',
      'The notes that a view matches now, in its order',
      async ({ caller, params, query }) => jsonResponse(await listViewNotes(ctx, caller, params.id, query)),
      { query: schema.ViewNotesQuery, response: NotesResponse },
    )
    .patch(
      '/:id',
      'updateView',
      'Change a view',
      async ({ caller, params, body }) => ({
        view: presentView(await patchView(ctx, caller, params.id, parseView(body))),
      }),
      { write: true, body: schema.PatchViewBody, response: schema.ViewResponse },
    )
    .delete(
      '/:id',
      'deleteView',
      'Delete a view; notes are untouched',
      async ({ caller, params }) => {
        await deleteView(ctx, caller, params.id)
        return { deleted: true, id: params.id }
      },
      { write: true, response: schema.DeletedViewResponse },
    )
