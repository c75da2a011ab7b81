import type { AppContext } from '../context.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { endpoints } from '../http/endpoints.ts'
import { respondOnce } from '../http/idempotency.ts'
import { pageRequest } from '../http/pagination.ts'
import { parseInstant } from '../lib/dates.ts'
import { parseInput } from './columns.ts'
import { getDeliveryLog, listDeliveries, recoverDeliveries, redeliver, testWebhook } from './deliveries.ts'
import * as schema from './schema.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  patchWebhook,
  rotateSecret,
  subscribedStructure,
} from './service.ts'
import { presentWebhook, type WebhookRow } from './store.ts'

const withSecret = (webhook: WebhookRow) => ({ webhook: presentWebhook(webhook), secret: webhook.secret })

export const webhookRoutes = (ctx: AppContext) =>
  endpoints('Webhooks', '/v1/webhooks', 'structures')
    .get(
      '',
      ({ caller, query }) => ({
        webhooks: listWebhooks(ctx.db, caller, query.structure).map(presentWebhook),
      }),
      {
        access: 'read',
        query: schema.ListQuery,
        response: schema.WebhooksResponse,
        operationId: 'listWebhooks',
        summary: 'List subscriptions by creation',
        description: 'With `structure` only those of one structure. Secrets are never shown here.',
      },
    )
    .post(
      '',
      ({ exchange, caller, body }) => {
        const input = parseInput(body)
        const create = (tx: Tx) => withSecret(createWebhook(ctx, tx, caller, input))
        const check = (tx: Tx) => subscribedStructure(tx, caller, input)
        return respondOnce(ctx.db, exchange, create, ({ webhook }) => ({ webhook }), caller.rights && check)
      },
      {
        access: 'write',
        once: true,
        body: schema.CreateWebhookBody,
        response: schema.CreatedWebhookResponse,
        operationId: 'createWebhook',
        summary: 'Subscribe to changes of the rows of a structure, of notes or of files',
        description: schema.CREATE_DESCRIPTION,
      },
    )
    .get(
      '/:id',
      ({ caller, params }) => ({ webhook: presentWebhook(getWebhook(ctx.db, caller, params.id, 'read')) }),
      {
        access: 'read',
        response: schema.WebhookResponse,
        operationId: 'getWebhook',
        summary: 'Read a subscription',
        description: '`status` distinguishes one that is disabled from one that was paused after failures.',
      },
    )
    .patch(
      '/:id',
      async ({ caller, params, body }) => ({
        webhook: presentWebhook(await patchWebhook(ctx, caller, params.id, body)),
      }),
      {
        access: 'write',
        body: schema.PatchWebhookBody,
        response: schema.WebhookResponse,
        operationId: 'updateWebhook',
        summary: 'Change, enable, disable or resume a subscription',
        description:
          'Only what is sent changes. `resume: true` ends a pause and sends what waits. The operators of `filter` are in the description of `POST /v1/webhooks`.',
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await deleteWebhook(ctx, caller, params.id)
        return { deleted: true }
      },
      {
        access: 'write',
        response: schema.DeletedWebhookResponse,
        operationId: 'deleteWebhook',
        summary: 'Delete a subscription and its deliveries',
        description: 'What is pending is not sent any more.',
      },
    )
    .post(
      '/:id/rotate-secret',
      async ({ caller, params }) => withSecret(await rotateSecret(ctx, caller, params.id, 0)),
      {
        access: 'write',
        response: schema.RotatedWebhookResponse,
        operationId: 'rotateWebhookSecret',
        summary: 'Replace the signing secret; the old one stops working at once',
        description:
          'The answer holds the new secret, which is shown only now; deliveries are signed with it from now on.',
      },
    )
    .post(
      '/:id/rotate',
      async ({ caller, params, body }) =>
        withSecret(await rotateSecret(ctx, caller, params.id, body.overlap_hours)),
      {
        access: 'write',
        body: schema.RotateBody,
        response: schema.RotatedWebhookResponse,
        operationId: 'rotateWebhook',
        summary: 'Replace the signing secret; the old one signs too until the overlap ends',
        description: schema.ROTATE_DESCRIPTION,
      },
    )
    .post(
      '/:id/test',
      async ({ caller, params, status }) =>
        status(202, { delivery: await testWebhook(ctx, caller, params.id) }),
      {
        access: 'write',
        response: { 202: schema.DeliveryResponse },
        operationId: 'testWebhook',
        summary: 'Send a webhook.test event',
        description:
          'Delivered at once, with `record` null (of notes and files `data`), also to a subscription that is disabled or paused.',
      },
    )
    .get(
      '/:id/deliveries',
      ({ caller, params, query: { status, before, ...page } }) => ({
        deliveries: listDeliveries(ctx.db, caller, params.id, {
          status,
          before,
          limit: pageRequest(page).limit,
        }),
      }),
      {
        access: 'read',
        query: schema.DeliveriesQuery,
        response: schema.DeliveriesResponse,
        operationId: 'listDeliveries',
        summary: 'List deliveries, the newest first',
        description: 'Kept for 30 days after a delivery has ended.',
      },
    )
    .post(
      '/:id/recover',
      async ({ caller, params, body }) => ({
        redelivered: await recoverDeliveries(ctx, caller, params.id, parseInstant(body.since) ?? 0),
      }),
      {
        access: 'write',
        body: schema.RecoverBody,
        response: schema.RecoveredResponse,
        operationId: 'recoverDeliveries',
        summary: 'Send every event again whose delivery failed since an instant',
        description: schema.RECOVER_DESCRIPTION,
      },
    )
    .get(
      '/:id/deliveries/:deliveryId',
      ({ caller, params }) => getDeliveryLog(ctx.db, caller, params.id, params.deliveryId),
      {
        access: 'read',
        response: schema.DeliveryLogResponse,
        operationId: 'getDelivery',
        summary: 'Read a delivery with its body and its attempts',
        description:
          'The body is the text that every attempt sends; the attempts are the newest 50, oldest first, over all redeliveries.',
      },
    )
    .post(
      '/:id/deliveries/:deliveryId/redeliver',
      async ({ caller, params, status }) =>
        status(202, { delivery: await redeliver(ctx, caller, params.id, params.deliveryId) }),
      {
        access: 'write',
        response: { 202: schema.DeliveryResponse },
        operationId: 'redeliver',
        summary: 'Send the event of a delivery again now',
        description: 'The ids of the delivery and of its event stay, the attempts start again from none.',
      },
    )
