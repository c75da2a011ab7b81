import { type ChangeAuthor, logChange, logShifts, systemAuthor } from '../changes/log.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import { NO_POSITION } from '../db/positions.ts'
import { inSteps, writeInSteps } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { refuseWhileUsed } from '../feature-hooks.ts'
import { touchNote } from '../notes/store.ts'
import { logLoss } from '../notes/writing/log-update.ts'
import { type PropertyRule, presentedValue } from '../notes/writing/properties.ts'
import { findUsage, getPropertyRow, propertyKind } from './service.ts'
import { countNotesHolding } from './store.ts'

/* As with tags, a deletion first hides the property from every read and frees its key; then the values are removed. */

/** Deletes the definition and its value on every note, trashed ones too. Returns how many notes had one. */
export async function deleteProperty(ctx: AppContext, caller: Caller, idOrKey: string): Promise<number> {
  const { workspacePk } = caller
  const { id, found } = await findUsage(ctx, caller, idOrKey)
  return writeInSteps(ctx.db, (tx) => {
    const property = getPropertyRow(tx, caller, id)
    const { pk, key, position } = property
    const usage = ctx.features.usageOfProperty.now(tx, workspacePk, property, found)
    refuseWhileUsed(`The property "${key}"`, usage, 'it cannot be deleted before those change')
    tx.sql.run('UPDATE properties SET is_removed = 1, position = ? WHERE pk = ?', NO_POSITION, pk)
    logChange(tx, caller, { kind: 'property', id }, 'deleted', { hidden: { name: key } })
    logShifts(tx, caller, 'property', propertyKind.positions?.closeGap(tx, workspacePk, position))
    return { result: countNotesHolding(tx, pk), step: (next) => removeNextValue(next, caller, pk) }
  })
}

/** Finishes deletions that were interrupted, for example by a crash. */
export async function finishPropertyDeletions(db: Db): Promise<void> {
  const removed = db.sql.rows<[pk: number, workspace: number]>(
    'SELECT pk, workspace FROM properties WHERE is_removed = 1',
  )
  for (const [pk, workspace] of removed)
    await inSteps(db, (tx) => removeNextValue(tx, systemAuthor(workspace), pk))
}

/**
 * Removes the value of one note, as it may have megabytes, and after the last the property itself; returns whether there
 * may be more.
 */
function removeNextValue(tx: Tx, author: ChangeAuthor, property: number): boolean {
  const { sql } = tx
  const held = sql.get<HeldValue>(HELD, property)
  if (!held) {
    sql.run('DELETE FROM properties WHERE pk = ? AND is_removed = 1', property)
    return false
  }
  const { note, id, key, type, value } = held
  logLoss(tx, author, id, { properties: { [key]: presentedValue(type, value) } }, `the property "${key}"`)
  sql.run('DELETE FROM note_properties WHERE property = ? AND note = ?', property, note)
  touchNote(tx, note)
  return true
}

interface HeldValue extends Pick<PropertyRule, 'key' | 'type'> {
  readonly note: number
  readonly id: string
  readonly value: string | number
}

const HELD = `SELECT note, value, (SELECT id FROM notes n WHERE n.pk = note) AS id,
    (SELECT key FROM properties p WHERE p.pk = property) AS key,
    (SELECT type FROM properties p WHERE p.pk = property) AS type
  FROM note_properties WHERE property = ? LIMIT 1`
