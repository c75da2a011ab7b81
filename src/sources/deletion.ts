import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import { inSteps } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/transaction.ts'

/** A body may be long. */
const EVENTS_PER_STEP = 20
const SEALED_PER_STEP = 200

/** Deletes up to `limit` events that the condition finds, and what was sealed of them; returns how many. */
function deleteSomeEvents({ sql }: Reader, condition: string, value: number, limit: number): number {
  const pks = sql.column<number>(`SELECT pk FROM source_events WHERE ${condition} LIMIT ?`, value, limit)
  const isListed = 'IN (SELECT value FROM json_each(?))'
  sql.run(`DELETE FROM source_sealed WHERE event ${isListed}`, JSON.stringify(pks))
  sql.run(`DELETE FROM source_events WHERE pk ${isListed}`, JSON.stringify(pks))
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
