import type { Surface } from '../kernel/caller.ts'
import { isoOrNull, isoTimestamp } from '../lib/dates.ts'
import { type FieldValue, previousValues, type RecordChange, type RecordState } from '../lib/record-data.ts'
import { atPlace, refused } from '../lib/refusal.ts'
import { defaultTemplate, filled, placeholdersIn } from '../lib/template.ts'
import { VERSION } from '../lib/version.ts'

/** The events of row changes, which a subscription without named events gets. */
export const RECORD_EVENTS = ['record.created', 'record.updated', 'record.deleted'] as const
/** Sent when the moment is due that a subscription's rule derives from a value of a row. */
export const DUE_EVENT = 'record.due'

/** The available events of each kind of subscription. */
export const EVENTS_OF = {
  record: [...RECORD_EVENTS, DUE_EVENT],
  note: ['note.created', 'note.updated', 'note.deleted', 'note.restored'],
  file: ['file.created', 'file.updated', 'file.deleted'],
} as const satisfies Record<Kind, readonly string[]>

/** Sent only on request. */
export const TEST_EVENT = 'webhook.test'
export const SUBSCRIBED_EVENTS = [...EVENTS_OF.record, ...EVENTS_OF.note, ...EVENTS_OF.file] as const
export type SubscribedEvent = (typeof SUBSCRIBED_EVENTS)[number]
export const EVENTS = [...SUBSCRIBED_EVENTS, TEST_EVENT] as const
export type EventType = (typeof EVENTS)[number]

/** The origin of a change. */
export interface EventSource {
  readonly surface: Surface | 'system'
  readonly keyId: string | null
}

/** The members of every event payload besides the change. */
export interface EventHead {
  readonly id: string
  readonly occurredAt: number
  readonly workspaceId: string
  /** Null for an event of a note or a file. */
  readonly structure: { readonly id: string; readonly name: string } | null
  readonly source: EventSource
}

const presentRecord = ({ id, data, createdAt, updatedAt, deletedAt }: RecordState) => ({
  id,
  data,
  created_at: isoTimestamp(createdAt),
  updated_at: isoTimestamp(updatedAt),
  deleted_at: isoOrNull(deletedAt),
})

/** The description of a note, a file, or the due time of a row, in an event. */
export interface EventData {
  readonly note?: { readonly title: string }
  readonly file?: { readonly file_name: string }
  readonly changed?: readonly string[]
  readonly previous?: Readonly<Record<string, unknown>>
  readonly due_at?: string
  readonly late?: true
}

/** The payload for subscriptions in JSON format. */
export interface Payload {
  readonly id: string
  readonly type: string
  readonly occurred_at: string
  readonly workspace_id: string
  readonly structure: { readonly id: string; readonly name: string } | null
  readonly record?: ReturnType<typeof presentRecord> | null
  readonly changed?: readonly string[]
  readonly previous?: Readonly<Record<string, FieldValue | null>>
  readonly data?: EventData | null
  readonly source: { readonly surface: string; readonly key_id: string | null }
  /** The number of the event in an ordered subscription. */
  readonly sequence?: number
}

type Content = Pick<Payload, 'type' | 'record' | 'changed' | 'previous' | 'data'>

/** Its members in sending order; undefined members are omitted. */
const payloadOf = (
  { id, occurredAt, workspaceId, structure, source }: EventHead,
  { type, ...content }: Content,
): Payload => ({
  id,
  type,
  occurred_at: isoTimestamp(occurredAt),
  workspace_id: workspaceId,
  structure: structure && { id: structure.id, name: structure.name },
  ...content,
  source: { surface: source.surface, key_id: source.keyId },
})

/** The payload for a change of a record; in `previous`, an absent value is null. */
export const changePayload = (head: EventHead, change: RecordChange): Payload =>
  payloadOf(head, {
    type: `record.${change.kind}`,
    record: presentRecord(change.after),
    changed: change.changed,
    previous: previousValues(change.changed, change.before?.data),
  })

export const duePayload = (head: EventHead, record: RecordState, dueAt: number, isLate: boolean): Payload =>
  payloadOf(head, {
    type: DUE_EVENT,
    record: presentRecord(record),
    changed: [],
    previous: {},
    data: { due_at: isoTimestamp(dueAt), ...(isLate && { late: true }) },
  })

export const objectPayload = (head: EventHead, type: string, data: EventData): Payload =>
  payloadOf(head, { type, data })

