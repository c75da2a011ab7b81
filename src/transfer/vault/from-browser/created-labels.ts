import type { Caller } from '../../../context.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { endOfKeys, kindNumber, kindRange, startOfKeys } from '../../../log/log.ts'
import { deleteProperty } from '../../../notes/properties/deletion.ts'
import { deleteTag } from '../../../notes/tags/deletion.ts'
import { propertyUsage, tagUsage } from '../../../notes/usage.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'

/*
 * The tags and properties that an import created. Its undo removes those that no other note has, that nobody changed,
 * and that no view, lens, preset or webhook names.
 */

/** As many as one transaction removes without delaying others. */
const LABELS_AT_ONCE = 50

interface Removed {
  readonly tags: number
  readonly properties: number
  readonly hasMore: boolean
}

/** Removes some of the tags and properties that were created since an instant and are only on notes trashed since. */
export function removeLabels(tx: Tx, caller: Caller, since: number): Removed {
  const tags = createdTags(tx, caller, since).filter(({ id }) =>
    isRemoved(() => {
      const found = tagUsage.find(tx, caller.workspacePk, id)
      deleteTag.run(tx, caller, { id: String(id), found })
    }),
  )
  const properties = createdProperties(tx, caller, since).filter((property) =>
    isRemoved(() => {
      const found = propertyUsage.find(tx, caller.workspacePk, property)
      deleteProperty.run(tx, caller, { id: property.id, found })
    }),
  )
  return {
    tags: tags.length,
    properties: properties.length,
    hasMore: Math.max(tags.length, properties.length) === LABELS_AT_ONCE,
  }
}

/** A label that is in use is refused before anything is written. */
function isRemoved(remove: () => void): boolean {
  try {
    remove()
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** Whether the notes of a table of labels, of which there are some, are all in the trash since an instant. */
const onlyTrashed = (holders: string) => `EXISTS (SELECT 1 FROM ${holders})
  AND NOT EXISTS (SELECT 1 FROM ${holders} AND (SELECT coalesce(deleted_at, 0) FROM notes n WHERE n.pk = h.note) < ?2)`

/** Tags have no time of their own, so the change log tells when they were created, and whether they were changed. */
function createdTags({ sql }: Tx, { workspacePk }: Caller, since: number): { id: number }[] {
  const change = `SELECT 1 FROM changes c WHERE c.object = CAST(CAST(t.id AS TEXT) AS BLOB) AND c.key > ?3 AND c.key < ?4`
  return sql.all(
    `SELECT t.id FROM tags t WHERE t.workspace = ?1 AND t.note_count = 0
     AND ${onlyTrashed('note_tags h WHERE h.tag = t.id')}
     AND EXISTS (${change} AND c.kind = ?5 AND c.at >= ?2)
     AND NOT EXISTS (${change} AND c.kind BETWEEN ?6 AND ?7 AND c.kind <> ?5)
     LIMIT ${LABELS_AT_ONCE}`,
    workspacePk,
    since,
    startOfKeys(workspacePk),
    endOfKeys(workspacePk),
    kindNumber('tag', 'created'),
    ...kindRange('tag'),
  )
}

const createdProperties = (
  { sql }: Tx,
  { workspacePk }: Caller,
  since: number,
): { pk: number; id: string }[] =>
  sql.all(
    `SELECT p.pk, p.id FROM properties p
     WHERE p.workspace = ?1 AND p.created_at >= ?2 AND p.updated_at = p.created_at
     AND ${onlyTrashed('note_properties h WHERE h.property = p.pk')}
     LIMIT ${LABELS_AT_ONCE}`,
    workspacePk,
    since,
  )
