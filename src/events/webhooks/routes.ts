import type { AppContext } from '../../context.ts'
import { endpoints } from '../../http/endpoints.ts'
import { parseInstant } from '../../lib/dates.ts'
import type { Streams } from '../../people/sessions/streams.ts'
import { recoverSome, restartAll } from './deliveries.ts'
import * as operations from './operations.ts'
import { acknowledge, readPulled, untilPulled } from './pull.ts'
import * as pullSchema from './pull-schema.ts'
import * as schema from './schema.ts'

const ACCEPTED = 202

export function webhookRoutes(ctx: AppContext, streams: Streams) {
  const allowlist = ctx.config.webhookAllowlist
  return endpoints('Webhooks', '/v1/webhooks', 'structures')
    .get('', ({ exchange, query }) => exchange.call(operations.readWebhooks, query), {
      access: 'read',
      query: schema.ListQuery,
      response: schema.WebhooksResponse,
      operationId: 'listWebhooks',
      summary: 'List subscriptions by creation',
      description: 'With `structure` only those of one structure. Secrets are never shown here.',
    })
    .post('', ({ exchange, body }) => exchange.create(operations.createWebhook, { body, allowlist }), {
      access: 'write',
      secret: true,
      once: true,
      body: schema.CreateWebhookBody,
      response: schema.CreatedWebhookResponse,
      operationId: 'createWebhook',
      summary: 'Subscribe to changes of the rows of a structure, of notes or of files',
      description: schema.CREATE_DESCRIPTION,
    })
    .get('/:id', ({ exchange, params }) => exchange.call(operations.readWebhook, params), {
      access: 'read',
      entity: true,
      response: schema.WebhookResponse,
      operationId: 'getWebhook',
      summary: 'Read a subscription',
      description: '`status` distinguishes one that is disabled from one that was paused after failures.',
    })
    .patch(
      '/:id',
      ({ exchange, params, body }) => exchange.call(operations.patchWebhook, { ...params, body, allowlist }),
      {
        access: 'write',
        entity: true,
        body: schema.PatchWebhookBody,
        response: schema.WebhookResponse,
        operationId: 'updateWebhook',
        summary: 'Change, enable, disable or resume a subscription',
        description:
          'Only what is sent changes. `resume: true` ends a pause and sends what waits. The operators of `filter` are in the description of `POST /v1/webhooks`.',
      },
    )
    .delete('/:id', ({ exchange, params }) => exchange.call(operations.deleteWebhook, params), {
      access: 'write',
      entity: true,
      response: schema.DeletedWebhookResponse,
      operationId: 'deleteWebhook',
      summary: 'Delete a subscription and its deliveries',
      description: 'Pending deliveries are discarded.',
    })
    .post(
      '/:id/rotate-secret',
      ({ exchange, params }) => exchange.call(operations.rotateSecretAtOnce, params),
      {
        access: 'write',
        secret: true,
        response: schema.RotatedWebhookResponse,
        operationId: 'rotateWebhookSecret',
        summary: 'Replace the signing secret; the old one stops working at once',
        description:
          'The response contains the new secret, which is shown only once. Deliveries are signed with it from now on.',
      },
    )
    .post(
      '/:id/rotate',
      ({ exchange, params, body }) => exchange.call(operations.rotateSecret, { ...params, body }),
      {
        access: 'write',
        secret: true,
        body: schema.RotateBody,
        response: schema.RotatedWebhookResponse,
        operationId: 'rotateWebhook',
        summary: 'Replace the signing secret; the old one signs too until the overlap ends',
        description: schema.ROTATE_DESCRIPTION,
      },
    )
    .post('/:id/test', ({ exchange, params }) => exchange.call(operations.testWebhook, params, ACCEPTED), {
      access: 'write',
      response: { 202: schema.DeliveryResponse },
      operationId: 'testWebhook',
      summary: 'Send a webhook.test event',
      description:
        'Delivered at once, with `record` null (of notes and files `data`), also to a subscription that is disabled or paused.',
    })
    .get(
      '/:id/deliveries',
      ({ exchange, params, query }) => exchange.call(operations.readDeliveries, { ...params, ...query }),
      {
        access: 'read',
        query: schema.DeliveriesQuery,
        response: schema.DeliveriesResponse,
        operationId: 'listDeliveries',
        summary: 'List deliveries, the newest first',
        description: 'Stored for 30 days after the end of a delivery.',
      },
    )
    .get(
      '/:id/events',
      async ({ exchange, caller, params, query }) => {
        const { wait = 0, ...page } = query
        if (wait > 0) await untilPulled(ctx, streams, caller, { ...params, ...page, wait })
        return exchange.call(readPulled, { ...params, ...page })
      },
      {
        access: 'read',
        query: pullSchema.PulledQuery,
        response: pullSchema.PulledResponse,
        operationId: 'listPulledEvents',
        summary: 'Read the events that a pull subscription keeps, in commit order',
        description:
          'After the last acknowledged one, or after `after`. A page holds at most 8 MiB of events and may end early with `has_more: true`.',
      },
    )
    .post(
      '/:id/events/ack',
      ({ exchange, params, body }) => exchange.call(acknowledge, { ...params, body }),
      {
        access: 'write',
        body: pullSchema.AcknowledgeBody,
        response: pullSchema.AcknowledgedResponse,
        operationId: 'acknowledgeEvents',
        summary: 'Acknowledge every event up to a cursor, and remove them',
        description: 'Repeating it, or an earlier cursor, changes nothing.',
      },
    )
    .post(
      '/:id/recover',
      async ({ exchange, params, body }) => {
        const since = parseInstant(body.since) ?? 0
        const recover = (from: string | null) => exchange.outputOf(recoverSome, { ...params, since, from })
        return { redelivered: await restartAll(ctx.db, recover) }
      },
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
      ({ exchange, params, query }) => exchange.call(operations.readDelivery, { ...params, ...query }),
      {
        access: 'read',
        query: schema.DeliveryQuery,
        response: schema.DeliveryLogResponse,
        operationId: 'getDelivery',
        summary: 'Read a delivery with its body and its attempts',
        description:
          'The body is the text that every attempt sends; the attempts are the newest 50, oldest first, over all redeliveries. With `include=responses`, it has the headers of the request, and the attempts what the receiver responded.',
      },
    )
    .post(
      '/:id/deliveries/:deliveryId/redeliver',
      ({ exchange, params }) => exchange.call(operations.redeliver, params, ACCEPTED),
      {
        access: 'write',
        response: { 202: schema.DeliveryResponse },
        operationId: 'redeliver',
        summary: 'Send the event of a delivery again now',
        description: 'The delivery and its event keep their ids, and the attempts start again.',
      },
    )
}
