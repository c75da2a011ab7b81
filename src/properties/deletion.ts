import type { AppContext, Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import { inChunks } from '../db/writes/chunks.ts'
import { closeGap, NO_POSITION } from '../db/writes/positions.ts'
import { forSomeMilliseconds } from '../db/writes/time-slice.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { refuseWhileUsed } from '../feature-hooks.ts'
import { touchNotes } from '../notes/store.ts'
import { getPropertyRow } from './service.ts'
import { countNotesHolding } from './store.ts'

/*
 * As with tags, the first transaction hides the property from every read and frees its key; the values are then removed
 * in chunks.
 */

/** Deletes the definition and its value on every note, trashed ones too. Returns how many notes had one. */
export async function deleteProperty(ctx: AppContext, caller: Caller, idOrKey: string): Promise<number> {
  const { pk, notes } = await ctx.db.write((tx) => {
    const property = getPropertyRow(tx, caller, idOrKey)
    refuseWhileUsed(
      `The property "${property.key}"`,
      ctx.features.usageOfProperty(tx, caller.workspacePk, property),
      'it cannot be deleted before those change',
    )
    tx.sql.run('UPDATE properties SET is_removed = 1, position = ? WHERE pk = ?', NO_POSITION, property.pk)
    closeGap(tx, 'properties', caller.workspacePk, property.position)
    return { pk: property.pk, notes: countNotesHolding(tx, property.pk) }
  })
  await removeValues(ctx.db, pk)
  return notes
}

/** Finishes deletions that were interrupted, for example by a crash. */
export async function finishPropertyDeletions(db: Db): Promise<void> {
  for (const pk of db.sql.column<number>('SELECT pk FROM properties WHERE is_removed = 1'))
    await removeValues(db, pk)
}

const removeValues = (db: Db, property: number): Promise<void> =>
  inChunks(db, (tx) => forSomeMilliseconds(() => removeSomeValues(tx, property)))

const AT_ONCE = 50

/** Removes the values of some notes, and after the last the property itself; returns whether there may be more. */
function removeSomeValues(tx: Tx, property: number): boolean {
  const { sql } = tx
  const found = sql.column<number>(
    'SELECT note FROM note_properties WHERE property = ? LIMIT ?',
    property,
    AT_ONCE,
  )
  if (found.length === 0) {
    sql.run('DELETE FROM properties WHERE pk = ? AND is_removed = 1', property)
    return false
  }
  const notes = JSON.stringify(found)
  sql.run(
    'DELETE FROM note_properties WHERE property = ? AND note IN (SELECT value FROM json_each(?))',
    property,
    notes,
  )
  touchNotes(tx, notes)
  return true
}
