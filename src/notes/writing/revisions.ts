import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { fail, notFound } from '../../refusal.ts'
import { getNote, getNoteSummary, type NoteRow } from '../store.ts'
import { changeText } from './update.ts'

export interface RevisionRow {
  id: string
  createdAt: number
  surface: string
  title: string
  content: string
}

const COLUMNS = 'id, created_at AS createdAt, surface, title, content'

/** The versions of a note that changes replaced, newest first. */
export function listRevisions(reader: Reader, caller: Caller, id: string, limit: number): RevisionRow[] {
  const note = getNoteSummary(reader, caller, id)
  return reader.sql.all(
    `SELECT ${COLUMNS} FROM revisions WHERE note = ? ORDER BY pk DESC LIMIT ?`,
    note.pk,
    limit,
  )
}

/** Sets title and body back to the revision; the version that it replaces becomes a new revision. */
export const restoreRevision = (
  ctx: AppContext,
  caller: Caller,
  id: string,
  revisionId: string,
): Promise<NoteRow> =>
  ctx.db.write((tx) => {
    const note = getNote(tx, caller, id)
    const revision =
      tx.sql.get<RevisionRow>(
        `SELECT ${COLUMNS} FROM revisions WHERE id = ? AND note = ?`,
        revisionId,
        note.pk,
      ) ?? fail(notFound('revision'))
    return changeText(tx, caller, note, { title: revision.title, content: revision.content })
  })

/** Removes up to `limit` revisions made before `before`; returns how many. */
export const removeRevisionsBefore = ({ sql }: Reader, before: number, limit: number): number =>
  sql.run(
    'DELETE FROM revisions WHERE pk IN (SELECT pk FROM revisions WHERE created_at < ? LIMIT ?)',
    before,
    limit,
  ).changes
