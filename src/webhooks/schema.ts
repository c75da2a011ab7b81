import type { TSchema } from '@sinclair/typebox'
import { t } from 'elysia'
import { SURFACES } from '../changes/log.ts'
import { EVENTS, RECORD_EVENTS } from '../delivery/payload.ts'
import { MAX_CONDITIONS } from '../filter/record/parse.ts'
import { condition } from '../http/schema/conditions.ts'
import { RECORD_OPERATORS_TEXT } from '../http/schema/operator-tables.ts'
import {
  choice,
  flag,
  id,
  integer,
  members,
  nullableText,
  paging,
  response,
  strict,
  text,
  timestamp,
} from '../http/schema/types.ts'
import { parseInstant } from '../lib/dates.ts'
import { RecordObject } from '../records/schema.ts'
import { MAX_FIELDS, structureName } from '../structures/schema.ts'
import { DELIVERY_STATUSES } from './delivery-store.ts'
import { MASK } from './headers.ts'

const MAX_DELIVERIES = 200

const nullable = (type: TSchema, description?: string) => t.Union([type, t.Null()], { description })

const EXAMPLE_FILTER = [{ field: 'pages', op: 'gt', value: 500 }]

export const Webhook = strict(
  {
    id: id(),
    structure: strict({ id: id(), name: t.String({ examples: ['Books'] }) }),
    url: t.String({ examples: ['https://hooks.example.com/books'] }),
    events: t.Array(t.String({ enum: [...RECORD_EVENTS] }), { examples: [['record.created']] }),
    filter: t.Array(condition(), { examples: [EXAMPLE_FILTER] }),
    fields: t.Union([t.Array(t.String()), t.Null()], {
      description: 'null for every field.',
      examples: [['pages']],
    }),
    ignore_own_key: t.Boolean(),
    ignore_key_id: nullable(id()),
    description: nullable(t.String({ examples: ['Tells the shelf'] })),
    headers: t.Optional(
      t.Record(t.String(), t.String({ enum: [MASK] }), {
        description:
          'The names of its own headers, each with a mask for its value; absent when there are none.',
        examples: [{ Authorization: MASK }],
      }),
    ),
    enabled: t.Boolean(),
    status: t.String({
      enum: ['enabled', 'disabled', 'paused'],
      description: 'Ten failed deliveries in a row pause a subscription; `resume` ends the pause.',
      examples: ['enabled'],
    }),
    paused_at: nullable(timestamp()),
    consecutive_failures: integer({
      description: 'Deliveries of record events that failed since the last one that was delivered.',
      examples: [0],
    }),
    created_by_key_id: nullable(id('The API key that made it.')),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  { $id: 'Webhook', description: 'A subscription to the changes of one structure.' },
)

const Delivery = strict(
  {
    id: id(),
    webhook_id: id(),
    event_id: id('The same at every attempt; receivers know repetitions by it.'),
    event: t.String({ enum: [...EVENTS], examples: ['record.created'] }),
    record_id: nullable(id(), 'null for `webhook.test`.'),
    status: t.String({ enum: [...DELIVERY_STATUSES], examples: ['delivered'] }),
    attempts: integer({ description: 'Since it was made or last asked for again.', examples: [1] }),
    response_status: t.Union([integer(), t.Null()], {
      description: 'What the receiver answered last; null without an answer.',
      examples: [200],
    }),
    error: nullable(t.String({ examples: ['The receiver answered 503.'] }), 'Why the last attempt failed.'),
    next_attempt_at: nullable(timestamp(), 'null once it is delivered or failed.'),
    created_at: timestamp(),
    last_attempt_at: nullable(timestamp()),
    delivered_at: nullable(timestamp()),
  },
  { $id: 'Delivery', description: 'One event on its way to one subscription.' },
)

/** The body of a delivery. */
export const DeliveredEvent = strict(
  {
    id: id('The same at every attempt; receivers know repetitions by it.'),
    type: t.String({ enum: [...EVENTS], examples: ['record.updated'] }),
    occurred_at: timestamp(),
    workspace_id: id(),
    structure: strict({ id: id(), name: t.String({ examples: ['Books'] }) }),
    record: nullable(
      RecordObject,
      'The whole row after the change, for a deletion the row as it was; null for `webhook.test`.',
    ),
    changed: t.Array(t.String(), {
      description: 'The keys of the fields that moved; empty unless the row was updated.',
      examples: [['pages']],
    }),
    previous: members({
      description: 'What the changed fields held before; null where there was no value.',
      examples: [{ pages: 875 }],
    }),
    source: strict({
      surface: t.String({ enum: [...SURFACES], examples: ['api'] }),
      key_id: nullable(id(), 'The API key that made the change, if one did.'),
    }),
  },
  { $id: 'DeliveredEvent', description: 'What a delivery says about one change.' },
)

const Attempt = strict(
  {
    at: timestamp(),
    response_status: t.Union([integer(), t.Null()], {
      description: 'What the receiver answered; null without an answer.',
      examples: [503],
    }),
    error: nullable(t.String({ examples: ['The receiver answered 503.'] }), 'null when it was delivered.'),
    ms: integer({ description: 'How long the attempt took, in milliseconds.', examples: [41] }),
  },
  { $id: 'Attempt', description: 'One request that carried a delivery.' },
)

const secret = (description: string) =>
  t.String({ description, examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDEXAMPLEKEY0='] })

export const WebhooksResponse = response({ webhooks: t.Array(Webhook) })
export const WebhookResponse = response({ webhook: Webhook })
export const CreatedWebhookResponse = response({
  webhook: Webhook,
  secret: t.Optional(
    secret(
      'Signs the deliveries. Shown only now: it is left out when the answer is repeated for an `Idempotency-Key`.',
    ),
  ),
})
export const RotatedWebhookResponse = response({ webhook: Webhook, secret: secret('Shown only now.') })
export const DeletedWebhookResponse = response({ deleted: t.Boolean({ examples: [true] }) })
export const DeliveriesResponse = response({ deliveries: t.Array(Delivery) })
export const DeliveryResponse = response({ delivery: Delivery })
export const DeliveryLogResponse = response({
  delivery: Delivery,
  body: t.String({
    description: 'The text that is sent, byte for byte.',
    examples: ['{"id":"01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60","type":"webhook.test"}'],
  }),
  attempts: t.Array(Attempt, {
    description:
      'The newest 50, oldest first, also those before it was last asked for again. Empty for what was delivered by a version that kept none.',
  }),
})
export const RecoveredResponse = response({
  redelivered: integer({ description: 'How many deliveries are sent again.', examples: [12] }),
})

export const ListQuery = strict({ structure: t.Optional(structureName()) })

const { limit } = paging(MAX_DELIVERIES)
export const DeliveriesQuery = strict({
  status: t.Optional(choice(DELIVERY_STATUSES)),
  before: t.Optional(
    text({
      minLength: 1,
      maxLength: 100,
      description: 'The id of a delivery: only older ones are listed.',
      examples: ['01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
    }),
  ),
  limit,
})

export const ROTATE_DESCRIPTION =
  'During the overlap each delivery carries the signatures of both secrets, the new one first: `t=…,v1=…,v1=…` and `webhook-signature: v1,… v1,…`. With `overlap_hours` 0 the old secret stops working at once, as do those whose overlap has not ended.'

export const RotateBody = strict({
  overlap_hours: integer({
    minimum: 0,
    maximum: 72,
    description: 'How long the old secret signs beside the new one.',
    examples: [24],
  }),
})

export const RECOVER_DESCRIPTION =
  'Each is sent again as by `redeliver`: at once, also while the subscription is disabled or paused, and with new retries.'

export const RecoverBody = strict({
  since: text({
    check: (value) => parseInstant(value) !== undefined,
    says: 'an instant such as 2026-11-21T09:30:00.000Z',
    description: 'Deliveries that failed for good at this instant or later.',
    examples: ['2026-11-21T09:30:00.000Z'],
  }),
})

const url = () =>
  text({
    minLength: 1,
    maxLength: 2_048,
    description: 'A public https address; redirects are not followed.',
    examples: ['https://hooks.example.com/books'],
  })

const attributes = {
  events: t.Optional(
    t.Array(choice(RECORD_EVENTS), {
      minItems: 1,
      maxItems: RECORD_EVENTS.length,
      description: 'By default all three.',
      examples: [['record.created', 'record.updated']],
    }),
  ),
  filter: t.Optional(
    t.Array(t.Unsafe<unknown>(condition()), {
      maxItems: MAX_CONDITIONS,
      description:
        'Only rows that meet every condition; checked on the row after the change, for a deletion on the row before it.',
      examples: [[]],
    }),
  ),
  fields: t.Optional(
    t.Union(
      [t.Array(text({ minLength: 1, maxLength: 63 }), { minItems: 1, maxItems: MAX_FIELDS }), t.Null()],
      {
        description: 'An update fires only when one of these fields changed; null for any.',
        examples: [null],
      },
    ),
  ),
  ignore_own_key: t.Optional(
    flag({ description: 'Writes with the API key that made the subscription do not fire it.' }),
  ),
  ignore_key_id: t.Optional(
    nullableText({
      minLength: 1,
      maxLength: 100,
      description: 'Writes with this API key do not fire it.',
      examples: [null],
    }),
  ),
  description: t.Optional(nullableText({ maxLength: 10_000, examples: ['Tells the shelf'] })),
  headers: t.Optional(
    t.Union([members(), t.Null()], {
      description:
        'Up to 10 headers of your own for each delivery, such as `Authorization`, by name. Their values are never shown again. Headers of HTTP itself and of the service are refused. null for none.',
      examples: [{ Authorization: 'Bearer receiver-token' }],
    }),
  ),
  enabled: t.Optional(flag({ description: 'While false no event is recorded and nothing is sent.' })),
}

export const CREATE_DESCRIPTION = `What is sent to \`url\`, and how to verify it, is described under "Webhooks" in this document. \`secret\` is shown only now. A workspace holds up to 25 subscriptions.

${RECORD_OPERATORS_TEXT}`

export const CreateWebhookBody = strict(
  { structure: structureName(), url: url(), ...attributes },
  { examples: [{ structure: 'Books', url: 'https://hooks.example.com/books' }] },
)
export const PatchWebhookBody = strict(
  {
    url: t.Optional(url()),
    ...attributes,
    resume: t.Optional(flag({ description: 'true ends a pause and sends what waits.', examples: [true] })),
  },
  { examples: [{ filter: EXAMPLE_FILTER, description: 'Tells the shelf' }] },
)
