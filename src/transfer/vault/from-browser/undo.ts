import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../../context.ts'
import { deleteStructure } from '../../../events/structure-deletion.ts'
import { removeFile } from '../../../files/deletion.ts'
import { publishFileDeletion } from '../../../files/events.ts'
import { findFile } from '../../../files/store.ts'
import { checkAbility } from '../../../kernel/caller.ts'
import { long, write } from '../../../kernel/operation.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { sha256 } from '../../../lib/sha256.ts'
import { fileTarget } from '../../../lib/wiki-links.ts'
import { indexPendingLinks } from '../../../notes/links/indexing.ts'
import { propertyDetachment } from '../../../notes/properties/deletion.ts'
import { aliasesOf, findNote, type NoteRow } from '../../../notes/store.ts'
import { tagDetachment } from '../../../notes/tags/deletion.ts'
import { findPropertyKey, readProperties } from '../../../notes/writing/properties.ts'
import { putInTrash } from '../../../notes/writing/trash.ts'
import { findStructure, type StructureRow } from '../../../records/structures/store.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { type WrittenFields, writtenAliases } from '../earlier-imports.ts'
import { removeLabelsOf } from './created-labels.ts'
import type { UndoBody, UndoResponse } from './schema.ts'
import { storedFolder } from './service.ts'

interface ImportedRow {
  readonly pk: number
  readonly kind: 'note' | 'file' | 'structure'
  readonly path: string
  readonly object: string
  readonly written: string | null
  readonly fields: string | null
}

const COUNTED = { note: 'notes', file: 'files', structure: 'structures' } as const
const CHANGED = 'it was changed since its import.'

const IN_USE = 'views, forms, webhooks, sources, comments or other tables use it.'

/** As many notes as one transaction moves to the trash without delaying others. */
const OBJECTS_AT_ONCE = 100
/** About as many tags and properties; each one is looked up in all views. */
const LABELS_AT_ONCE = 50

/**
 * Removes some of the objects that an import created since an instant: notes go to the trash with the tags and
 * properties that nothing else uses, and files and structures are deleted. Notes that were changed since stay with the
 * files that they link to, and structures that were changed or used since stay. An import reserves the ids of its notes
 * before those of its files, so the notes are removed first.
 */
export const undoImport = long(
  write({
    name: 'portability.undo-import',
    covers: 'notes',
    run: (tx, caller, { body }: { body: Static<typeof UndoBody> }): Static<typeof UndoResponse> => {
      const rows = rowsOf(tx, caller, body)
      if (rows.some(({ kind }) => kind === 'file')) indexPendingLinks(tx, caller.workspacePk)
      const outcome: Static<typeof UndoResponse> = {
        ...{ notes: 0, files: 0, structures: 0, tags: 0, properties: 0 },
        kept: [],
        after: null,
      }
      for (const row of rows) {
        const error = REMOVERS[row.kind](tx, caller, row)
        if (error !== undefined) {
          outcome.kept.push({ path: row.path, error })
          continue
        }
        tx.sql.run('DELETE FROM imported_files WHERE pk = ?', row.pk)
        outcome[COUNTED[row.kind]] += 1
        if (row.kind !== 'note') continue
        const { tags, properties } = removeLabelsOf(tx, caller, row.object, body.since_ms)
        outcome.tags += tags
        outcome.properties += properties
        if (outcome.tags + outcome.properties >= LABELS_AT_ONCE) return { ...outcome, after: row.pk }
      }
      const last = rows.length === OBJECTS_AT_ONCE ? rows.at(-1) : undefined
      return { ...outcome, after: last?.pk ?? null }
    },
    settles: [tagDetachment, propertyDetachment],
  }),
)

/** In the order of their keys, so that a large folder is read once and not for each request. */
const rowsOf = (
  { sql }: Tx,
  caller: Caller,
  { folder, since_ms: since, after = 0 }: Static<typeof UndoBody>,
): ImportedRow[] =>
  sql.all<ImportedRow>(
    `SELECT pk, kind, path, object, written, fields FROM imported_files
     WHERE +workspace = ? AND +folder = ? AND digest <> '' AND json_extract(fields, '$.at') >= ? AND pk > ?
     ORDER BY pk LIMIT ${OBJECTS_AT_ONCE}`,
    caller.workspacePk,
    storedFolder(caller, folder),
    since,
    after,
  )

