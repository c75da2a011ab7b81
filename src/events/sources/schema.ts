import { t } from '../../http/schema/types.ts'
import { parseInstant } from '../../lib/dates.ts'
import { structureName } from '../../records/structures/schema.ts'
import { DELIVERY_STATUSES } from '../webhooks/deliveries.ts'
import { MAX_CONDITIONS } from './map.ts'
import { PROVIDER_NAMES } from './providers.ts'
import { COUNTED, STATUSES } from './store.ts'

const MAX_EVENTS = 200
const MAX_TARGETS = 5
const MAX_WAIT_SECONDS = 60

const EXAMPLE_ID = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'

const EXAMPLE_MAP = { title: '/data/object/description', pages: { path: '/data/object/amount', as: 'cents' } }
const EXAMPLE_WHEN = [{ event: true, op: 'eq', value: 'charge.succeeded' }]

const when = () =>
  t.Array(t.members(), {
    description: 'Conditions `{path | header | event: true, op, value}`; all must hold.',
    examples: [EXAMPLE_WHEN],
  })

const targetUrl = { examples: ['https://books.example.com/stripe'] }

const Target = t.strict({
  url: t.nullable(t.String(targetUrl), 'null for callers who cannot write.'),
  when: t.Optional(when()),
  status: t.String({ enum: ['enabled', 'paused'], examples: ['enabled'] }),
  paused_at: t.nullable(t.timestamp()),
  consecutive_failures: t.integer({ examples: [0] }),
})

export const Source = t.strict(
  {
    id: t.id(),
    name: t.String({ examples: ['Card payments'] }),
    structure: t.strict({ id: t.id(), name: t.String({ examples: ['Books'] }) }),
    provider: t.String({ enum: [...PROVIDER_NAMES], examples: ['stripe'] }),
    options: t.members({ examples: [{}] }),
    url: t.nullable(
      t.String({ examples: ['https://daybook.example.com/in/0iVQ3kqVn1UEXAMPLEw1vZ2Gm8b6Lw9b'] }),
      'null for callers who cannot write.',
    ),
    map: t.members({ examples: [EXAMPLE_MAP] }),
    external_id: t.nullable(t.String({ examples: ['/id'] }), 'null where the provider says where it is.'),
    event: t.nullable(t.String({ examples: ['/type'] }), 'null where the provider says where it is.'),
    when: when(),
    on_conflict: t.String({ enum: ['refuse', 'update'], examples: ['refuse'] }),
    newer_by: t.nullable(t.String({ examples: ['paid_at'] })),
    forward: t.Optional(
      t.Array(Target, { description: 'Where its events are passed on to; absent until it is given.' }),
    ),
    enabled: t.Boolean(),
    description: t.nullable(t.String({ examples: ['Live mode'] })),
    counts: t.strict(
      Object.fromEntries(COUNTED.map((name) => [name, t.integer({ examples: [0] })])) as Record<
        (typeof COUNTED)[number],
        ReturnType<typeof t.integer>
      >,
    ),
    last_event_at: t.nullable(t.timestamp()),
    created_at: t.timestamp(),
    updated_at: t.timestamp(),
  },
  { $id: 'Source', description: 'A URL at which an outside service posts events that become rows.' },
)

const SourceEvent = t.strict(
  {
    id: t.id(),
    external_id: t.nullable(
      t.String({ examples: ['evt_1NG8Du2eZvKYlo2CUI79vXWy'] }),
      'The id that the provider gave it.',
    ),
    event: t.nullable(t.String({ examples: ['charge.succeeded'] }), 'Its type.'),
    status: t.String({ enum: [...STATUSES], examples: ['written'] }),
    record_id: t.nullable(t.id(), 'The row that was written.'),
    error: t.nullable(t.String(), 'Why there is no row.'),
    size: t.integer({ description: 'Of the body as it came, in bytes.', examples: [1_204] }),
    received_at: t.timestamp(),
  },
  { $id: 'SourceEvent', description: 'A call that was verified and stored.' },
)

