import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import { inSteps } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/transaction.ts'

/** A body may be long. */
const EVENTS_PER_STEP = 20
const SEALED_PER_STEP = 200
const IS_LISTED = 'IN (SELECT value FROM json_each(?))'

/** Deletes up to `limit` events that the condition finds, and what was sealed of them; returns how many. */
function deleteSomeEvents(reader: Reader, condition: string, value: number, limit: number): number {
  const { sql } = reader
  const pks = sql.column<number>(`SELECT pk FROM source_events WHERE ${condition} LIMIT ?`, value, limit)
  subtractKeptBytes(reader, pks)
  sql.run(`DELETE FROM source_sealed WHERE event ${IS_LISTED}`, JSON.stringify(pks))
  sql.run(`DELETE FROM source_events WHERE pk ${IS_LISTED}`, JSON.stringify(pks))
  return pks.length
}

/** Deletes up to `limit` events that came before this instant; returns how many. */
export const deleteEventsBefore = (reader: Reader, before: number, limit: number): number =>
  deleteSomeEvents(reader, 'received_at < ?', before, limit)

/** Marks a source as removed: it is no longer visible, and its URL leads nowhere. */
export const markSourceRemoved = ({ sql }: Tx, pk: number): void =>
  void sql.run('UPDATE sources SET is_removed = 1, token = NULL, secret = NULL WHERE pk = ?', pk)

/** Marks the sources of a structure that is being deleted. */
export const markSourcesRemovedOf = ({ sql }: Tx, structure: number): void =>
  void sql.run(
    'UPDATE sources SET is_removed = 1, token = NULL, secret = NULL WHERE structure = ?',
    structure,
  )

/** Deletes removed sources with their events in several transactions; finishes what a crash interrupted. */
export async function deleteRemovedSources(db: Db): Promise<void> {
  for (const pk of db.sql.column<number>('SELECT pk FROM sources WHERE is_removed = 1')) {
    await inSteps(db, (tx) => deleteSomeEvents(tx, 'source = ?', pk, EVENTS_PER_STEP) > 0)
    await db.write((tx): void => void tx.sql.run('DELETE FROM sources WHERE pk = ? AND is_removed = 1', pk))
  }
}

/** Deletes what was sealed with earlier secrets of a source; without this it could not be opened, either. */
export function dropEarlierSealed(db: Db, source: number, secretVersion: number): Promise<void> {
  // A step that is run again finds nothing to delete in what it did before.
  let after = ''
  return inSteps(db, ({ sql }) => {
    const events = sql.rows<[number, string]>(
      'SELECT pk, id FROM source_events WHERE source = ? AND id > ? ORDER BY id LIMIT ?',
      source,
      after,
      SEALED_PER_STEP,
    )
    sql.run(
      'DELETE FROM source_sealed WHERE secret_version < ? AND event IN (SELECT value FROM json_each(?))',
      secretVersion,
      JSON.stringify(events.map(([pk]) => pk)),
    )
    after = events.at(-1)?.[1] ?? after
    return events.length > 0
  })
}

/** Adds to the account of a source. While it is over `most`, its oldest events lose headers, body and what is sealed. */
export function addKeptBytes(reader: Reader, source: number, added: number, most: number): void {
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

/** Takes events that are about to be deleted off the account. */
function subtractKeptBytes({ sql }: Reader, events: readonly number[]): void {
  sql.run(
    `UPDATE sources SET kept_bytes = max(0, kept_bytes - gone.bytes)
      FROM (SELECT source, total(kept) AS bytes FROM source_events WHERE pk ${IS_LISTED} GROUP BY source) AS gone
      WHERE sources.pk = gone.source`,
    JSON.stringify(events),
  )
}

/** Deletes what was sealed of an event. */
export const dropSealed = ({ sql }: Reader, event: number): void =>
  void sql.run('DELETE FROM source_sealed WHERE event = ?', event)
