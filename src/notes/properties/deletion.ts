import { defineJob, enqueue, runWhole } from '../../kernel/jobs.ts'
import { long, write } from '../../kernel/operation.ts'
import { firstWithin } from '../../lib/first-within.ts'
import { mayLink } from '../../lib/wiki-links.ts'
import { authorOf, type ChangeAuthor } from '../../log/log.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { logLoss } from '../events.ts'
import { markForLinks } from '../links/indexing.ts'
import { touchNotes } from '../store.ts'
import { propertyUsage, refuseWhileUsed } from '../usage.ts'
import { type PropertyRule, presentedValue } from '../writing/properties.ts'
import type { PropertyInUse } from './operations.ts'
import { bytesOfValues, countNotesHolding, getPropertyRow, propertyKind } from './service.ts'

/*
 * Like tags, a deleted property disappears at once. Its values on notes are removed in the same transaction if they are
 * few, else in a job.
 */

/** Maximum number of notes from which one transaction removes a property. */
const MOST_AT_ONCE = 1_000
/** Maximum total size of their values, in bytes. */
const MOST_BYTES_AT_ONCE = 8_388_608

/** A deleted property with possible remaining values on notes. */
interface DeletedProperty {
  readonly author: ChangeAuthor
  readonly key: string
  readonly type: PropertyRule['type']
}

/** Removes the values of a deleted property. */
export const propertyDetachment = defineJob<number, DeletedProperty>(
  'property.detach',
  (tx, property, deleted) => (removeSomeValues(tx, property, deleted) ? deleted : 'done'),
)

/**
 * Deletes a property with its values on notes, including trashed ones; refuses if a view, a preset or a lens uses it.
 */
export const deleteProperty = long(
  write({
    name: 'properties.delete',
    covers: 'notes',
    run: (tx, caller, { id, found }: PropertyInUse) => {
      const property = getPropertyRow(tx, caller, id)
      const { pk, key, type } = property
      refuseWhileUsed(
        `The property "${key}"`,
        propertyUsage.now(tx, caller.workspacePk, property, found),
        'it cannot be deleted before those change',
      )
      propertyKind.delete(tx, caller, property, { hidden: { name: key } })
      const notes = countNotesHolding(tx, pk)
      const deleted = { author: authorOf(caller), key, type }
      if (notes > MOST_AT_ONCE || bytesOfValues(tx, pk) > MOST_BYTES_AT_ONCE)
        enqueue(tx, propertyDetachment, pk, deleted)
      else runWhole(tx, propertyDetachment, pk, deleted)
      return { deleted: true, notes_affected: notes }
    },
    settles: [propertyDetachment],
  }),
)

const AT_ONCE = 50
const BYTES_AT_ONCE = 262_144

/** Removes the values of some notes; returns whether there were any. */
function removeSomeValues(tx: Tx, property: number, deleted: DeletedProperty): boolean {
  const { sql } = tx
  const holding = sql.rows<[note: number, bytes: number]>(
    'SELECT note, octet_length(value) FROM note_properties WHERE property = ? LIMIT ?',
    property,
    AT_ONCE,
  )
  const found = firstWithin(holding, BYTES_AT_ONCE, ([, bytes]) => bytes).map(([note]) => note)
  if (found.length === 0) return false
  const notes = JSON.stringify(found)
  touchNotes(tx, notes)
  logLostValues(tx, property, deleted, notes)
  sql.run(
    'DELETE FROM note_properties WHERE property = ? AND note IN (SELECT value FROM json_each(?))',
    property,
    notes,
  )
  return true
}

/** Logs that notes, given as a JSON array of pks, lose their value of a deleted property. */
function logLostValues(
  tx: Tx,
  property: number,
  { author, key, type }: DeletedProperty,
  notes: string,
): void {
  const lost = tx.sql.all<{ note: number; id: string; value: string | number }>(
    `SELECT np.note, (SELECT id FROM notes n WHERE n.pk = np.note) AS id, np.value FROM note_properties np
     WHERE np.property = ? AND np.note IN (SELECT value FROM json_each(?))`,
    property,
    notes,
  )
  for (const { note, id, value } of lost) {
    if (mayLink(value)) markForLinks(tx, note)
    logLoss(tx, author, id, { properties: { [key]: presentedValue(type, value) } }, `the property "${key}"`)
  }
}
