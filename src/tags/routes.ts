import type { AppContext } from '../context.ts'
import { routes } from '../http/routes.ts'
import { respondWhole } from '../http/whole-list.ts'
import { deleteTag } from './deletion.ts'
import { setTagLinks } from './links.ts'
import { tagsQuery } from './list.ts'
import * as schema from './schema.ts'
import { getTag, patchTag } from './service.ts'

export const tagRoutes = (ctx: AppContext) =>
  routes('Tags', '/v1/tags')
    .get('/', 'listTags', 'List tags by name', ({ caller }) => respondWhole(ctx, caller, tagsQuery, {}), {
      response: schema.TagsResponse,
      description:
        'Each with the number of active notes that carry it. A tag is made by writing it on a note.',
    })
    .get(
      '/:id',
      'getTag',
      'Read a tag and what uses it',
      ({ caller, params }) => getTag(ctx, caller, params.id),
      {
        response: schema.TagWithUseResponse,
        description: '`used_by` names the views and lenses whose filters name the tag.',
      },
    )
    .patch(
      '/:id',
      'updateTag',
      'Rename, colour or pin a tag',
      async ({ caller, params, body }) => ({ tag: await patchTag(ctx, caller, params.id, body) }),
      {
        write: true,
        body: schema.TagPatch,
        response: schema.TagResponse,
        description: 'Notes, views and lenses follow a new name.',
      },
    )
    .delete(
      '/:id',
      'deleteTag',
      'Take a tag off every note and remove it',
      async ({ caller, params }) => ({ deleted: true, id: await deleteTag(ctx, caller, params.id) }),
      {
        write: true,
        response: schema.DeletedTagResponse,
        description:
          'Refused (409) while a filter of a view or the scope of a lens names it; the sentence says which.',
      },
    )
    .put(
      '/:id/links',
      'setTagLinks',
      'Replace the tags that come along with a tag',
      async ({ caller, params, body }) => ({
        tag: await setTagLinks(ctx, caller, params.id, body.linked_tag_ids),
      }),
      {
        write: true,
        body: schema.TagLinksBody,
        response: schema.TagResponse,
        description:
          'From now on, and at once on the notes that carry the tag, the linked tags come along, and those linked to them. Taking a link away takes no tag off any note.',
      },
    )