export const testPayload = (head: EventHead, kind: Kind): Payload =>
  payloadOf(
    head,
    kind === 'record'
      ? { type: TEST_EVENT, record: null, changed: [], previous: {} }
      : { type: TEST_EVENT, data: null },
  )

/* The message format of an event: JSON, or text for a chat or a messenger. */

export const FORMATS = ['json', 'slack', 'discord', 'ntfy', 'text'] as const
export type Format = (typeof FORMATS)[number]

export const KINDS = ['record', 'note', 'file'] as const
export type Kind = (typeof KINDS)[number]

export interface MessageFormat {
  readonly kind: Kind
  readonly format: Format
  /** Null for the default template of its kind. */
  readonly template: string | null
}

export interface Message {
  readonly body: string
  /** Null for JSON. */
  readonly contentType: string | null
}

const FIELD = /^record\.(\w+)$/

type Source = (payload: Payload) => unknown

const COMMON: Readonly<Record<string, Source>> = {
  event: ({ type }) => type,
  structure: ({ structure }) => structure?.name,
  changed: ({ changed, data }) => (changed ?? data?.changed ?? []).join(', '),
}
const NAMES: Readonly<Record<Kind, Readonly<Record<string, Source>>>> = {
  record: COMMON,
  note: { ...COMMON, 'note.title': ({ data }) => data?.note?.title },
  file: { ...COMMON, 'file.file_name': ({ data }) => data?.file?.file_name },
}

function sourceOf(kind: Kind, placeholder: string): Source | undefined {
  const names = NAMES[kind]
  if (Object.hasOwn(names, placeholder)) return names[placeholder]
  const key = kind === 'record' ? FIELD.exec(placeholder)?.[1] : undefined
  if (key === undefined) return undefined
  return ({ record }) => (record && Object.hasOwn(record.data, key) ? record.data[key] : undefined)
}

export const fieldsInTemplate = (template: string | null): string[] =>
  placeholdersIn(template ?? '').flatMap((placeholder) => FIELD.exec(placeholder)?.[1] ?? [])

/** Refuses a template with an unknown placeholder; `hasField` tests whether the rows have a field. */
export function checkTemplate(template: string, kind: Kind, hasField: (key: string) => boolean): void {
  const isUnknown = (placeholder: string) => {
    const key = kind === 'record' ? FIELD.exec(placeholder)?.[1] : undefined
    return key === undefined ? sourceOf(kind, placeholder) === undefined : !hasField(key)
  }
  const found = placeholdersIn(template).find(isUnknown)
  if (found === undefined) return
  const placeholders = [...Object.keys(NAMES[kind]), ...(kind === 'record' ? ['record.<field>'] : [])]
  throw refused(
    `"template" has {${found}}, which nothing fills; it may have ${placeholders.map((name) => `{${name}}`).join(', ')}.`,
    atPlace('template'),
  )
}

/** The default template appends the label of the row, the title or the name, if any. */
function textOf(
  { kind, template }: MessageFormat,
  payload: Payload,
  labelField: string | null,
  written: (value: string) => string,
): string {
  const valueIn = (placeholder: string) => {
    const value = sourceOf(kind, placeholder)?.(payload) ?? ''
    return written(Array.isArray(value) ? value.join(', ') : String(value))
  }
  const text = filled(template ?? defaultTemplate(kind, labelField), valueIn, LONGEST)
  return template === null ? text.replace(/: $/, '') : text
}

/** No format accepts more code points than half of this. */
const LONGEST = 200_000

const ELLIPSIS = '…'

/**
 * The beginning of a text, limited so that the code points, each counted by `size`, total at most `most`. It ends with
 * an ellipsis if it was shortened.
 */
function cut(text: string, most: number, size: (character: string) => number): string {
  let used = 0
  let end = 0
  let position = 0
  const room = most - size(ELLIPSIS)
  for (const character of text) {
    used += size(character)
    position += character.length
    if (used <= room) end = position
    if (used > most) return text.slice(0, end) + ELLIPSIS
  }
  return text
}

const one = () => 1
const bytes = (character: string) => Buffer.byteLength(character)

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escaped = (value: string) => value.replace(/[&<>]/g, (character) => ESCAPED[character] ?? character)
const plain = (value: string) => value

/** Prevents a cut within an escaped character. */
const withoutTornEscape = (text: string) => text.replace(/&(?:a|am|amp|l|lt|g|gt)?…$/, ELLIPSIS)

const PLAIN_TEXT = 'text/plain; charset=utf-8'

