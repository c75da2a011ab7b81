import type { TSchema } from '@sinclair/typebox'
import { MAX_CONDITIONS } from '../../filter/record/parse.ts'
import { condition } from '../../http/schema/conditions.ts'
import { filterTree } from '../../http/schema/filter-tree.ts'
import { RECORD_OPERATORS_TEXT } from '../../http/schema/operator-tables.ts'
import { t } from '../../http/schema/types.ts'
import { parseInstant } from '../../lib/dates.ts'
import { findTimeZone } from '../../lib/time-zones.ts'
import { EVENTS, FORMATS, KINDS, MASK, SUBSCRIBED_EVENTS } from '../../log/message.ts'
import { MAX_FIELDS, structureName } from '../../records/structures/schema.ts'
import { DELIVERY_STATUSES } from './deliveries.ts'
import { subscribedStructure } from './event-schema.ts'

const MAX_DELIVERIES = 200

const EXAMPLE_FILTER = [{ field: 'pages', op: 'gt', value: 500 }]

const MAX_OFFSET_DAYS = 365
const MAX_QUIET_SECONDS = 3_600
const MAX_TEMPLATE = 10_000

const kind = () =>
  t.choice(KINDS, {
    description: 'The kind of objects that the events are about; `record` unless given.',
    examples: ['record'],
  })
const format = () =>
  t.choice(FORMATS, {
    description:
      'The format of the events; `json` by default. `slack` and `discord` are the JSON that these services accept, `ntfy` and `text` are plain text. All are signed.',
    examples: ['json'],
  })
const template = () =>
  t.text({
    minLength: 1,
    maxLength: MAX_TEMPLATE,
    description:
      'The text of the other formats, with holes: `{event}`, `{structure}`, `{changed}`, `{record.<field>}`, of a note `{note.title}`, of a file `{file.file_name}`. A value that is absent is empty.',
    examples: ['{event}: {record.title}'],
  })
const quietSeconds = () =>
  t.integer({
    minimum: 0,
    maximum: MAX_QUIET_SECONDS,
    description:
      'Updates of a note that are less than this apart become one event; 30 by default. It is sent after ten times as long at the latest, and not at all if nothing differs in the end.',
    examples: [30],
  })
const includeContent = () =>
  t.flag({ description: 'Whether events of notes include the text.', examples: [false] })
const ordered = () =>
  t.flag({
    description:
      'Events of one object (row, note or file) are delivered one at a time in commit order. Each has `sequence`, a number that grows with every event of the subscription. Applies to what is committed from then on.',
    examples: [true],
  })
const delivery = () =>
  t.choice(['pull'], {
    description:
      'Events are not sent, but kept until `POST …/events/ack` acknowledges them: at most 30 days and 1,000,000. Without `url`, `headers` and a `format` other than `json`. It never pauses. Set at creation.',
    examples: ['pull'],
  })
const due = () =>
  t.strict(
    {
      field: t.text({
        minLength: 1,
        maxLength: 63,
        description: 'A field of type `date` or `datetime`.',
        examples: ['due'],
      }),
      ...t.optional({
        offset_days: t.integer({
          minimum: -MAX_OFFSET_DAYS,
          maximum: MAX_OFFSET_DAYS,
          description: 'How many days after the value, or before it; 0 unless given.',
          examples: [-1],
        }),
        at: t.text({
          pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d$',
          says: 'a time of day in the format HH:MM',
          description: 'The time of day, of a `date` only; 08:00 unless given.',
          examples: ['08:00'],
        }),
        tz: t.text({
          check: (name) => findTimeZone(name) !== undefined,
          says: 'an IANA time zone such as Europe/Berlin',
          description: 'The time zone of that time; UTC unless given.',
          examples: ['Europe/Berlin'],
        }),
      }),
    },
    {
      $id: 'WebhookDue',
      description: 'When a row is due. `record.due` is sent once for each value.',
    },
  )

