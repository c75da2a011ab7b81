import { File } from '../../files/schema.ts'
import { exampleOf, type JsonSchema, type SchemaComponents } from '../../http/openapi/corrections.ts'
import { EVENTS, type EventType } from '../../log/message.ts'
import { RecordObject } from '../../records/rows/schema.ts'
import { DeliveredEvent, DeliveredNote } from './event-schema.ts'

const DESCRIPTION = `Sent to the \`url\` of a subscription within seconds of the change. Verify it against the raw body before you parse that, in either way, compare in constant time, and refuse what is more than 300 seconds from your clock:

- \`X-Service-Signature\`: \`t=<unix seconds>,v1=<hex>\`, the HMAC-SHA256 over \`<t>.<body>\`, keyed with the whole text of the secret.
- [Standard Webhooks](https://www.standardwebhooks.com): \`webhook-signature\` is \`v1,<base64>\`, the HMAC-SHA256 over \`<webhook-id>.<webhook-timestamp>.<body>\`, keyed with the bytes whose base64 follows \`whsec_\`.

While a replaced secret still signs, each of the two has several signatures, the newest first: \`t=…,v1=…,v1=…\` and \`v1,… v1,…\`. Accept a delivery of which one signature is right.

Deliveries that are not answered with 2xx within 10 seconds are sent again after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte. An event may arrive twice and out of order: know it by \`id\`, and compare \`record.updated_at\`. With \`ordered\`, the events of one object arrive in order, and each has its number in \`sequence\` and \`X-Service-Sequence\`.`

interface ExampleRecord {
  updated_at: string
  deleted_at: string | null
}

const RECORD: ExampleRecord = { ...(exampleOf(RecordObject) as ExampleRecord), deleted_at: null }

const NOTE = exampleOf(DeliveredNote)

interface EventKind {
  readonly operationId: string
  readonly summary: string
  readonly example: object
}

/** Examples of rows have their members at the top level; examples of notes and files have them in `data`. */
function kindsOf<Kind extends 'note' | 'file', Operation extends string>(
  kind: Kind,
  data: object,
  operations: readonly Operation[],
): Record<`${Kind}.${Operation}`, EventKind> {
  const about = (operation: Operation): EventKind => ({
    operationId: `${kind}${operation[0]?.toUpperCase()}${operation.slice(1)}`,
    summary: `A ${kind} was ${operation}`,
    example: {
      ...{ structure: null, record: undefined, changed: undefined, previous: undefined },
      data: { ...data, changed: [], previous: {} },
    },
  })
  const entries = operations.map((operation) => [`${kind}.${operation}`, about(operation)])
  return Object.fromEntries(entries) as Record<`${Kind}.${Operation}`, EventKind>
}

/** Each type of event with its operation id, its summary, and the members that its example adds to the common ones. */
const KINDS: Record<EventType, EventKind> = {
  'record.created': {
    operationId: 'recordCreated',
    summary: 'A row was written, or restored',
    example: { changed: [], previous: {} },
  },
  'record.updated': { operationId: 'recordUpdated', summary: 'Fields of a row changed', example: {} },
  'record.deleted': {
    operationId: 'recordDeleted',
    summary: 'A row was deleted',
    example: { record: { ...RECORD, deleted_at: RECORD.updated_at }, changed: [], previous: {} },
  },
  'record.due': {
    operationId: 'recordDue',
    summary: 'The moment of a row has come',
    example: { changed: [], previous: {}, data: { due_at: '2026-11-21T08:00:00.000Z' } },
  },
  ...kindsOf('note', { note: NOTE }, ['created', 'updated', 'deleted', 'restored']),
  ...kindsOf('file', { file: exampleOf(File) }, ['created', 'updated', 'deleted']),
  'webhook.test': {
    operationId: 'webhookTest',
    summary: 'A test was asked for',
    example: { record: null, changed: [], previous: {} },
  },
}

/** Without the members that are undefined. */
const exampleFor = (type: EventType): object =>
  JSON.parse(
    JSON.stringify({
      ...(exampleOf(DeliveredEvent) as object),
      data: undefined,
      record: RECORD,
      ...KINDS[type].example,
      type,
    }),
  )

const ID = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'
const SECONDS = '1795253400'

const HEADERS: readonly (readonly [name: string, description: string, example?: string])[] = [
  ['X-Service-Event', 'The type of the event.'],
  ['X-Service-Delivery', 'The id of the delivery.', ID],
  [
    'X-Service-Signature',
    'The signature of this attempt.',
    `t=${SECONDS},v1=5f0c1b7e9a42d3860fb1c9e4a7d25b3860e1f9c4b7a2d5380f6e1c9b4a7d2538`,
  ],
  ['webhook-id', 'The id of the event.', ID],
  ['webhook-timestamp', 'The unix seconds of this attempt.', SECONDS],
  [
    'webhook-signature',
    'The signature of this attempt, as Standard Webhooks has it.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
]

const SEQUENCE = {
  name: 'X-Service-Sequence',
  in: 'header',
  description: 'With `ordered`: the number of the event, in every format.',
  schema: { type: 'string' },
  example: '12',
}

const parametersOf = (type: EventType) => [
  ...HEADERS.map(([name, description, example = type]) => ({
    name,
    in: 'header',
    description,
    required: true,
    schema: { type: 'string' },
    example,
  })),
  SEQUENCE,
]

const RESPONSES = {
  '2XX': { description: 'The delivery has arrived; the body of the answer is dropped.' },
  '401': { description: 'The verification failed; the delivery is sent again like any other.' },
  default: { description: 'The delivery is sent again later. Redirects are not followed.' },
}

const request = (type: EventType, schema: JsonSchema) => ({
  description: DESCRIPTION,
  tags: ['Webhooks'],
  // A delivery is authenticated only by its signature.
  security: [],
  parameters: parametersOf(type),
  requestBody: { required: true, content: { 'application/json': { schema, example: exampleFor(type) } } },
  responses: RESPONSES,
})

const operation = (type: EventType, schema: JsonSchema) => ({
  operationId: KINDS[type].operationId,
  summary: KINDS[type].summary,
  ...request(type, schema),
})

/** The `webhooks` of the OpenAPI document, by type of event: the requests that daybook sends. */
export function describeDeliveries(components: SchemaComponents) {
  const schema = components.write(DeliveredEvent)
  return Object.fromEntries(EVENTS.map((type) => [type, { post: operation(type, schema) }]))
}

/**
 * The same requests as a callback of the operation that subscribes: several client generators read callbacks but not
 * `webhooks`. Without the callback they would omit `DeliveredEvent`.
 */
export function describeCallbacks(components: SchemaComponents) {
  const post = {
    operationId: 'deliverEvent',
    summary: 'An event is delivered',
    ...request('record.updated', components.write(DeliveredEvent)),
  }
  return { createWebhook: { event: { '{$request.body#/url}': { post } } } }
}
