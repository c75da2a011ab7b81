import type { AppContext } from '../context.ts'
import { endpoints } from '../http/endpoints.ts'
import { respondOnce } from '../http/idempotency.ts'
import { respondWhole } from '../http/whole-list.ts'
import * as schema from './schema.ts'
import { deleteItem, patchItem, pinNote, quickAccessQuery } from './service.ts'

export const quickAccessRoutes = (ctx: AppContext) =>
  endpoints('Quick Access', '/v1/quick-access', 'notes')
    .get('', ({ caller }) => respondWhole(ctx, caller, quickAccessQuery, {}), {
      access: 'read',
      response: schema.QuickAccessResponse,
      operationId: 'listQuickAccess',
      summary: 'List pinned notes in their order',
      description: 'Trashing a note takes its item away.',
    })
    .post(
      '',
      ({ exchange, caller, body }) =>
        respondOnce(ctx.db, exchange, (tx) => ({ item: pinNote(tx, caller, body) })),
      {
        access: 'write',
        once: true,
        body: schema.CreateItemBody,
        response: schema.QuickAccessItemResponse,
        operationId: 'createQuickAccessItem',
        summary: 'Pin a note to the sidebar',
        description: 'Without `position` it goes last. A note that is pinned already is refused (409).',
      },
    )
    .patch(
      '/:id',
      async ({ caller, params, body }) => ({ item: await patchItem(ctx, caller, params.id, body) }),
      {
        access: 'write',
        body: schema.PatchItemBody,
        response: schema.QuickAccessItemResponse,
        operationId: 'updateQuickAccessItem',
        summary: 'Restyle or move a pinned note',
        description:
          '`id` is that of the item or of its note. The items between the old and the new position shift.',
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => ({ deleted: true, id: await deleteItem(ctx, caller, params.id) }),
      {
        access: 'write',
        response: schema.DeletedItemResponse,
        operationId: 'deleteQuickAccessItem',
        summary: 'Unpin a note; the note stays',
        description: "`id` is that of the item or of its note; the answer has the item's.",
      },
    )
