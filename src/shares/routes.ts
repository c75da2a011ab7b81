import type { AppContext } from '../context.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { endpoints } from '../http/endpoints.ts'
import { respondOnce } from '../http/idempotency.ts'
import { pageRequest } from '../http/pagination.ts'
import * as schema from './schema.ts'
import {
  createShare,
  deleteShare,
  getShare,
  getTarget,
  listShares,
  passwordHashOfNew,
  patchShare,
  presentShare,
  rotateShare,
} from './service.ts'

export const shareRoutes = (ctx: AppContext) => {
  const originOf = (request: Request) => ctx.config.publicUrls[0] ?? new URL(request.url).origin
  return endpoints('Shares', '/v1/shares', 'several')
    .get(
      '',
      ({ caller, query, request }) => listShares(ctx.db, caller, pageRequest(query), originOf(request)),
      {
        access: 'read',
        query: schema.ListQuery,
        response: schema.SharesResponse,
        operationId: 'listShares',
        summary: 'List shares by creation',
        description:
          'Who may write sees their own shares, an owner those of everybody; who may only read sees what is open, without the URLs.',
      },
    )
    .post(
      '',
      async ({ exchange, caller, body, request }) => {
        const passwordHash = await passwordHashOfNew(ctx, caller, body)
        const create = (tx: Tx) => ({
          share: presentShare(caller, createShare(tx, caller, body, passwordHash), tx, originOf(request)),
        })
        const check = (tx: Tx): void => void getTarget(tx, caller, body.kind, body.target_id)
        return respondOnce(ctx.db, exchange, create, undefined, check)
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
      ({ caller, params, request }) => ({
        share: presentShare(caller, getShare(ctx.db, caller, params.id), ctx.db, originOf(request)),
      }),
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
      async ({ caller, params, body, request }) => ({
        share: presentShare(
          caller,
          await patchShare(ctx, caller, params.id, body),
          ctx.db,
          originOf(request),
        ),
      }),
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
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await deleteShare(ctx, caller, params.id)
        return { deleted: true, id: params.id }
      },
      {
        access: 'write',
        response: schema.DeletedShareResponse,
        operationId: 'deleteShare',
        summary: 'End a share',
        description: 'Its URL is not found any more, as one that never was.',
      },
    )
    .post(
      '/:id/rotate',
      async ({ caller, params, request }) => ({
        share: presentShare(caller, await rotateShare(ctx, caller, params.id), ctx.db, originOf(request)),
      }),
      {
        access: 'write',
        response: schema.ShareResponse,
        operationId: 'rotateShare',
        summary: 'Give a share another URL',
        description: 'The old one is not found any more.',
      },
    )
}
