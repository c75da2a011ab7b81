import type { Caller } from '../../../context.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { endOfKeys, kindNumber, kindRange, startOfKeys } from '../../../log/log.ts'
import { deleteProperty } from '../../../notes/properties/deletion.ts'
import { deleteTag } from '../../../notes/tags/deletion.ts'
import { propertyUsage, tagUsage } from '../../../notes/usage.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'

/*
 * The tags and properties that an import created. Its undo removes each with the last of its notes, unless somebody
 * changed it, another note has it, or a view, lens, preset, webhook or other tag names it.
 */

interface Removed {
  readonly tags: number
  readonly properties: number
}

/**
 * Removes the tags and properties of a note in the trash that were created since an instant and are only on notes
 * trashed since.
 */
export function removeLabelsOf(tx: Tx, caller: Caller, note: string, since: number): Removed {
  const tags = createdTags(tx, caller, note, since).filter(({ id }) =>
    isRemoved(() => {
      const found = tagUsage.find(tx, caller.workspacePk, id)
      deleteTag.run(tx, caller, { id: String(id), found })
    }),
  )
  const properties = createdProperties(tx, caller, note, since).filter((property) =>
    isRemoved(() => {
      const found = propertyUsage.find(tx, caller.workspacePk, property)
      deleteProperty.run(tx, caller, { id: property.id, found })
    }),
  )
  return { tags: tags.length, properties: properties.length }
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

const NOTE = '(SELECT pk FROM notes WHERE id = ?1 AND workspace = ?2)'

/** Whether the notes of a table of labels are all in the trash since an instant. */
const onlyTrashed = (holders: string) =>
  `NOT EXISTS (SELECT 1 FROM ${holders} AND (SELECT coalesce(deleted_at, 0) FROM notes n WHERE n.pk = h.note) < ?3)`

/** Tags have no time of their own, so the change log tells when they were created, and whether they were changed. */
function createdTags({ sql }: Tx, { workspacePk }: Caller, note: string, since: number): { id: number }[] {
  const change = `SELECT 1 FROM changes c WHERE c.object = CAST(CAST(t.id AS TEXT) AS BLOB) AND c.key > ?4 AND c.key < ?5`
  return sql.all(
    `SELECT t.id FROM note_tags own JOIN tags t ON t.id = own.tag
     WHERE own.note = ${NOTE} AND t.workspace = ?2 AND t.note_count = 0
     AND ${onlyTrashed('note_tags h WHERE h.tag = t.id')}
     AND NOT EXISTS (SELECT 1 FROM preset_tags p WHERE p.tag = t.id)
     AND NOT EXISTS (SELECT 1 FROM tag_links l WHERE l.linked = t.id)
     AND EXISTS (${change} AND c.kind = ?6 AND c.at >= ?3)
     AND NOT EXISTS (${change} AND c.kind BETWEEN ?7 AND ?8 AND c.kind <> ?6)`,
    note,
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
  note: string,
  since: number,
): { pk: number; id: string }[] =>
  sql.all(
    `SELECT p.pk, p.id FROM note_properties own JOIN properties p ON p.pk = own.property
     WHERE own.note = ${NOTE} AND p.workspace = ?2 AND p.created_at >= ?3 AND p.updated_at = p.created_at
     AND ${onlyTrashed('note_properties h WHERE h.property = p.pk')}`,
    note,
    workspacePk,
    since,
  )
