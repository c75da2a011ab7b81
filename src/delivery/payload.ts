import type { RecordChange } from '../changes/bus.ts'
import { type FieldValue, previousValues, type RecordState } from '../changes/record-data.ts'
import { isoOrNull, isoTimestamp } from '../lib/dates.ts'

/** The events that a subscription may ask for. */
export const RECORD_EVENTS = ['record.created', 'record.updated', 'record.deleted'] as const
export type RecordEvent = (typeof RECORD_EVENTS)[number]

/** Sent only on request. */
export const TEST_EVENT = 'webhook.test'
export const EVENTS = [...RECORD_EVENTS, TEST_EVENT] as const
export type EventType = (typeof EVENTS)[number]

/** What the payload of every event says besides the change. */
export interface EventHead {
  readonly id: string
  readonly occurredAt: number
  readonly workspaceId: string
  readonly structure: { readonly id: string; readonly name: string }
  readonly source: RecordChange['source']
}

interface EventContent {
  type: string
  record: RecordState | null
  changed: readonly string[]
  previous: Record<string, FieldValue | null>
}

const presentRecord = ({ id, data, createdAt, updatedAt, deletedAt }: RecordState) => ({
  id,
  data,
  created_at: isoTimestamp(createdAt),
  updated_at: isoTimestamp(updatedAt),
  deleted_at: isoOrNull(deletedAt),
})

const payloadOf = (head: EventHead, { type, record, changed, previous }: EventContent): string =>
  JSON.stringify({
    id: head.id,
    type,
    occurred_at: isoTimestamp(head.occurredAt),
    workspace_id: head.workspaceId,
    structure: { id: head.structure.id, name: head.structure.name },
    record: record && presentRecord(record),
    changed,
    previous,
    source: { surface: head.source.surface, key_id: head.source.keyId },
  })

/** The JSON payload for a change of a record; in `previous` a value that was absent is null. */
export const changePayload = (head: EventHead, change: RecordChange): string =>
  payloadOf(head, {
    type: `record.${change.kind}`,
    record: change.after,
    changed: change.changed,
    previous: previousValues(change.changed, change.before?.data),
  })

/** The JSON payload of a `webhook.test` event. */
export const testPayload = (head: EventHead): string =>
  payloadOf(head, { type: TEST_EVENT, record: null, changed: [], previous: {} })