const WRITERS: Readonly<
  Record<Exclude<Format, 'json'>, (text: (written: (value: string) => string) => string) => Message>
> = {
  slack: (text) => ({
    body: JSON.stringify({ text: withoutTornEscape(cut(text(escaped), 40_000, one)) }),
    contentType: null,
  }),
  discord: (text) => ({
    body: JSON.stringify({ content: cut(text(plain), 2_000, one), allowed_mentions: { parse: [] } }),
    contentType: null,
  }),
  ntfy: (text) => ({ body: cut(text(plain), 4_096, bytes), contentType: PLAIN_TEXT }),
  text: (text) => ({ body: cut(text(plain), 100_000, one), contentType: PLAIN_TEXT }),
}

/** The message for an event; `labelField` belongs to its structure. */
export function messageOf(form: MessageFormat, payload: Payload, labelField: string | null = null): Message {
  if (form.format === 'json') return { body: JSON.stringify(payload), contentType: null }
  return WRITERS[form.format]((written) => textOf(form, payload, labelField, written))
}

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new signing secret: `whsec_` and the base64 of 32 random bytes. */
export const newSecret = (): string =>
  PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64')

/** The bytes that a secret encodes, which are the key of Standard Webhooks. */
export const secretBytes = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64')

/** Whether the text has the format of a secret. */
export const isSecret = (text: string): boolean =>
  text.startsWith(PREFIX) &&
  secretBytes(text).length === SECRET_BYTES &&
  secretBytes(text).toString('base64') === text.slice(PREFIX.length)

/**
 * `v1` of `X-Service-Signature`: lower-case hex over `<t>.<raw body>`, keyed with the UTF-8 bytes of the whole
 * secret, including its prefix.
 */
export const serviceSignature = (secret: string, seconds: number | string, body: string | Buffer): string =>
  new Bun.CryptoHasher('sha256', secret).update(`${seconds}.`).update(body).digest('hex')

/** `v1` of `webhook-signature`: base64 over `<id>.<t>.<raw body>`, keyed with the bytes that the secret encodes. */
export const standardSignature = (
  secret: string,
  id: string,
  seconds: number | string,
  body: string | Buffer,
): string =>
  new Bun.CryptoHasher('sha256', secretBytes(secret))
    .update(`${id}.${seconds}.`)
    .update(body)
    .digest('base64')

/** A replaced secret that signs together with the current one until an instant. */
export interface EarlierSecret {
  readonly secret: string
  readonly until: number
}

export const parseEarlierSecrets = (column: string | null): EarlierSecret[] =>
  column === null ? [] : JSON.parse(column)

/** The secrets valid for signing at an instant, the current one first. */
export const secretsAt = (
  { secret, earlierSecrets }: { readonly secret: string; readonly earlierSecrets: string | null },
  instant: number,
): string[] => [
  secret,
  ...parseEarlierSecrets(earlierSecrets).flatMap((earlier) =>
    earlier.until > instant ? earlier.secret : [],
  ),
]

/** The input for the headers of an attempt; `body` is sent byte for byte. */
export interface SignedDelivery {
  /** Each secret signs, in this order. */
  readonly secrets: readonly string[]
  readonly event: string
  readonly eventId: string
  readonly deliveryId: string
  readonly body: string
  /** The media type of the body; by default JSON. */
  readonly contentType?: string | null
  /** The time of this attempt. */
  readonly atMs: number
  /** The number of the event in an ordered subscription. */
  readonly sequence?: number | null
}

/** Replaces the values of a subscription's own headers wherever they are shown. */
export const MASK = '…'

/** All headers that the service sends in an attempt, with the signatures of both schemes. */
export function signedHeaders(delivery: SignedDelivery): Record<string, string> {
  const { secrets, event, eventId, deliveryId, body, contentType, sequence = null } = delivery
  const seconds = Math.floor(delivery.atMs / 1000)
  const service = secrets.map((secret) => `v1=${serviceSignature(secret, seconds, body)}`)
  const standard = secrets.map((secret) => `v1,${standardSignature(secret, eventId, seconds, body)}`)
  return {
    'Content-Type': contentType ?? 'application/json',
    'User-Agent': `daybook/${VERSION}`,
    'X-Service-Event': event,
    'X-Service-Delivery': deliveryId,
    'X-Service-Signature': `t=${seconds},${service.join(',')}`,
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
    ...(sequence !== null && { 'X-Service-Sequence': String(sequence) }),
  }
}
