import type { AppContext } from '../context.ts'
import { endpoints } from '../http/endpoints.ts'
import { respondOnce } from '../http/idempotency.ts'
import { jsonResponse } from '../http/responses.ts'
import { respondWhole } from '../http/whole-list.ts'
import { NotesResponse } from '../notes/schema.ts'
import * as schema from './schema.ts'
import {
  createView,
  deleteView,
  listViewNotes,
  parseView,
  patchView,
  viewKind,
  viewsQuery,
} from './service.ts'

export const viewRoutes = (ctx: AppContext) =>
  endpoints('Views', '/v1/views', 'notes')
    .get('', ({ caller }) => respondWhole(ctx, caller, viewsQuery, {}), {
      access: 'read',
      response: schema.ViewsResponse,
      operationId: 'listViews',
      summary: 'List views by creation',
      description: 'The definitions; the notes of a view are at `GET /v1/views/{id}/notes`.',
    })
    .post(
      '',
      ({ exchange, caller, body }) =>
        respondOnce(ctx.db, exchange, (tx) => ({ view: createView(tx, caller, parseView(body)) })),
      {
        access: 'write',
        once: true,
        body: schema.CreateViewBody,
        response: schema.ViewResponse,
        operationId: 'createView',
        summary: 'Save a view',
        description:
          'Without a filter it shows every note. The operators of `filter` are in the description of `POST /v1/notes/query`.',
      },
    )
    .get('/:id', ({ caller, params }) => ({ view: viewKind.get(ctx.db, caller, params.id) }), {
      access: 'read',
      response: schema.ViewResponse,
      operationId: 'getView',
      summary: 'Read a view',
      description: '`filter_summary` is the filter as a sentence.',
    })
    .get(
      '/:id/notes',
      async ({ caller, params, query }) => jsonResponse(await listViewNotes(ctx, caller, params.id, query)),
      {
        access: 'read',
        query: schema.ViewNotesQuery,
        response: NotesResponse,
        operationId: 'listViewNotes',
        summary: 'The notes that a view matches now, in its order',
        description:
          'Evaluated at every call; `content=false` leaves the bodies out. Notes without a value in the property that orders the view come last.',
      },
    )
    .patch(
      '/:id',
      async ({ caller, params, body }) => ({
        view: await patchView(ctx, caller, params.id, parseView(body)),
      }),
      {
        access: 'write',
        body: schema.PatchViewBody,
        response: schema.ViewResponse,
        operationId: 'updateView',
        summary: 'Change a view',
        description:
          'Only what is sent changes; `filter` and `sort` are each replaced whole, and `filter: null` shows every note.',
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await deleteView(ctx, caller, params.id)
        return { deleted: true, id: params.id }
      },
      {
        access: 'write',
        response: schema.DeletedViewResponse,
        operationId: 'deleteView',
        summary: 'Delete a view; notes are untouched',
        description: 'Its filter, order and display are gone.',
      },
    )
