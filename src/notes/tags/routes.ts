import { endpoints } from '../../http/endpoints.ts'
import { deleteTag, findTagUsage, readTag } from './deletion.ts'
import { setTagLinks } from './links.ts'
import * as schema from './schema.ts'
import { listTags, patchTag } from './service.ts'

export function tagRoutes() {
  return endpoints('Tags', '/v1/tags', 'notes')
    .get('', ({ exchange }) => exchange.call(listTags, {}), {
      access: 'read',
      response: schema.TagsResponse,
      operationId: 'listTags',
      summary: 'List tags by name',
      description:
        'Each with the number of active notes that carry it. A tag is made by writing it on a note.',
    })
    .get('/:id', ({ exchange, params }) => exchange.call(readTag, params), {
      access: 'read',
      response: schema.TagWithUseResponse,
      operationId: 'getTag',
      summary: 'Read a tag and what uses it',
      description: '`used_by` names the views and lenses whose filters name the tag.',
    })
    .patch('/:id', ({ exchange, params, body }) => exchange.call(patchTag, { ...params, body }), {
      access: 'write',
      body: schema.TagPatch,
      response: schema.TagResponse,
      operationId: 'updateTag',
      summary: 'Rename, colour or pin a tag',
      description: 'Notes, views and lenses follow a new name.',
    })
    .delete(
      '/:id',
      async ({ exchange, params }) =>
        exchange.call(deleteTag, { ...params, found: await exchange.outputOf(findTagUsage, params) }),
      {
        access: 'write',
        response: schema.DeletedTagResponse,
        operationId: 'deleteTag',
        summary: 'Take a tag off every note and remove it',
        description:
          'Refused (409) while a filter of a view or the scope of a lens names it; the sentence says which.',
      },
    )
    .put('/:id/links', ({ exchange, params, body }) => exchange.call(setTagLinks, { ...params, body }), {
      access: 'write',
      body: schema.TagLinksBody,
      response: schema.TagResponse,
      operationId: 'setTagLinks',
      summary: 'Replace the tags that come along with a tag',
      description:
        'From now on, and at once on the notes that carry the tag, the linked tags come along, and those linked to them. Taking a link away takes no tag off any note.',
    })
}
