import type { AppContext } from '../context.ts'
import { endpoints } from '../http/endpoints.ts'
import * as operations from './operations.ts'
import * as schema from './schema.ts'
import { passwordHashOfNew, passwordHashOfPatch } from './service.ts'

export const shareRoutes = (ctx: AppContext) => {
  const originOf = (request: Request) => ctx.config.publicUrls[0] ?? new URL(request.url).origin
  return endpoints('Shares', '/v1/shares', 'several')
    .get(
      '',
      ({ exchange, query, request }) =>
        exchange.call(operations.readShares, { ...query, origin: originOf(request) }),
      {
        access: 'read',
        query: schema.ListQuery,
        response: schema.SharesResponse,
        operationId: 'listShares',
        summary: 'List shares by creation',
        description:
          'Editors see their own shares, and owners those of all members. Callers who can only read see the shares of objects that they can read, without the URLs.',
      },
    )
    .post(
      '',
      async ({ exchange, caller, body, request }) => {
        const passwordHash = await passwordHashOfNew(ctx, caller, body)
        return exchange.create(operations.createShare, { body, passwordHash, origin: originOf(request) })
      },
      {
        access: 'write',
        once: true,
        body: schema.CreateShareBody,
        response: schema.ShareResponse,
        operationId: 'createShare',
        summary: 'Share a note, a view, a view of rows, or a form',
        description:
          'The URL opens without an account. It ends with `expires_at`, with its target, and when its maker is removed or may no longer write the target.',
      },
    )
    .get(
      '/:id',
      ({ exchange, params, request }) =>
        exchange.call(operations.readShare, { ...params, origin: originOf(request) }),
      {
        access: 'read',
        response: schema.ShareResponse,
        operationId: 'getShare',
        summary: 'Read a share',
        description: 'How often it was used, and when last, is up to some seconds old.',
      },
    )
    .patch(
      '/:id',
      async ({ exchange, caller, params, body, request }) => {
        const passwordHash = await passwordHashOfPatch(ctx, caller, params.id, body)
        const origin = originOf(request)
        return exchange.call(operations.patchShare, { ...params, body, passwordHash, origin })
      },
      {
        access: 'write',
        body: schema.PatchShareBody,
        response: schema.ShareResponse,
        operationId: 'updateShare',
        summary: 'Change a share',
        description:
          'Only what is sent changes; `options` are replaced whole, and `password: null` takes the password away.',
      },
    )
    .delete('/:id', ({ exchange, params }) => exchange.call(operations.deleteShare, params), {
      access: 'write',
      response: schema.DeletedShareResponse,
      operationId: 'deleteShare',
      summary: 'End a share',
      description: 'Its URL is no longer found.',
    })
    .post(
      '/:id/rotate',
      ({ exchange, params, request }) =>
        exchange.call(operations.rotateShare, { ...params, origin: originOf(request) }),
      {
        access: 'write',
        response: schema.ShareResponse,
        operationId: 'rotateShare',
        summary: 'Give a share another URL',
        description: 'The old URL is no longer found.',
      },
    )
}
