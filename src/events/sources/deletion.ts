import { defineJob, enqueue } from '../../kernel/jobs.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { removeTargetsOf } from './forward-targets.ts'
import { IS_LISTED, subtractStoredBytes } from './stored-bytes.ts'

/** Small, because bodies may be long. */
const EVENTS_AT_ONCE = 20
const SEALED_AT_ONCE = 200

/** Deletes up to `limit` events that match the condition, with their sealed calls; returns the number deleted. */
function deleteSomeEvents(reader: Reader, condition: string, value: number, limit: number): number {
  const { sql } = reader
  const pks = sql.column<number>(`SELECT pk FROM source_events WHERE ${condition} LIMIT ?`, value, limit)
  subtractStoredBytes(reader, pks)
  sql.run(`DELETE FROM source_sealed WHERE event ${IS_LISTED}`, JSON.stringify(pks))
  sql.run(`DELETE FROM source_events WHERE pk ${IS_LISTED}`, JSON.stringify(pks))
  return pks.length
}

/** Deletes up to `limit` events received before this instant; returns the number deleted. */
export const deleteEventsBefore = (reader: Reader, before: number, limit: number): number =>
  deleteSomeEvents(reader, 'received_at < ?', before, limit)

/** Deletes the events of a deleted source. */
export const sourceDetachment = defineJob<number, null>('source.detach', (tx, source) =>
  deleteSomeEvents(tx, 'source = ?', source, EVENTS_AT_ONCE) > 0 ? null : 'done',
)

/** Deletes a source and thereby its URL. A job then deletes its events, which no read shows any more. */
export function removeSource(tx: Tx, pk: number): void {
  tx.sql.run('DELETE FROM sources WHERE pk = ?', pk)
  removeTargetsOf(tx, pk)
  enqueue(tx, sourceDetachment, pk, null)
}

/** Deletes the sources of a structure that is being deleted. */
export function removeSourcesOf(tx: Tx, structure: number): void {
  for (const pk of tx.sql.column<number>('SELECT pk FROM sources WHERE structure = ?', structure))
    removeSource(tx, pk)
}

/** Sealed calls of a source with secrets before this version, for events with ids above `after`. */
interface Replaced {
  readonly secretVersion: number
  readonly after: string
}

/** Deletes calls sealed with earlier secrets of a source, because nobody can open them. */
export const sealedRemoval = defineJob<number, Replaced>(
  'source.unseal',
  ({ sql }, source, { secretVersion, after }) => {
    const events = sql.rows<[number, string]>(
      'SELECT pk, id FROM source_events WHERE source = ? AND id > ? ORDER BY id LIMIT ?',
      source,
      after,
      SEALED_AT_ONCE,
    )
    sql.run(
      'DELETE FROM source_sealed WHERE secret_version < ? AND event IN (SELECT value FROM json_each(?))',
      secretVersion,
      JSON.stringify(events.map(([pk]) => pk)),
    )
    const last = events.at(-1)?.[1]
    return last === undefined ? 'done' : { secretVersion, after: last }
  },
)

/** Enqueues the deletion of calls sealed with secrets of a source before this version. */
export const dropEarlierSealed = (tx: Tx, source: number, secretVersion: number): void =>
  enqueue(tx, sealedRemoval, source, { secretVersion, after: '' })
