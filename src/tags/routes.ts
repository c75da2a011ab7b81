import { Elysia } from 'elysia'
import type { AppContext } from '../context.ts'
import { keyed } from '../http/request-context.ts'
import { NoBody, NoQuery } from '../http/schema/types.ts'
import { presentTag, presentTagWithUsage } from './present.ts'
import * as schema from './schema.ts'
import { deleteTag, getTag, listTags, patchTag, setTagLinks } from './service.ts'

const tags = ['Tags']

export const tagRoutes = (ctx: AppContext) =>
  new Elysia({ prefix: '/v1/tags' })
    .use(keyed())
    .get('/', ({ caller }) => ({ tags: listTags(ctx.db, caller).map(presentTag) }), {
      query: NoQuery,
      response: schema.TagsAnswer,
      detail: { operationId: 'listTags', tags, summary: 'List tags by name' },
    })
    .get('/:id', ({ caller, params }) => presentTagWithUsage(getTag(ctx, caller, params.id)), {
      query: NoQuery,
      response: schema.TagWithUseAnswer,
      detail: { operationId: 'getTag', tags, summary: 'Read a tag and what uses it' },
    })
    .patch(
      '/:id',
      async ({ caller, params, body }) => ({ tag: presentTag(await patchTag(ctx, caller, params.id, body)) }),
      {
        write: true,
        query: NoQuery,
        body: schema.TagPatch,
        response: schema.TagAnswer,
        detail: { operationId: 'updateTag', tags, summary: 'Rename, colour or pin a tag' },
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => ({ deleted: true, id: await deleteTag(ctx, caller, params.id) }),
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.DeletedTagAnswer,
        detail: { operationId: 'deleteTag', tags, summary: 'Take a tag off every note and remove it' },
      },
    )
    .put(
      '/:id/links',
      async ({ caller, params, body }) => ({
        tag: presentTag(await setTagLinks(ctx, caller, params.id, body.linked_tag_ids)),
      }),
      {
        write: true,
        query: NoQuery,
        body: schema.TagLinksBody,
        response: schema.TagAnswer,
        detail: { operationId: 'setTagLinks', tags, summary: 'Replace the tags that come along with a tag' },
      },
    )
