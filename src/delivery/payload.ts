import type { RecordChange } from '../changes/bus.ts'
import { type FieldValue, previousValues, type RecordState } from '../changes/record-data.ts'
import { isoOrNull, isoTimestamp } from '../lib/dates.ts'
import type { Kind } from './formats.ts'

/** The events of changes of rows, which a subscription gets if it names none. */
export const RECORD_EVENTS = ['record.created', 'record.updated', 'record.deleted'] as const
/** The moment comes that the rule of a subscription derives from a value of a row. */
export const DUE_EVENT = 'record.due'

/** The events that a subscription of each kind may ask for. */
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

/** Where a change comes from. */
export interface EventSource {
  readonly surface: RecordChange['source']['surface'] | 'system'
  readonly keyId: string | null
}

/** What the payload of every event says besides the change. */
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

/** What an event says of a note or a file, or of the moment of a row. */
export interface EventData {
  readonly note?: { readonly title: string }
  readonly file?: { readonly file_name: string }
  readonly changed?: readonly string[]
  readonly previous?: Readonly<Record<string, unknown>>
  readonly due_at?: string
  readonly late?: true
}

/** What a subscription that takes JSON is sent. */
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
}

type Content = Pick<Payload, 'type' | 'record' | 'changed' | 'previous' | 'data'>

/** Its members in the order in which they are sent; those that are undefined are not. */
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

/** The payload for a change of a record; in `previous` a value that was absent is null. */
export const changePayload = (head: EventHead, change: Omit<RecordChange, 'source'>): Payload =>
  payloadOf(head, {
    type: `record.${change.kind}`,
    record: presentRecord(change.after),
    changed: change.changed,
    previous: previousValues(change.changed, change.before?.data),
  })

/** The payload for the moment of a record. */
export const duePayload = (head: EventHead, record: RecordState, dueAt: number, isLate: boolean): Payload =>
  payloadOf(head, {
    type: DUE_EVENT,
    record: presentRecord(record),
    changed: [],
    previous: {},
    data: { due_at: isoTimestamp(dueAt), ...(isLate && { late: true }) },
  })

/** The payload of an event of a note or a file. */
export const objectPayload = (head: EventHead, type: string, data: EventData): Payload =>
  payloadOf(head, { type, data })

/** The payload of a `webhook.test` event. */
export const testPayload = (head: EventHead, kind: Kind): Payload =>
  payloadOf(
    head,
    kind === 'record'
      ? { type: TEST_EVENT, record: null, changed: [], previous: {} }
      : { type: TEST_EVENT, data: null },
  )
