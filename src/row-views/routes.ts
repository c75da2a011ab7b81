import type { AppContext } from '../context.ts'
import { endpoints } from '../http/endpoints.ts'
import { respondOnce } from '../http/idempotency.ts'
import { respondWhole } from '../http/whole-list.ts'
import { getStructure } from '../structures/store.ts'
import * as schema from './schema.ts'
import {
  createRowView,
  deleteRowView,
  getRowView,
  patchRowView,
  rowViewKind,
  rowViewsQuery,
} from './service.ts'

export const rowViewRoutes = (ctx: AppContext) =>
  endpoints('Views of rows', '/v1/records/views', 'structures')
    .get('', ({ caller, query }) => respondWhole(ctx, caller, rowViewsQuery, query), {
      access: 'read',
      query: schema.RowViewsQuery,
      response: schema.RowViewsResponse,
      operationId: 'listRowViews',
      summary: 'List views of rows by position',
      description:
        'Of all structures, one after the other, or of one: the shared ones, and your personal ones.',
    })
    .post(
      '',
      ({ exchange, caller, body }) =>
        respondOnce(
          ctx.db,
          exchange,
          (tx) => ({ row_view: createRowView(tx, caller, body) }),
          undefined,
          caller.rights &&
            ((tx) => getStructure(tx, caller, body.structure, body.personal ? 'read' : 'change')),
        ),
      {
        access: 'write',
        once: true,
        body: schema.CreateRowViewBody,
        response: schema.RowViewResponse,
        operationId: 'createRowView',
        summary: 'Save a view of the rows of a structure',
        description:
          'A board needs `group_by`, a calendar `date_field`. A structure holds up to 200 views. The operators of `filter` are in the description of `GET /v1/records`.',
      },
    )
    .get(
      '/:id',
      ({ caller, params }) => ({
        row_view: rowViewKind.present(getRowView(ctx.db, caller, params.id), ctx.db),
      }),
      {
        access: 'read',
        response: schema.RowViewResponse,
        operationId: 'getRowView',
        summary: 'Read a view of rows',
        description: '`GET /v1/records?view=` lists its rows.',
      },
    )
    .patch(
      '/:id',
      async ({ caller, params, body }) => ({ row_view: await patchRowView(ctx, caller, params.id, body) }),
      {
        access: 'write',
        body: schema.PatchRowViewBody,
        response: schema.RowViewResponse,
        operationId: 'updateRowView',
        summary: 'Change a view of rows',
        description:
          'Only what is sent changes; `filter` and `columns` are each replaced whole. Of a locked view only `locked` can be changed, by its maker or an owner.',
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await deleteRowView(ctx, caller, params.id)
        return { deleted: true, id: params.id }
      },
      {
        access: 'write',
        response: schema.DeletedRowViewResponse,
        operationId: 'deleteRowView',
        summary: 'Delete a view of rows; the rows are untouched',
        description: 'A locked one has to be unlocked first.',
      },
    )
