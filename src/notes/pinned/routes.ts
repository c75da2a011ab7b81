import { endpoints } from '../../http/endpoints.ts'
import * as schema from './schema.ts'
import { createItem, deleteItem, listItems, patchItem } from './service.ts'

export const quickAccessRoutes = () =>
  endpoints('Quick Access', '/v1/quick-access', 'notes')
    .get('', ({ exchange }) => exchange.call(listItems, {}), {
      access: 'read',
      response: schema.QuickAccessResponse,
      operationId: 'listQuickAccess',
      summary: 'List pinned notes in their order',
      description: 'Trashing a note takes its item away.',
    })
    .post('', ({ exchange, body }) => exchange.create(createItem, { body }), {
      access: 'write',
      once: true,
      body: schema.CreateItemBody,
      response: schema.QuickAccessItemResponse,
      operationId: 'createQuickAccessItem',
      summary: 'Pin a note to the sidebar',
      description: 'Without `position` it goes last. A note that is pinned already is refused (409).',
    })
    .patch('/:id', ({ exchange, params, body }) => exchange.call(patchItem, { ...params, body }), {
      access: 'write',
      body: schema.PatchItemBody,
      response: schema.QuickAccessItemResponse,
      operationId: 'updateQuickAccessItem',
      summary: 'Restyle or move a pinned note',
      description:
        '`id` is that of the item or of its note. The items between the old and the new position shift.',
    })
    .delete('/:id', ({ exchange, params }) => exchange.call(deleteItem, params), {
      access: 'write',
      response: schema.DeletedItemResponse,
      operationId: 'deleteQuickAccessItem',
      summary: 'Unpin a note; the note stays',
      description: "`id` is that of the item or of its note; the answer has the item's.",
    })
