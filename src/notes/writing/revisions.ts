import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { fail, notFound } from '../../refusal.ts'
import { findHead, type NoteRow } from '../store.ts'
import { changeNote, getNoteIn } from './change.ts'

export interface RevisionRow {
  id: string
  createdAt: number
  surface: string
  title: string
  content: string
}

const COLUMNS = 'id, created_at AS createdAt, surface, title, content'

/** What edits replaced, newest first. */
export function listRevisions(
  reader: Reader,
  { workspacePk }: Caller,
  id: string,
  limit: number,
): RevisionRow[] {
  const note = findHead(reader, workspacePk, id) ?? fail(notFound('note'))
  return reader.sql.all(
    `SELECT ${COLUMNS} FROM revisions WHERE note = ? ORDER BY pk DESC LIMIT ?`,
    note.pk,
    limit,
  )
}

/** Sets title and body back to the revision; what stood there becomes a new revision. */
export const restoreRevision = (
  ctx: AppContext,
  caller: Caller,
  id: string,
  revisionId: string,
): Promise<NoteRow> =>
  ctx.db.write((tx) => {
    const note = getNoteIn(tx, caller, id)
    const revision =
      tx.sql.get<RevisionRow>(
        `SELECT ${COLUMNS} FROM revisions WHERE id = ? AND note = ?`,
        revisionId,
        note.pk,
      ) ?? fail(notFound('revision'))
    return changeNote(tx, caller, note, { title: revision.title, content: revision.content })
  })

/** Removes the revisions made before `before`, at most `most` of them; answers how many. */
export const removeRevisionsBefore = ({ sql }: Reader, before: number, most: number): number =>
  sql.run(
    'DELETE FROM revisions WHERE pk IN (SELECT pk FROM revisions WHERE created_at < ? LIMIT ?)',
    before,
    most,
  ).changes
