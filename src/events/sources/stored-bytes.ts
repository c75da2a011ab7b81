import { refused } from '../../lib/refusal.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Call } from './providers.ts'
import { type EventRow, isWhole, type Status } from './store.ts'

/*
 * Accounts for the stored bytes of a source's events: headers and body, or the sealed call if that is larger. Events
 * stored by versions without this account count as 0 and expire by age.
 */

/** The stored part of an ignored event's body, in bytes. */
const IGNORED_BODY_BYTES = 65_536

interface StoredBody {
  readonly body: Buffer
  /** The original size of the body if it is truncated. */
  readonly size: number | null
}

export function storedBodyOf({ body }: Pick<Call, 'body'>, status: Status): StoredBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return status === 'ignored' && bytes.length > IGNORED_BODY_BYTES
    ? { body: bytes.subarray(0, IGNORED_BODY_BYTES), size: bytes.length }
    : { body: bytes, size: null }
}

/** Refuses to replay an event whose body is not stored completely. */
export function checkStoredWhole(event: EventRow): void {
  if (isWhole(event)) return
  const why = event.isDropped
    ? 'The body of this event is no longer stored: a source keeps the newest 1 GiB.'
    : 'Only the first 64 KiB of this event are kept, because it was ignored.'
  throw refused(`${why} Have the sender send it again.`, { reason: 'dropped' })
}

/** A condition on a column: its value is in a JSON list. */
export const IS_LISTED = 'IN (SELECT value FROM json_each(?))'

/**
 * Adds to the account of a source. While the account is over `most`, its oldest events lose headers, body and sealed
 * calls.
 */
export function addStoredBytes(reader: Reader, source: number, added: number, most: number): void {
  const { sql } = reader
  let kept = sql.scalar<number>(
    'UPDATE sources SET kept_bytes = max(0, kept_bytes + ?) WHERE pk = ? RETURNING kept_bytes',
    added,
    source,
  )
  while (kept > most) {
    const oldest = sql.rows<[pk: number, kept: number]>(
      'SELECT pk, kept FROM source_events WHERE source = ? AND kept IS NOT NULL ORDER BY received_at LIMIT ?',
      source,
      DROPPED_AT_ONCE,
    )
    if (oldest.length === 0) return
    const dropped: number[] = []
    let freed = 0
    for (const [pk, bytes] of oldest) {
      if (kept - freed <= most) break
      dropped.push(pk)
      freed += bytes
    }
    dropCalls(reader, dropped)
    kept = sql.scalar<number>(
      'UPDATE sources SET kept_bytes = max(0, kept_bytes - ?) WHERE pk = ? RETURNING kept_bytes',
      freed,
      source,
    )
  }
}

const DROPPED_AT_ONCE = 100

function dropCalls({ sql }: Reader, events: readonly number[]): void {
  const pks = JSON.stringify(events)
  sql.run(`DELETE FROM source_sealed WHERE event ${IS_LISTED}`, pks)
  sql.run(
    `UPDATE source_events SET size = coalesce(size, octet_length(body)), body = x'', headers = '[]', kept = NULL
      WHERE pk ${IS_LISTED}`,
    pks,
  )
}

/** Subtracts events from the account before they are deleted. */
export function subtractStoredBytes({ sql }: Reader, events: readonly number[]): void {
  sql.run(
    `UPDATE sources SET kept_bytes = max(0, kept_bytes - gone.bytes)
      FROM (SELECT source, total(kept) AS bytes FROM source_events WHERE pk ${IS_LISTED} GROUP BY source) AS gone
      WHERE sources.pk = gone.source`,
    JSON.stringify(events),
  )
}

/** Deletes the sealed call of an event. */
export const dropSealed = ({ sql }: Reader, event: number): void =>
  void sql.run('DELETE FROM source_sealed WHERE event = ?', event)
