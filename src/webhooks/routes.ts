import type { AppContext } from '../context.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { pageRequest } from '../http/page.ts'
import { routes } from '../http/routes.ts'
import { presentDelivery, presentWebhook } from './present.ts'
import * as schema from './schema.ts'
import {
  createWebhook,
  type DescribedDelivery,
  type DescribedWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  parseInput,
  patchWebhook,
  redeliver,
  rotateSecret,
  testWebhook,
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
      { query: schema.ListQuery, response: schema.WebhooksResponse },
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
      { write: true, creates: true, body: schema.CreateWebhookBody, response: schema.CreatedWebhookResponse },
    )
    .get(
      '/:id',
      'getWebhook',
      'Read a subscription',
      ({ caller, params }) => ({ webhook: presentWebhook(getWebhook(ctx.db, caller, params.id)) }),
      { response: schema.WebhookResponse },
    )
    .patch(
      '/:id',
      'updateWebhook',
      'Change, enable, disable or resume a subscription',
      async ({ caller, params, body }) => ({
        webhook: presentWebhook(await patchWebhook(ctx, caller, params.id, body)),
      }),
      { write: true, body: schema.PatchWebhookBody, response: schema.WebhookResponse },
    )
    .delete(
      '/:id',
      'deleteWebhook',
      'Delete a subscription and its deliveries',
      async ({ caller, params }) => {
        await deleteWebhook(ctx, caller, params.id)
        return { deleted: true }
      },
      { write: true, response: schema.DeletedWebhookResponse },
    )
    .post(
      '/:id/rotate-secret',
      'rotateWebhookSecret',
      'Replace the signing secret; the old one stops working at once',
      async ({ caller, params }) => withSecret(await rotateSecret(ctx, caller, params.id)),
      { write: true, response: schema.RotatedWebhookResponse },
    )
    .post(
      '/:id/test',
      'testWebhook',
      'Send a webhook.test event',
      async ({ caller, params }) => presentSent(await testWebhook(ctx, caller, params.id)),
      { write: true, status: 202, response: schema.DeliveryResponse },
    )
    .get(
      '/:id/deliveries',
      'listDeliveries',
      'List deliveries, the newest first',
      ({ caller, params, query: { status, ...page } }) => ({
        deliveries: listDeliveries(ctx.db, caller, params.id, {
          status,
          limit: pageRequest(page).limit,
        }).map(presentDelivery),
      }),
      { query: schema.DeliveriesQuery, response: schema.DeliveriesResponse },
    )
    .post(
      '/:id/deliveries/:deliveryId/redeliver',
      'redeliver',
      'Send the event of a delivery again now',
      async ({ caller, params }) => presentSent(await redeliver(ctx, caller, params.id, params.deliveryId)),
      { write: true, status: 202, response: schema.DeliveryResponse },
    )
