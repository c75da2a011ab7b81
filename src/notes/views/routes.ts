import { endpoints } from '../../http/endpoints.ts'
import { NotesResponse } from '../schema.ts'
import * as schema from './schema.ts'
import { createView, deleteView, getView, listViewNotes, listViews, patchView } from './service.ts'

export const viewRoutes = () =>
  endpoints('Views', '/v1/views', 'notes')
    .get('', ({ exchange }) => exchange.call(listViews, {}), {
      access: 'read',
      response: schema.ViewsResponse,
      operationId: 'listViews',
      summary: 'List views by creation',
      description: 'The definitions; the notes of a view are at `GET /v1/views/{id}/notes`.',
    })
    .post('', ({ exchange, body }) => exchange.create(createView, { body }), {
      access: 'write',
      once: true,
      body: schema.CreateViewBody,
      response: schema.ViewResponse,
      operationId: 'createView',
      summary: 'Save a view',
      description:
        'Without a filter it shows every note. The operators of `filter` are in the description of `POST /v1/notes/query`.',
    })
    .get('/:id', ({ exchange, params }) => exchange.call(getView, params), {
      access: 'read',
      entity: true,
      response: schema.ViewResponse,
      operationId: 'getView',
      summary: 'Read a view',
      description: '`filter_summary` is the filter as a sentence.',
    })
    .get(
      '/:id/notes',
      ({ exchange, params, query }) => exchange.call(listViewNotes, { ...params, ...query }),
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
    .patch('/:id', ({ exchange, params, body }) => exchange.call(patchView, { ...params, body }), {
      access: 'write',
      entity: true,
      body: schema.PatchViewBody,
      response: schema.ViewResponse,
      operationId: 'updateView',
      summary: 'Change a view',
      description:
        'Only what is sent changes; `filter` and `sort` are each replaced whole, and `filter: null` shows every note.',
    })
    .delete('/:id', ({ exchange, params }) => exchange.call(deleteView, params), {
      access: 'write',
      entity: true,
      response: schema.DeletedViewResponse,
      operationId: 'deleteView',
      summary: 'Delete a view; notes are untouched',
      description: 'Its filter, order and display are gone.',
    })
