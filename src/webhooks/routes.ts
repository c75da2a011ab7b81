import type { AppContext } from '../context.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { respondOnce } from '../http/idempotency.ts'
import { pageRequest } from '../http/page.ts'
import { routes } from '../http/routes.ts'
import { parseInstant } from '../lib/dates.ts'
import {
  type DescribedDelivery,
  getDeliveryLog,
  listDeliveries,
  recoverDeliveries,
  redeliver,
  testWebhook,
} from './deliveries.ts'
import { presentDelivery, presentDeliveryLog, presentWebhook } from './present.ts'
import * as schema from './schema.ts'
import { rotateSecret } from './secrets.ts'
import {
  createWebhook,
  type DescribedWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  parseInput,
  patchWebhook,
} from './service.ts'

const withSecret = (webhook: DescribedWebhook & { secret: string }) => ({
  webhook: presentWebhook(webhook),
  secret: webhook.secret,
})

const presentSent = (delivery: DescribedDelivery) => ({ delivery: presentDelivery(delivery) })

export const webhookRoutes = (ctx: AppContext) =>
  routes('Webhooks', '/v1/webhooks')
    .get(
      '/',
      'listWebhooks',
      'List subscriptions by creation',
      ({ caller, query }) => ({
        webhooks: listWebhooks(ctx.db, caller, query.structure).map(presentWebhook),
      }),
      {
        query: schema.ListQuery,
        response: schema.WebhooksResponse,
        description: 'With `structure` only those of one structure. Secrets are never shown here.',
      },
    )
    .post(
      '/',
      'createWebhook',
      'Subscribe to the changes of a structure',
      (request) => {
        const { caller } = request
        const body = parseInput(request.body)
        const create = (tx: Tx) => withSecret(createWebhook(ctx, tx, caller, body))
        return respondOnce(ctx.db, request, create, { toSave: ({ webhook }) => ({ webhook }) })
      },
      {
        write: true,
        creates: true,
        body: schema.CreateWebhookBody,
        response: schema.CreatedWebhookResponse,
        description: schema.CREATE_DESCRIPTION,
      },
    )
    .get(
      '/:id',
      'getWebhook',
      'Read a subscription',
      ({ caller, params }) => ({ webhook: presentWebhook(getWebhook(ctx.db, caller, params.id)) }),
      {
        response: schema.WebhookResponse,
        description: '`status` distinguishes one that is disabled from one that was paused after failures.',
      },
    )
    .patch(
      '/:id',
      'updateWebhook',
      'Change, enable, disable or resume a subscription',
      async ({ caller, params, body }) => ({
        webhook: presentWebhook(await patchWebhook(ctx, caller, params.id, body)),
      }),
      {
        write: true,
        body: schema.PatchWebhookBody,
        response: schema.WebhookResponse,
        description:
          'Only what is sent changes. `resume: true` ends a pause and sends what waits. The operators of `filter` are in the description of `POST /v1/webhooks`.',
      },
    )
    .delete(
      '/:id',
      'deleteWebhook',
      'Delete a subscription and its deliveries',
      async ({ caller, params }) => {
        await deleteWebhook(ctx, caller, params.id)
        return { deleted: true }
      },
      {
        write: true,
        response: schema.DeletedWebhookResponse,
        description: 'What is pending is not sent any more.',
      },
    )
    .post(
      '/:id/rotate-secret',
      'rotateWebhookSecret',
      'Replace the signing secret; the old one stops working at once',
      async ({ caller, params }) => withSecret(await rotateSecret(ctx, caller, params.id, 0)),
      {
        write: true,
        response: schema.RotatedWebhookResponse,
        description:
          'The answer holds the new secret, which is shown only now; deliveries are signed with it from now on.',
      },
    )
    .post(
      '/:id/rotate',
      'rotateWebhook',
      'Replace the signing secret; the old one signs too until the overlap ends',
      async ({ caller, params, body }) =>
        withSecret(await rotateSecret(ctx, caller, params.id, body.overlap_hours)),
      {
        description: schema.ROTATE_DESCRIPTION,
        write: true,
        body: schema.RotateBody,
        response: schema.RotatedWebhookResponse,
      },
    )
    .post(
      '/:id/test',
      'testWebhook',
      'Send a webhook.test event',
      async ({ caller, params }) => presentSent(await testWebhook(ctx, caller, params.id)),
      {
        write: true,
        status: 202,
        response: schema.DeliveryResponse,
        description:
          'Delivered at once, with `record` null, also to a subscription that is disabled or paused.',
      },
    )
    .get(
      '/:id/deliveries',
      'listDeliveries',
      'List deliveries, the newest first',
      ({ caller, params, query: { status, before, ...page } }) => ({
        deliveries: listDeliveries(ctx.db, caller, params.id, {
          status,
          before,
          limit: pageRequest(page).limit,
        }).map(presentDelivery),
      }),
      {
        query: schema.DeliveriesQuery,
        response: schema.DeliveriesResponse,
        description: 'Kept for 30 days after a delivery has ended.',
      },
    )
    .post(
      '/:id/recover',
      'recoverDeliveries',
      'Send every event again whose delivery failed since an instant',
      async ({ caller, params, body }) => ({
        redelivered: await recoverDeliveries(ctx, caller, params.id, parseInstant(body.since) ?? 0),
      }),
      {
        description: schema.RECOVER_DESCRIPTION,
        write: true,
        body: schema.RecoverBody,
        response: schema.RecoveredResponse,
      },
    )
    .get(
      '/:id/deliveries/:deliveryId',
      'getDelivery',
      'Read a delivery with its body and its attempts',
      ({ caller, params }) =>
        presentDeliveryLog(getDeliveryLog(ctx.db, caller, params.id, params.deliveryId)),
      {
        response: schema.DeliveryLogResponse,
        description:
          'The body is the text that every attempt sends; the attempts are the newest 50, oldest first, over all redeliveries.',
      },
    )
    .post(
      '/:id/deliveries/:deliveryId/redeliver',
      'redeliver',
      'Send the event of a delivery again now',
      async ({ caller, params }) => presentSent(await redeliver(ctx, caller, params.id, params.deliveryId)),
      {
        write: true,
        status: 202,
        response: schema.DeliveryResponse,
        description: 'The ids of the delivery and of its event stay, the attempts start again from none.',
      },
    )
