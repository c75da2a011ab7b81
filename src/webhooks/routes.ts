import { Elysia } from 'elysia'
import type { AppContext } from '../context.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { jsonResponse } from '../http/json.ts'
import { pageRequest } from '../http/page.ts'
import { keyed } from '../http/request-context.ts'
import { NoBody, NoQuery } from '../http/schema/types.ts'
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
  patchWebhook,
  redeliver,
  refuseWrongShape,
  rotateSecret,
  testWebhook,
} from './service.ts'

const tags = ['Webhooks']
const ACCEPTED = 202

const withSecret = (webhook: DescribedWebhook & { secret: string }) => ({
  webhook: presentWebhook(webhook),
  secret: webhook.secret,
})

const accepted = (delivery: DescribedDelivery): Response =>
  jsonResponse(JSON.stringify({ delivery: presentDelivery(delivery) }), ACCEPTED)

export const webhookRoutes = (ctx: AppContext) =>
  new Elysia({ prefix: '/v1/webhooks' })
    .use(keyed())
    .get(
      '/',
      ({ caller, query }) => ({
        webhooks: listWebhooks(ctx.db, caller, query.structure).map(presentWebhook),
      }),
      {
        query: schema.ListQuery,
        response: schema.WebhooksAnswer,
        detail: { operationId: 'listWebhooks', tags, summary: 'List subscriptions by creation' },
      },
    )
    .post(
      '/',
      ({ caller, request, body }) => {
        refuseWrongShape(body)
        const create = (tx: Tx) => withSecret(createWebhook(ctx, tx, caller, body))
        return respondOnce(ctx.db, request, create, ({ webhook }) => ({ webhook }))
      },
      {
        write: true,
        creates: true,
        query: NoQuery,
        body: schema.CreateWebhookBody,
        response: { 201: schema.CreatedWebhookAnswer },
        detail: { operationId: 'createWebhook', tags, summary: 'Subscribe to the changes of a structure' },
      },
    )
    .get(
      '/:id',
      ({ caller, params }) => ({ webhook: presentWebhook(getWebhook(ctx.db, caller, params.id)) }),
      {
        query: NoQuery,
        response: schema.WebhookAnswer,
        detail: { operationId: 'getWebhook', tags, summary: 'Read a subscription' },
      },
    )
    .patch(
      '/:id',
      async ({ caller, params, body }) => ({
        webhook: presentWebhook(await patchWebhook(ctx, caller, params.id, body)),
      }),
      {
        write: true,
        query: NoQuery,
        body: schema.PatchWebhookBody,
        response: schema.WebhookAnswer,
        detail: {
          operationId: 'updateWebhook',
          tags,
          summary: 'Change, enable, disable or resume a subscription',
        },
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await deleteWebhook(ctx, caller, params.id)
        return { deleted: true }
      },
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.DeletedWebhookAnswer,
        detail: { operationId: 'deleteWebhook', tags, summary: 'Delete a subscription and its deliveries' },
      },
    )
    .post(
      '/:id/rotate-secret',
      async ({ caller, params }) => withSecret(await rotateSecret(ctx, caller, params.id)),
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.RotatedWebhookAnswer,
        detail: {
          operationId: 'rotateWebhookSecret',
          tags,
          summary: 'Replace the signing secret; the old one stops working at once',
        },
      },
    )
    .post('/:id/test', async ({ caller, params }) => accepted(await testWebhook(ctx, caller, params.id)), {
      write: true,
      query: NoQuery,
      body: NoBody,
      response: { 202: schema.DeliveryAnswer },
      detail: { operationId: 'testWebhook', tags, summary: 'Send a webhook.test event' },
    })
    .get(
      '/:id/deliveries',
      ({ caller, params, query: { status, ...page } }) => ({
        deliveries: listDeliveries(ctx.db, caller, params.id, {
          status,
          limit: pageRequest(page).limit,
        }).map(presentDelivery),
      }),
      {
        query: schema.DeliveriesQuery,
        response: schema.DeliveriesAnswer,
        detail: { operationId: 'listDeliveries', tags, summary: 'List deliveries, the newest first' },
      },
    )
    .post(
      '/:id/deliveries/:deliveryId/redeliver',
      async ({ caller, params }) => accepted(await redeliver(ctx, caller, params.id, params.deliveryId)),
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: { 202: schema.DeliveryAnswer },
        detail: { operationId: 'redeliver', tags, summary: 'Send the event of a delivery again now' },
      },
    )