const ForwardedDelivery = t.strict(
  {
    id: t.id(),
    source_id: t.id(),
    url: t.nullable(t.String(targetUrl), 'null for callers who cannot write.'),
    event_id: t.id('The event of the source.'),
    event: t.nullable(t.String({ examples: ['charge.succeeded'] }), 'Its type.'),
    record_id: t.nullable(t.id(), 'The row that was written.'),
    status: t.String({ enum: [...DELIVERY_STATUSES], examples: ['delivered'] }),
    attempts: t.integer({ examples: [1] }),
    response_status: t.nullable(t.integer({ examples: [200] })),
    error: t.nullable(t.String({ examples: ['target removed'] }), 'Why the last attempt failed.'),
    next_attempt_at: t.nullable(t.timestamp()),
    created_at: t.timestamp(),
    last_attempt_at: t.nullable(t.timestamp()),
    delivered_at: t.nullable(t.timestamp()),
  },
  { $id: 'SourceDelivery', description: 'The delivery of one event of a source to one target.' },
)

export const ForwardedResponse = t.response({ deliveries: t.Array(ForwardedDelivery) })
export const ForwardedDeliveryResponse = t.response({ delivery: ForwardedDelivery })
export const SourcesResponse = t.response({ sources: t.Array(Source) })
export const SourceResponse = t.response({ source: Source })
export const DeletedSourceResponse = t.deletedResponse()
export const EventsResponse = t.response({ events: t.Array(SourceEvent), has_more: t.Boolean() })
export const EventResponse = t.response({
  event: SourceEvent,
  headers: t.Array(t.Array(t.String()), {
    description:
      'Names and values, without `Cookie` and every header whose name holds `token`, `key`, `secret`, `auth` or `signature`.',
    examples: [[['content-type', 'application/json']]],
  }),
  body: t.nullable(
    t.String({ examples: ['{"id":"evt_1NG8Du2eZvKYlo2CUI79vXWy"}'] }),
    'The text as received. For an ignored event, the first 64 KiB; `size` of the event is the full size. Null, with empty `headers`, once the source has stored 1 GiB of newer events.',
  ),
  sealed: t.Optional(
    t.nullable(
      t.String(),
      'With `sealed=true`, for callers who can write: the call byte for byte, encrypted with a key derived from the secret; null without one.',
    ),
  ),
})
export const ReplayedEventResponse = t.response({ event: SourceEvent })
export const ReplayedResponse = t.response({
  replayed: t.integer({ description: 'How many are no longer unmapped.', examples: [3] }),
  unmapped: t.integer({ description: 'How many still are.', examples: [0] }),
})
export const TriedResponse = t.response({
  status: t.String({ enum: [...STATUSES], examples: ['written'] }),
  data: t.nullable(
    t.members({ examples: [{ title: 'Tea', pages: 12.5 }] }),
    'The values that the map finds.',
  ),
  error: t.nullable(t.String(), 'Why the row would be refused.'),
})
export const ReceivedResponse = t.response(
  t.optional({
    status: t.String({ enum: [...STATUSES], examples: ['written'] }),
    event_id: t.id(),
    record_id: t.nullable(t.id()),
    challenge: t.String({ description: 'Of Slack, when it verifies the URL.' }),
  }),
)

const eventId = (description: string) =>
  t.text({ minLength: 1, maxLength: 100, description, examples: [EXAMPLE_ID] })

const { limit } = t.paging(MAX_EVENTS)
export const EventsQuery = t.strict({
  status: t.Optional(t.choice(STATUSES)),
  before: t.Optional(eventId('The id of an event: only older ones, newest first.')),
  after: t.Optional(
    t.text({
      minLength: 1,
      maxLength: 100,
      description: 'The id of an event, or `start`: only later ones, oldest first.',
    }),
  ),
  limit,
  wait: t.Optional(
    t.integer({
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      description: 'With `after`: for how many seconds an empty page waits for an event.',
    }),
  ),
})
export const EventQuery = t.strict({ sealed: t.Optional(t.flag({ description: 'Adds `sealed`.' })) })

