import { endpoints } from '../../http/endpoints.ts'
import * as schema from './schema.ts'
import { createRowView, deleteRowView, listShownRowViews, patchRowView, readRowView } from './service.ts'

export const rowViewRoutes = () =>
  endpoints('Views of rows', '/v1/records/views', 'structures')
    .get('', ({ exchange, query }) => exchange.call(listShownRowViews, query), {
      access: 'read',
      query: schema.RowViewsQuery,
      response: schema.RowViewsResponse,
      operationId: 'listRowViews',
      summary: 'List views of rows by position',
      description:
        'Of all structures, one after the other, or of one: the shared ones, and your personal ones.',
    })
    .post('', ({ exchange, body }) => exchange.create(createRowView, { body }), {
      access: 'write',
      once: true,
      body: schema.CreateRowViewBody,
      response: schema.RowViewResponse,
      operationId: 'createRowView',
      summary: 'Save a view of the rows of a structure',
      description:
        'A board needs `group_by`, a calendar `date_field`. A structure holds up to 200 views. The operators of `filter` are in the description of `GET /v1/records`.',
    })
    .get('/:id', ({ exchange, params }) => exchange.call(readRowView, params), {
      access: 'read',
      entity: true,
      response: schema.RowViewResponse,
      operationId: 'getRowView',
      summary: 'Read a view of rows',
      description: '`GET /v1/records?view=` lists its rows.',
    })
    .patch('/:id', ({ exchange, params, body }) => exchange.call(patchRowView, { ...params, body }), {
      access: 'write',
      entity: true,
      body: schema.PatchRowViewBody,
      response: schema.RowViewResponse,
      operationId: 'updateRowView',
      summary: 'Change a view of rows',
      description:
        'Only what is sent changes; `filter` and `columns` are each replaced whole. Of a locked view only `locked` can be changed, by its maker or an owner.',
    })
    .delete('/:id', ({ exchange, params }) => exchange.call(deleteRowView, params), {
      access: 'write',
      entity: true,
      response: schema.DeletedRowViewResponse,
      operationId: 'deleteRowView',
      summary: 'Delete a view of rows; the rows are untouched',
      description: 'A locked one has to be unlocked first.',
    })
