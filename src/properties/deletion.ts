import { type ChangeAuthor, logChange, logShifts, systemAuthor } from '../changes/log.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import { NO_POSITION } from '../db/positions.ts'
import { inSteps, writeInSteps } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { refuseWhileUsed } from '../feature-hooks.ts'
import { touchNotes } from '../notes/store.ts'
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
    return { result: countNotesHolding(tx, pk), step: (next) => removeSomeValues(next, caller, pk) }
  })
}

/** Finishes deletions that were interrupted, for example by a crash. */
export async function finishPropertyDeletions(db: Db): Promise<void> {
  const removed = db.sql.rows<[pk: number, workspace: number]>(
    'SELECT pk, workspace FROM properties WHERE is_removed = 1',
  )
  for (const [pk, workspace] of removed)
    await inSteps(db, (tx) => removeSomeValues(tx, systemAuthor(workspace), pk))
}

/** A value may have megabytes. */
const AT_ONCE = 5

/** Removes the values of some notes, and after the last the property itself; returns whether there may be more. */
function removeSomeValues(tx: Tx, author: ChangeAuthor, property: number): boolean {
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
  logLostValues(tx, author, property, notes)
  sql.run(
    'DELETE FROM note_properties WHERE property = ? AND note IN (SELECT value FROM json_each(?))',
    property,
    notes,
  )
  touchNotes(tx, notes)
  return true
}

interface LostValue {
  readonly id: string
  readonly value: string | number
}

/** Logs that notes, a JSON array of pks, lose their value of a removed property. */
function logLostValues(tx: Tx, author: ChangeAuthor, property: number, notes: string): void {
  const { sql } = tx
  const rule = sql.get<Pick<PropertyRule, 'key' | 'type'>>(
    'SELECT key, type FROM properties WHERE pk = ?',
    property,
  )
  if (!rule) return
  const lost = sql.all<LostValue>(
    `SELECT (SELECT id FROM notes n WHERE n.pk = np.note) AS id, np.value FROM note_properties np
     WHERE np.property = ? AND np.note IN (SELECT value FROM json_each(?))`,
    property,
    notes,
  )
  for (const { id, value } of lost) {
    const properties = { [rule.key]: presentedValue(rule.type, value) }
    logLoss(tx, author, id, { properties }, `the property "${rule.key}"`)
  }
}
