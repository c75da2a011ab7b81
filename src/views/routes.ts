import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency.ts'
import { jsonResponse } from '../http/responses.ts'
import { routes } from '../http/routes.ts'
import { respondWhole } from '../http/whole-list.ts'
import { NotesResponse } from '../notes/schema.ts'
import { viewsQuery } from './list.ts'
import { listViewNotes } from './notes.ts'
import * as schema from './schema.ts'
import { createView, deleteView, parseView, patchView, viewKind } from './service.ts'

export const viewRoutes = (ctx: AppContext) =>
  routes('Views', '/v1/views')
    .get(
      '/',
      'listViews',
      'List views by creation',
      ({ caller }) => respondWhole(ctx, caller, viewsQuery, {}),
      {
        response: schema.ViewsResponse,
        description: 'The definitions; the notes of a view are at `GET /v1/views/{id}/notes`.',
      },
    )
    .post(
      '/',
      'createView',
      'Save a view',
      (request) =>
        respondOnce(ctx.db, request, (tx) => ({
          view: createView(tx, request.caller, parseView(request.body)),
        })),
      {
        write: true,
        creates: true,
        body: schema.CreateViewBody,
        response: schema.ViewResponse,
        description:
          'Without a filter it shows every note. The operators of `filter` are in the description of `POST /v1/notes/query`.',
      },
    )
    .get(
      '/:id',
      'getView',
      'Read a view',
      ({ caller, params }) => ({ view: viewKind.get(ctx.db, caller, params.id) }),
      { response: schema.ViewResponse, description: '`filter_summary` is the filter as a sentence.' },
    )
    .get(
      '/:id/notes',
      'listViewNotes',
      'The notes that a view matches now, in its order',
      async ({ caller, params, query }) => jsonResponse(await listViewNotes(ctx, caller, params.id, query)),
      {
        query: schema.ViewNotesQuery,
        response: NotesResponse,
        description:
          'Evaluated at every call; `content=false` leaves the bodies out. Notes without a value in the property that orders the view come last.',
      },
    )
    .patch(
      '/:id',
      'updateView',
      'Change a view',
      async ({ caller, params, body }) => ({
        view: await patchView(ctx, caller, params.id, parseView(body)),
      }),
      {
        write: true,
        body: schema.PatchViewBody,
        response: schema.ViewResponse,
        description:
          'Only what is sent changes; `filter` and `sort` are each replaced whole, and `filter: null` shows every note.',
      },
    )
    .delete(
      '/:id',
      'deleteView',
      'Delete a view; notes are untouched',
      async ({ caller, params }) => {
        await deleteView(ctx, caller, params.id)
        return { deleted: true, id: params.id }
      },
      {
        write: true,
        response: schema.DeletedViewResponse,
        description: 'Its filter, order and display are gone.',
      },
    )