export const Webhook = t.strict(
  {
    id: t.id(),
    kind: t.Optional(kind()),
    structure: subscribedStructure('null for notes and files.'),
    delivery: t.Optional(delivery()),
    pending: t.Optional(t.integer({ description: 'With `pull`: the events that it keeps.', examples: [12] })),
    oldest_pending_at: t.Optional(
      t.nullable(t.timestamp(), 'With `pull`: when the oldest of them was stored.'),
    ),
    dropped: t.Optional(
      t.integer({ description: 'With `pull`: the events that age or the limit removed.', examples: [0] }),
    ),
    url: t.nullable(t.String({ examples: ['https://hooks.example.com/books'] }), 'null with `pull`.'),
    format: t.Optional(format()),
    template: t.Optional(template()),
    events: t.Array(t.String({ enum: [...SUBSCRIBED_EVENTS] }), { examples: [['record.created']] }),
    due: t.Optional(due()),
    quiet_seconds: t.Optional(quietSeconds()),
    include_content: t.Optional(includeContent()),
    ordered: t.Optional(ordered()),
    filter: t.Union([t.Array(condition()), filterTree(), t.Null()], {
      description: 'Conditions on rows; of notes a filter tree, or null for every note.',
      examples: [EXAMPLE_FILTER],
    }),
    fields: t.nullable(t.Array(t.String()), {
      description: 'null for every field.',
      examples: [['pages']],
    }),
    ignore_own_key: t.Boolean(),
    ignore_key_id: t.nullable(t.id()),
    description: t.nullable(t.String({ examples: ['Tells the shelf'] })),
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
      description:
        'Ten failed deliveries in a row pause a subscription, as does the end of the right of its maker; `resume` ends the pause.',
      examples: ['enabled'],
    }),
    paused_at: t.nullable(t.timestamp()),
    pause_reason: t.Optional(
      t.String({
        description:
          'The reason of a pause that failed deliveries did not cause: the member who created or resumed it can no longer write its target.',
        examples: ['The member who created it can no longer write its target.'],
      }),
    ),
    consecutive_failures: t.integer({
      description: 'Deliveries of record events that failed since the last one that was delivered.',
      examples: [0],
    }),
    created_by_key_id: t.nullable(t.id('The API key that created it.')),
    created_at: t.timestamp(),
    updated_at: t.timestamp(),
  },
  {
    $id: 'Webhook',
    description: 'A subscription to changes of the rows of one structure, of notes or of files.',
  },
)

const Delivery = t.strict(
  {
    id: t.id(),
    webhook_id: t.id(),
    event_id: t.id('The same at every attempt; receivers know repetitions by it.'),
    event: t.String({ enum: [...EVENTS], examples: ['record.created'] }),
    record_id: t.nullable(t.id(), 'null for `webhook.test`, notes and files.'),
    object_id: t.Optional(t.nullable(t.id(), 'Of a note or file; null for `webhook.test`.')),
    sequence: t.Optional(
      t.integer({ description: 'The number of its event in an ordered subscription.', examples: [12] }),
    ),
    status: t.String({ enum: [...DELIVERY_STATUSES], examples: ['delivered'] }),
    attempts: t.integer({ description: 'Since it was created or last redelivered.', examples: [1] }),
    response_status: t.nullable(t.integer(), {
      description: 'The status of the last response; null without one.',
      examples: [200],
    }),
    error: t.nullable(t.String({ examples: ['The receiver answered 503.'] }), 'Why the last attempt failed.'),
    next_attempt_at: t.nullable(
      t.timestamp(),
      'null once it is delivered or failed, and while it waits for an earlier event of its object.',
    ),
    created_at: t.timestamp(),
    last_attempt_at: t.nullable(t.timestamp()),
    delivered_at: t.nullable(t.timestamp()),
  },
  { $id: 'Delivery', description: 'The delivery of one event to one subscription.' },
)