/** Returns why the note stays, if it does. */
function removeNote(tx: Tx, caller: Caller, row: ImportedRow): string | undefined {
  const note = findNote(tx, caller.workspacePk, row.object)
  if (note && isChanged(tx, note, row)) return CHANGED
  if (note) putInTrash(tx, caller, row.object)
  return undefined
}

/** Whether a note differs from the one that the import wrote. */
function isChanged(tx: Tx, note: NoteRow, { written, fields: json }: ImportedRow): boolean {
  if (sha256(note.content) !== written) return true
  if (json === null) return false
  const fields = JSON.parse(json) as WrittenFields
  const tags = tx.sql.column<number>('SELECT tag FROM note_tags WHERE note = ?', note.pk)
  return (
    note.title !== fields.title ||
    !isSame(aliasesOf(note), writtenAliases(fields)) ||
    !isSame(tags.sort(), fields.tags.toSorted()) ||
    !isSame(Object.entries(readProperties(tx, note.pk)).sort(), valuesOf(tx, fields).sort())
  )
}

/** The values that the import wrote, by key, except those of deleted properties. */
const valuesOf = (tx: Tx, { properties }: WrittenFields): [key: string, value: unknown][] =>
  Object.entries(properties).flatMap(([pk, value]) => {
    const key = findPropertyKey(tx, Number(pk))
    return key === undefined || value === null ? [] : [[key, value]]
  })

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const LINKING = `SELECT 1 FROM note_links l JOIN notes n ON n.pk = l.note AND n.deleted_at IS NULL
  WHERE l.workspace = ? AND l.target = ? LIMIT 1`

/** Returns why the file stays, if it does. */
function removeImportedFile(tx: Tx, caller: Caller, { object }: ImportedRow): string | undefined {
  const { files: level = 'write' } = caller.rights ?? {}
  if (level !== 'write') return 'you need "write" access to files to remove it.'
  const file = findFile(tx, caller, object)
  if (!file) return undefined
  const isLinked = tx.sql.get(LINKING, caller.workspacePk, fileTarget(object)) !== undefined
  if (isLinked || file.noteId !== null) return 'a note that stays links to it.'
  publishFileDeletion(tx, caller, file)
  removeFile(tx, caller, file)
  return undefined
}

/** Returns why the structure stays, if it does. */
function removeTable(tx: Tx, caller: Caller, { object, fields }: ImportedRow): string | undefined {
  const structure = findStructure(tx, caller, object)
  if (!structure) return undefined
  const missing = refusalOf(() => checkAbility(caller.rights, structure, 'change'))
  if (missing !== undefined) return missing
  const { changes } = JSON.parse(fields ?? '{}') as { changes?: number }
  if (structure.changes !== changes || structure.updatedAt !== structure.createdAt) return CHANGED
  if (isInUse(tx, caller, structure)) return IN_USE
  deleteStructure(tx, caller, structure)
  return undefined
}

/** Whether a deletion of the structure would delete or break something that the import did not create. */
const isInUse = ({ sql }: Tx, { workspacePk }: Caller, { pk, id }: StructureRow): boolean =>
  sql.scalar<number>(
    `SELECT EXISTS (SELECT 1 FROM row_views WHERE structure = ?1)
     OR EXISTS (SELECT 1 FROM webhooks WHERE structure = ?1)
     OR EXISTS (SELECT 1 FROM sources WHERE structure = ?1)
     OR EXISTS (SELECT 1 FROM shares WHERE workspace = ?2 AND structure = ?3)
     OR EXISTS (SELECT 1 FROM structures WHERE workspace = ?2 AND pk <> ?1 AND instr(fields, ?3) > 0)
     OR EXISTS (SELECT 1 FROM comments c JOIN records r ON r.pk = c.record
       WHERE c.workspace = ?2 AND r.structure = ?1)`,
    pk,
    workspacePk,
    id,
  ) === 1

function refusalOf(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

const REMOVERS = { note: removeNote, file: removeImportedFile, structure: removeTable }
