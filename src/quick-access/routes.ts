import { Elysia } from 'elysia'
import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { keyed } from '../http/request-context.ts'
import { NoBody, NoQuery } from '../http/schema/types.ts'
import { presentItem } from './present.ts'
import * as schema from './schema.ts'
import { createItem, deleteItem, listItems, patchItem } from './service.ts'

const tags = ['Quick Access']

export const quickAccessRoutes = (ctx: AppContext) =>
  new Elysia({ prefix: '/v1/quick-access' })
    .use(keyed())
    .get('/', ({ caller }) => ({ items: listItems(ctx.db, caller).map(presentItem) }), {
      query: NoQuery,
      response: schema.QuickAccessAnswer,
      detail: { operationId: 'listQuickAccess', tags, summary: 'List pinned notes in their order' },
    })
    .post(
      '/',
      ({ caller, request, body }) =>
        respondOnce(ctx.db, request, (tx) => ({ item: presentItem(createItem(tx, caller, body)) })),
      {
        write: true,
        creates: true,
        query: NoQuery,
        body: schema.CreateItemBody,
        response: { 201: schema.QuickAccessItemAnswer },
        detail: { operationId: 'createQuickAccessItem', tags, summary: 'Pin a note to the sidebar' },
      },
    )
    .patch(
      '/:id',
      async ({ caller, params, body }) => ({
        item: presentItem(await patchItem(ctx, caller, params.id, body)),
      }),
      {
        write: true,
        query: NoQuery,
        body: schema.PatchItemBody,
        response: schema.QuickAccessItemAnswer,
        detail: { operationId: 'updateQuickAccessItem', tags, summary: 'Restyle or move a pinned note' },
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => ({ deleted: true, id: await deleteItem(ctx, caller, params.id) }),
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.DeletedItemAnswer,
        detail: { operationId: 'deleteQuickAccessItem', tags, summary: 'Unpin a note; the note stays' },
      },
    )
