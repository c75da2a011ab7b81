import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency.ts'
import { routes } from '../http/routes.ts'
import { respondWhole } from '../http/whole-list.ts'
import { quickAccessQuery } from './list.ts'
import * as schema from './schema.ts'
import { deleteItem, patchItem, pinNote } from './service.ts'

export const quickAccessRoutes = (ctx: AppContext) =>
  routes('Quick Access', '/v1/quick-access')
    .get(
      '/',
      'listQuickAccess',
      'List pinned notes in their order',
      ({ caller }) => respondWhole(ctx, caller, quickAccessQuery, {}),
      { response: schema.QuickAccessResponse, description: 'Trashing a note takes its item away.' },
    )
    .post(
      '/',
      'createQuickAccessItem',
      'Pin a note to the sidebar',
      (request) =>
        respondOnce(ctx.db, request, (tx) => ({
          item: pinNote(tx, request.caller, request.body),
        })),
      {
        write: true,
        creates: true,
        body: schema.CreateItemBody,
        response: schema.QuickAccessItemResponse,
        description: 'Without `position` it goes last. A note that is pinned already is refused (409).',
      },
    )
    .patch(
      '/:id',
      'updateQuickAccessItem',
      'Restyle or move a pinned note',
      async ({ caller, params, body }) => ({
        item: await patchItem(ctx, caller, params.id, body),
      }),
      {
        write: true,
        body: schema.PatchItemBody,
        response: schema.QuickAccessItemResponse,
        description:
          '`id` is that of the item or of its note. The items between the old and the new position shift.',
      },
    )
    .delete(
      '/:id',
      'deleteQuickAccessItem',
      'Unpin a note; the note stays',
      async ({ caller, params }) => ({ deleted: true, id: await deleteItem(ctx, caller, params.id) }),
      {
        write: true,
        response: schema.DeletedItemResponse,
        description: "`id` is that of the item or of its note; the answer has the item's.",
      },
    )
