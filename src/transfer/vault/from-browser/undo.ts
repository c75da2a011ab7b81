import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../../context.ts'
import { removeFile } from '../../../files/deletion.ts'
import { publishFileDeletion } from '../../../files/events.ts'
import { findFile } from '../../../files/store.ts'
import { checkWrite } from '../../../kernel/caller.ts'
import { long, write } from '../../../kernel/operation.ts'
import { idTime } from '../../../lib/ids.ts'
import { sha256 } from '../../../lib/sha256.ts'
import { findNote } from '../../../notes/store.ts'
import { putInTrash } from '../../../notes/writing/trash.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import type { UndoBody, UndoResponse } from './schema.ts'
import { storedFolder } from './service.ts'

interface ImportedRow {
  readonly pk: number
  readonly kind: 'note' | 'file'
  readonly path: string
  readonly object: string
  readonly written: string | null
}

/** As many notes as one transaction moves to the trash without delaying others. */
const OBJECTS_AT_ONCE = 100

/**
 * Removes some of the notes and files that an import created since an instant, the newest first: notes go to the trash,
 * files are deleted. Notes that were changed since stay. Tags and properties stay too.
 */
export const undoImport = long(
  write({
    name: 'portability.undo-import',
    covers: 'notes',
    run: (tx, caller, { body }: { body: Static<typeof UndoBody> }): Static<typeof UndoResponse> => {
      const rows = rowsOf(tx, caller, body)
      const outcome: Static<typeof UndoResponse> = { notes: 0, files: 0, kept: [], before: null }
      for (const row of rows) {
        const error = removeImported(tx, caller, row)
        if (error === undefined) outcome[row.kind === 'note' ? 'notes' : 'files'] += 1
        else outcome.kept.push({ path: row.path, error })
      }
      const isMore = rows.length === OBJECTS_AT_ONCE
      return { ...outcome, before: isMore ? (rows.at(-1)?.pk ?? null) : null }
    },
  }),
)

const rowsOf = (
  { sql }: Tx,
  caller: Caller,
  { folder, since_ms: since, before = Number.MAX_SAFE_INTEGER }: Static<typeof UndoBody>,
): ImportedRow[] =>
  sql
    .all<ImportedRow>(
      `SELECT pk, kind, path, object, written FROM imported_files
       WHERE workspace = ? AND folder = ? AND digest <> '' AND pk < ? ORDER BY pk DESC LIMIT ${OBJECTS_AT_ONCE}`,
      caller.workspacePk,
      storedFolder(caller, folder),
      before,
    )
    .filter(({ object }) => idTime(object) >= since)

/** Returns why the object stays, if it does. */
function removeImported(
  tx: Tx,
  caller: Caller,
  { pk, kind, object, written }: ImportedRow,
): string | undefined {
  if (kind === 'note') {
    const note = findNote(tx, caller.workspacePk, object)
    if (note && sha256(note.content) !== written) return 'it was changed since its import.'
    if (note) putInTrash(tx, caller, object)
  } else {
    const file = findFile(tx, caller, object)
    if (file) {
      checkWrite(caller.rights, 'files')
      publishFileDeletion(tx, caller, file)
      removeFile(tx, caller, file)
    }
  }
  tx.sql.run('DELETE FROM imported_files WHERE pk = ?', pk)
  return undefined
}
