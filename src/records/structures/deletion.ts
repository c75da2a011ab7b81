import { defineJob, defineLongJob, enqueue, findState, keysOf } from '../../kernel/jobs.ts'
import { liveRows, placeOf, type RowPlace } from '../../storage/row-table-names.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { deleteLiveRows } from './storage/live-rows.ts'
import { dropRowIndex, listRowIndexes } from './storage/row-index.ts'
import { dropRowTable } from './storage/row-table-schema.ts'
import { dropTextIndex } from './storage/text-index.ts'

/*
 * A deletion removes the structure, its subscriptions and its sources at once, so no read shows it and its name is
 * free. Jobs then remove the rows, which are found only through the structure. They first drop the indexes, one per
 * transaction, because rows without indexes are removed several times faster.
 */

const ROWS_AT_ONCE = 200

function removeRows(tx: Tx, place: RowPlace, pks: readonly number[]): void {
  deleteLiveRows(tx, place, pks)
  tx.sql.run('DELETE FROM records WHERE pk IN (SELECT value FROM json_each(?))', JSON.stringify(pks))
}

/** Removes the live and deleted rows of a deleted structure, and then their table. */
export const rowRemoval = defineJob<number, RowPlace>('structure.rows', (tx, pk, place) => {
  const live = tx.sql.column<number>(`SELECT pk FROM ${liveRows(place)} LIMIT ?`, ROWS_AT_ONCE)
  const deleted = tx.sql.column<number>(
    'SELECT pk FROM records WHERE structure = ? AND deleted_at IS NOT NULL LIMIT ?',
    pk,
    ROWS_AT_ONCE - live.length,
  )
  removeRows(tx, place, [...live, ...deleted])
  if (live.length + deleted.length > 0) return place
  dropRowTable(tx, pk)
  return 'done'
})

/** Drops an index on the rows of a deleted structure: some tens of milliseconds for a million rows. */
export const rowIndexRemoval = defineLongJob<number, RowPlace>('structure.indexes', (tx, pk, place) => {
  const [name] = listRowIndexes(tx, pk)
  if (name !== undefined) dropRowIndex(tx, name)
  else {
    dropTextIndex(tx, pk)
    enqueue(tx, rowRemoval, pk, place)
  }
  return name === undefined ? 'done' : place
})

const DELETED = `${keysOf(rowIndexRemoval)} UNION ALL ${keysOf(rowRemoval)}`

/** Removes the rows of deleted structures that have these ids, ahead of the job, so that others can get the ids. */
export function freeRowIds(tx: Tx, ids: readonly string[]): void {
  for (const structure of tx.sql.column<number>(DELETED)) {
    const place = findState(tx, rowIndexRemoval, structure) ?? findState(tx, rowRemoval, structure)
    const pks = tx.sql.column<number>(
      'SELECT pk FROM records WHERE id IN (SELECT value FROM json_each(?)) AND structure = ?',
      JSON.stringify(ids),
      structure,
    )
    if (place && pks.length > 0) removeRows(tx, place, pks)
  }
}

/** Removes a structure without a log; its subscriptions, sources and views must be gone. */
export function removeStructure(tx: Tx, pk: number): void {
  const place = placeOf(tx, pk)
  tx.sql.run('DELETE FROM structures WHERE pk = ?', pk)
  enqueue(tx, rowIndexRemoval, pk, place)
}
