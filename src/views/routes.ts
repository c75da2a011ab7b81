import { Elysia } from 'elysia'
import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { presentPage } from '../http/page.ts'
import { keyed } from '../http/request-context.ts'
import { NoBody, NoQuery } from '../http/schema/types.ts'
import { presentNote } from '../notes/present.ts'
import { NotesAnswer } from '../notes/schema.ts'
import { listViewNotes } from './notes.ts'
import { presentView } from './present.ts'
import * as schema from './schema.ts'
import { createView, deleteView, getView, listViews, patchView } from './service.ts'

const tags = ['Views']

export const viewRoutes = (ctx: AppContext) =>
  new Elysia({ prefix: '/v1/views' })
    .use(keyed())
    .get('/', ({ caller }) => ({ views: listViews(ctx.db, caller).map(presentView) }), {
      query: NoQuery,
      response: schema.ViewsAnswer,
      detail: { operationId: 'listViews', tags, summary: 'List views by creation' },
    })
    .post(
      '/',
      ({ caller, request, body }) =>
        respondOnce(ctx.db, request, (tx) => ({ view: presentView(createView(tx, caller, body)) })),
      {
        write: true,
        creates: true,
        query: NoQuery,
        body: schema.CreateViewBody,
        response: { 201: schema.ViewAnswer },
        detail: { operationId: 'createView', tags, summary: 'Save a view' },
      },
    )
    .get('/:id', ({ caller, params }) => ({ view: presentView(getView(ctx.db, caller, params.id)) }), {
      query: NoQuery,
      response: schema.ViewAnswer,
      detail: { operationId: 'getView', tags, summary: 'Read a view' },
    })
    .get(
      '/:id/notes',
      async ({ caller, params, query }) => {
        const page = await listViewNotes(ctx, caller, params.id, query)
        return { notes: page.items.map(({ row }) => presentNote(row)), ...presentPage(query, page) }
      },
      {
        query: schema.ViewNotesQuery,
        response: NotesAnswer,
        detail: {
          operationId: 'listViewNotes',
          tags,
          summary: 'The notes that a view matches now, in its order',
        },
      },
    )
    .patch(
      '/:id',
      async ({ caller, params, body }) => ({
        view: presentView(await patchView(ctx, caller, params.id, body)),
      }),
      {
        write: true,
        query: NoQuery,
        body: schema.PatchViewBody,
        response: schema.ViewAnswer,
        detail: { operationId: 'updateView', tags, summary: 'Change a view' },
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await deleteView(ctx, caller, params.id)
        return { deleted: true, id: params.id }
      },
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.DeletedViewAnswer,
        detail: { operationId: 'deleteView', tags, summary: 'Delete a view; notes are untouched' },
      },
    )