const AttemptResponse = t.strict(
  {
    headers: t.Array(
      t.strict({
        name: t.String({ examples: ['content-type'] }),
        value: t.String({ examples: ['text/plain'] }),
      }),
      { description: 'In order. Cookies, credentials and values of your own headers are `…`.' },
    ),
    body: t.String({
      description:
        'The first 4 KiB, or 1 KiB of a successful response, as UTF-8. Of a successful response, the part that arrived with the status.',
      examples: ['no such route'],
    }),
    truncated: t.Boolean({
      description: 'Whether headers or body were longer, or the rest had not arrived.',
    }),
  },
  { $id: 'AttemptResponse', description: 'The response of the receiver to an attempt.' },
)

const Attempt = t.strict(
  {
    at: t.timestamp(),
    response_status: t.nullable(t.integer(), {
      description: 'The status of the response; null without one.',
      examples: [503],
    }),
    error: t.nullable(t.String({ examples: ['The receiver answered 503.'] }), 'null when it was delivered.'),
    ms: t.integer({ description: 'How long the attempt took, in milliseconds.', examples: [41] }),
    response: t.Optional(
      t.nullable(AttemptResponse, {
        description: 'With `include=responses`; null if none arrived, or it is no longer stored.',
      }),
    ),
  },
  { $id: 'Attempt', description: 'One request that carried a delivery.' },
)