const attributes = t.optional({
  options: t.members({
    description:
      '`hmac`: `{header, algorithm: sha1|sha256|sha512, encoding: hex|base64, prefix?}`; `basic`: `{user}`; `none`: `{unverified: true}`.',
    examples: [{}],
  }),
  secret: t.text({
    minLength: 1,
    maxLength: 4_096,
    says: 'a text of 1 to 4,096 characters',
    description: 'With which the provider signs. It is never shown again.',
    examples: ['whsec_EXAMPLEc2VjcmV0'],
  }),
  map: t.members({
    description:
      'Where the value of each field is, by its key: a JSON pointer, `header:Name`, or `{path | header | value, as?, default?}` with `as` of `text`, `number`, `bool`, `json`, `epoch_s`, `epoch_ms`, `cents`.',
    examples: [EXAMPLE_MAP],
  }),
  external_id: t.nullableText({ description: 'Where the id of an event is, as in `map`.', examples: [null] }),
  event: t.nullableText({ description: 'Where the type of an event is, as in `map`.', examples: [null] }),
  when: t.Array(t.Unknown(), {
    maxItems: MAX_CONDITIONS,
    description:
      'Only events that meet all conditions become rows: `{path | header | event: true, op: eq|neq|in|not_in|exists|starts_with, value}`.',
    examples: [EXAMPLE_WHEN],
  }),
  on_conflict: t.choice(['refuse', 'update'], {
    description: 'Of a row that collides in a unique field. `refuse` unless given.',
  }),
  newer_by: t.nullableText({
    description: 'A number, date or datetime: an update with a lower value writes nothing.',
    examples: [null],
  }),
  forward: t.Array(
    t.strict({
      url: t.text({
        minLength: 1,
        maxLength: 2_048,
        description: 'A public https address; redirects are not followed.',
        ...targetUrl,
      }),
      when: t.Optional(
        t.Array(t.Unknown(), {
          maxItems: MAX_CONDITIONS,
          description: 'Only events that meet all conditions, as in `when`.',
          examples: [EXAMPLE_WHEN],
        }),
      ),
    }),
    {
      maxItems: MAX_TARGETS,
      description:
        'Up to 5 URLs that every verified event is passed on to, with its body and headers, so that the library of the provider verifies it there.',
      examples: [[{ url: 'https://books.example.com/stripe' }]],
    },
  ),
  enabled: t.flag({ description: 'While false, events are stored as ignored.' }),
  description: t.nullableText({ maxLength: 10_000, examples: ['Live mode'] }),
})

const name = () =>
  t.text({ minLength: 1, maxLength: 200, singleLine: true, isName: true, examples: ['Card payments'] })

export const CreateSourceBody = t.strict(
  { name: name(), structure: structureName(), provider: t.choice(PROVIDER_NAMES), ...attributes },
  {
    examples: [
      {
        name: 'Card payments',
        structure: 'Books',
        provider: 'stripe',
        secret: 'whsec_EXAMPLEc2VjcmV0',
        map: EXAMPLE_MAP,
        when: EXAMPLE_WHEN,
        forward: [{ url: 'https://books.example.com/stripe' }],
      },
    ],
  },
)
export const PatchSourceBody = t.strict(
  { name: t.Optional(name()), ...attributes },
  { examples: [{ description: 'Live mode', enabled: false }] },
)

export const ResumeBody = t.strict({
  url: t.text({ minLength: 1, maxLength: 2_048, description: 'A URL of `forward`.', ...targetUrl }),
})

export const ReplayBody = t.strict({
  status: t.choice(['unmapped'], { description: 'Events without a row.', examples: ['unmapped'] }),
  since: t.Optional(
    t.text({
      format: 'date-time',
      check: (value) => parseInstant(value) !== undefined,
      says: 'an instant such as 2026-11-21T09:30:00.000Z',
      description: 'Only those that came at this instant or later.',
      examples: ['2026-11-21T09:30:00.000Z'],
    }),
  ),
})

export const TryBody = t.strict(
  {
    body: t.Optional(t.Unknown({ description: 'The JSON value of a body.' })),
    headers: t.Optional(
      t.Union([t.members(), t.Array(t.Unknown())], {
        description: 'Beside `body`: an object, or a list of pairs.',
      }),
    ),
    event_id: t.Optional(eventId('An event of the source instead of a body.')),
    map: attributes.map,
    when: attributes.when,
  },
  { examples: [{ body: { id: 'evt_1', type: 'charge.succeeded' } }] },
)
