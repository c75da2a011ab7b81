import { type FieldValue, type RecordChange, type RecordState, valueIn } from '../../changes/record-change.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { TEST_EVENT } from './event-types.ts'

/** What every event says besides its record (`service.md`, Payload shape). */
export interface EventHead {
  readonly id: string
  readonly occurredAt: number
  readonly workspaceId: string
  readonly structure: { readonly id: string; readonly name: string }
  readonly source: RecordChange['source']
}

interface EventTail {
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
  deleted_at: deletedAt === null ? null : isoTimestamp(deletedAt),
})

const bodyOf = (head: EventHead, { type, record, changed, previous }: EventTail): string =>
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

/** The body that tells of a change; a value that was absent is null in `previous`. */
export function changeBody(head: EventHead, { kind, before, after, changed }: RecordChange): string {
  const previous = changed.map((key) => [key, before ? (valueIn(before.data, key) ?? null) : null])
  return bodyOf(head, {
    type: `record.${kind}`,
    record: after,
    changed,
    previous: Object.fromEntries(previous),
  })
}

export const testBody = (head: EventHead): string =>
  bodyOf(head, { type: TEST_EVENT, record: null, changed: [], previous: {} })
