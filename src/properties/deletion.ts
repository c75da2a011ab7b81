import { type ChangeAuthor, logChange, logShifts, systemAuthor } from '../changes/log.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { WorkerTask } from '../db/worker/client.ts'
import { firstWithin, inSteps } from '../db/writes/chunks.ts'
import { completing } from '../db/writes/requester.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { type FeatureHooks, type FoundUsage, type PropertyUsage, refuseWhileUsed } from '../feature-hooks.ts'
import { logLoss } from '../notes/events.ts'
import { touchNotes } from '../notes/store.ts'
import { type PropertyRule, presentedValue } from '../notes/writing/properties.ts'
import { NO_POSITION } from '../objects/positions.ts'
import { bytesOfValues, countNotesHolding, findUsage, getPropertyRow, propertyKind } from './service.ts'

/*
 * As with tags, a deletion that is more to write than one transaction holds first hides the property from every read and
 * frees its key; the values are then removed in chunks.
 */

/** How many notes a single transaction takes a property off. */
const MOST_AT_ONCE = 1_000
/** How many bytes their values may have in all. */
const MOST_BYTES_AT_ONCE = 8_388_608

/** Deletes the definition; and its value on every note, where these are few. */
export const propertyDeletion = (
  features: FeatureHooks,
): WorkerTask<
  { caller: Caller; id: string; found: FoundUsage<PropertyUsage> },
  { readonly pk: number; readonly notes: number; readonly isWhole: boolean }
> => ({
  name: 'features.deleteProperty',
  run: (tx, { caller, id, found }) => {
    const property = getPropertyRow(tx, caller, id)
    refuseWhileUsed(
      `The property "${property.key}"`,
      features.usageOfProperty.now(tx, caller.workspacePk, property, found),
      'it cannot be deleted before those change',
    )
    tx.sql.run('UPDATE properties SET is_removed = 1, position = ? WHERE pk = ?', NO_POSITION, property.pk)
    logChange(tx, caller, { kind: 'property', id: property.id }, 'deleted', {
      hidden: { name: property.key },
    })
    const shifted = propertyKind.positions?.closeGap(tx, caller.workspacePk, property.position)
    logShifts(tx, caller, 'property', shifted)
    const notes = countNotesHolding(tx, property.pk)
    const isWhole = notes <= MOST_AT_ONCE && bytesOfValues(tx, property.pk) <= MOST_BYTES_AT_ONCE
    if (isWhole) while (removeSomeValues(tx, caller, property.pk));
    return { pk: property.pk, notes, isWhole }
  },
})

/** Deletes the definition and its value on every note, trashed ones too. Returns how many notes had one. */
export async function deleteProperty(ctx: AppContext, caller: Caller, idOrKey: string): Promise<number> {
  const { id, found } = await findUsage(ctx, caller, idOrKey)
  const { signal: _, ...author } = caller
  const input = { caller: author, id, found }
  const { pk, notes, isWhole } = await ctx.worker.write(propertyDeletion(ctx.features), input)
  if (!isWhole) await completing(() => removeValues(ctx.db, author, pk))
  return notes
}

/** Finishes deletions that were interrupted, for example by a crash. */
export async function finishPropertyDeletions(db: Db): Promise<void> {
  const removed = db.sql.rows<[pk: number, workspace: number]>(
    'SELECT pk, workspace FROM properties WHERE is_removed = 1',
  )
  for (const [pk, workspace] of removed) await removeValues(db, systemAuthor(workspace), pk)
}

const removeValues = (db: Db, author: ChangeAuthor, property: number): Promise<void> =>
  inSteps(db, (tx) => removeSomeValues(tx, author, property))

const AT_ONCE = 50
const BYTES_AT_ONCE = 262_144

/** Removes the values of some notes, and after the last the property itself; returns whether there may be more. */
function removeSomeValues(tx: Tx, author: ChangeAuthor, property: number): boolean {
  const { sql } = tx
  const holding = sql.rows<[note: number, bytes: number]>(
    'SELECT note, octet_length(value) FROM note_properties WHERE property = ? LIMIT ?',
    property,
    AT_ONCE,
  )
  const found = firstWithin(holding, BYTES_AT_ONCE, ([, bytes]) => bytes).map(([note]) => note)
  if (found.length === 0) {
    sql.run('DELETE FROM properties WHERE pk = ? AND is_removed = 1', property)
    return false
  }
  const notes = JSON.stringify(found)
  touchNotes(tx, notes)
  logLostValues(tx, author, property, notes)
  sql.run(
    'DELETE FROM note_properties WHERE property = ? AND note IN (SELECT value FROM json_each(?))',
    property,
    notes,
  )
  return true
}

/** Logs that notes, a JSON array of pks, lose their value of a removed property. */
function logLostValues(tx: Tx, author: ChangeAuthor, property: number, notes: string): void {
  const { sql } = tx
  const rule = sql.get<Pick<PropertyRule, 'key' | 'type'>>(
    'SELECT key, type FROM properties WHERE pk = ?',
    property,
  )
  if (!rule) return
  const lost = sql.all<{ id: string; value: string | number }>(
    `SELECT (SELECT id FROM notes n WHERE n.pk = np.note) AS id, np.value FROM note_properties np
     WHERE np.property = ? AND np.note IN (SELECT value FROM json_each(?))`,
    property,
    notes,
  )
  const deleted = `the property "${rule.key}"`
  for (const { id, value } of lost) {
    const properties = { [rule.key]: presentedValue(rule.type, value) }
    logLoss(tx, author, id, { properties }, deleted)
  }
}