const secret = (description: string) =>
  t.String({ description, examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDEXAMPLEKEY0='] })

export const WebhooksResponse = t.response({ webhooks: t.Array(Webhook) })
export const WebhookResponse = t.response({ webhook: Webhook })
export const CreatedWebhookResponse = t.response({
  webhook: Webhook,
  secret: t.Optional(
    t.nullable(
      secret(
        'Signs the deliveries; null with `pull`. Shown only now: it is left out when the answer is repeated for an `Idempotency-Key`.',
      ),
    ),
  ),
})
export const RotatedWebhookResponse = t.response({ webhook: Webhook, secret: secret('Shown only now.') })
export const DeletedWebhookResponse = t.response({ deleted: t.Boolean({ examples: [true] }) })
export const DeliveriesResponse = t.response({ deliveries: t.Array(Delivery) })
export const DeliveryResponse = t.response({ delivery: Delivery })
export const DeliveryLogResponse = t.response({
  delivery: Delivery,
  body: t.String({
    description: 'The text that is sent, byte for byte.',
    examples: ['{"id":"01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60","type":"webhook.test"}'],
  }),
  request_headers: t.Optional(
    t.Record(t.String(), t.String(), {
      description:
        'With `include=responses`: the headers of the request. Signatures, times and the values of your own headers are replaced by `…`.',
    }),
  ),
  attempts: t.Array(Attempt, {
    description:
      'The newest 50, oldest first, including those before the last redelivery. Empty for deliveries of versions that stored none.',
  }),
})
export const RecoveredResponse = t.response({
  redelivered: t.integer({ description: 'How many deliveries are sent again.', examples: [12] }),
})

export const ListQuery = t.strict({ structure: t.Optional(structureName()) })

const { limit } = t.paging(MAX_DELIVERIES)
export const DeliveryQuery = t.strict({ include: t.Optional(t.choice(['responses'] as const)) })
export const DeliveriesQuery = t.strict({
  status: t.Optional(t.choice(DELIVERY_STATUSES)),
  before: t.Optional(
    t.text({
      minLength: 1,
      maxLength: 100,
      description: 'The id of a delivery: only older ones are listed.',
      examples: ['01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
    }),
  ),
  limit,
})

export const ROTATE_DESCRIPTION =
  'During the overlap each delivery carries the signatures of both secrets, the new one first: `t=…,v1=…,v1=…` and `webhook-signature: v1,… v1,…`. With `overlap_hours` 0 the old secret stops working at once, as do earlier secrets whose overlap has not ended.'

export const RotateBody = t.strict({
  overlap_hours: t.integer({
    minimum: 0,
    maximum: 72,
    description: 'For how long both secrets sign.',
    examples: [24],
  }),
})

export const RECOVER_DESCRIPTION =
  'Each is redelivered immediately, also while the subscription is disabled or paused, and with new retries.'

export const RecoverBody = t.strict({
  since: t.text({
    format: 'date-time',
    check: (value) => parseInstant(value) !== undefined,
    says: 'an instant such as 2026-11-21T09:30:00.000Z',
    description: 'Deliveries that failed for good at this instant or later.',
    examples: ['2026-11-21T09:30:00.000Z'],
  }),
})

const url = () =>
  t.text({
    minLength: 1,
    maxLength: 2_048,
    description: 'A public https address; redirects are not followed.',
    examples: ['https://hooks.example.com/books'],
  })

const orNull = <Schema extends TSchema>(schema: Schema) => t.Optional(t.nullable(schema))

const attributes = {
  events: t.Optional(
    t.Array(t.choice(SUBSCRIBED_EVENTS), {
      minItems: 1,
      maxItems: SUBSCRIBED_EVENTS.length,
      description: 'Events of its kind; by default all, `record.due` excepted.',
      examples: [['record.created', 'record.updated']],
    }),
  ),
  format: orNull(format()),
  template: orNull(template()),
  due: orNull(due()),
  quiet_seconds: orNull(quietSeconds()),
  include_content: orNull(includeContent()),
  ordered: orNull(ordered()),
  ...t.optional({
    filter: t.Union(
      [t.Array(t.Unsafe<unknown>(condition()), { maxItems: MAX_CONDITIONS }), filterTree(), t.Null()],
      {
        description:
          'Only rows that meet every condition; of notes those that a filter tree finds. Checked on the row or note after the change, for a deletion before it.',
        examples: [[]],
      },
    ),
    fields: t.Union(
      [t.Array(t.text({ minLength: 1, maxLength: 63 }), { minItems: 1, maxItems: MAX_FIELDS }), t.Null()],
      {
        description: 'An update fires only when one of these fields changed; null for any.',
        examples: [null],
      },
    ),
    ignore_own_key: t.flag({
      description: 'Writes with the API key that made the subscription do not fire it.',
    }),
    ignore_key_id: t.nullableText({
      minLength: 1,
      maxLength: 100,
      description: 'Writes with this API key do not fire it.',
      examples: [null],
    }),
    description: t.nullableText({ maxLength: 10_000, examples: ['Tells the shelf'] }),
    headers: t.nullable(t.members(), {
      description:
        'Up to 10 headers of your own for each delivery, such as `Authorization`, by name. Their values are never shown again. Headers of HTTP itself and of the service are refused. null for none.',
      examples: [{ Authorization: 'Bearer receiver-token' }],
    }),
    enabled: t.flag({ description: 'While false no event is recorded and nothing is sent.' }),
  }),
}

export const CREATE_DESCRIPTION = `Deliveries to \`url\`, and how to verify them, are described under "Webhooks" in this document. \`secret\` is shown only now. A workspace holds up to 25 subscriptions.

${RECORD_OPERATORS_TEXT}`

export const CreateWebhookBody = t.strict(
  {
    kind: t.Optional(kind()),
    structure: t.Optional(structureName()),
    url: t.Optional(url()),
    delivery: t.Optional(delivery()),
    ...attributes,
  },
  { examples: [{ structure: 'Books', url: 'https://hooks.example.com/books' }] },
)
export const PatchWebhookBody = t.strict(
  {
    url: t.Optional(url()),
    ...attributes,
    resume: t.Optional(t.flag({ description: 'true ends a pause and sends what waits.', examples: [true] })),
  },
  { examples: [{ filter: EXAMPLE_FILTER, description: 'Tells the shelf' }] },
)
