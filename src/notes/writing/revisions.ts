import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { fail, notFound } from '../../refusal.ts'
import { getNote, getNoteSummary, type NoteRow, type RevisionRow } from '../store.ts'
import { changeText } from './update.ts'

const COLUMNS = 'id, created_at AS createdAt, surface, title, content'

/** More text than this is read in parts. */
const BYTES_AT_ONCE = 1024 * 1024

/**
 * The versions of a note that changes replaced, newest first, in parts that hold little text each: all together may be
 * far more than fits in memory. A part is read when it is asked for; a revision that is removed meanwhile is left out.
 */
export function* listRevisions(
  reader: Reader,
  caller: Caller,
  id: string,
  limit: number,
): Generator<RevisionRow[], void> {
  const { sql } = reader
  const heads = sql.rows<[pk: number, bytes: number]>(
    'SELECT pk, octet_length(content) FROM revisions WHERE note = ? ORDER BY pk DESC LIMIT ?',
    getNoteSummary(reader, caller, id).pk,
    limit,
  )
  for (const pks of partsOf(heads)) {
    yield sql.all<RevisionRow>(
      `SELECT ${COLUMNS} FROM revisions WHERE pk IN (SELECT value FROM json_each(?)) ORDER BY pk DESC`,
      JSON.stringify(pks),
    )
  }
}

/** Groups pks so that those of one group have little text; one that has much is alone. */
function partsOf(heads: readonly [pk: number, bytes: number][]): number[][] {
  const parts: number[][] = []
  let room = 0
  for (const [pk, bytes] of heads) {
    if (parts.length === 0 || bytes > room) {
      parts.push([])
      room = BYTES_AT_ONCE
    }
    parts.at(-1)?.push(pk)
    room -= bytes
  }
  return parts
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
