import type { Caller } from '../../context.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { fail, notFound } from '../../lib/refusal.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { getNote, getNoteSummary, type NoteRow } from '../store.ts'
import { changeText } from './update.ts'

interface RevisionRow {
  readonly id: string
  readonly createdAt: number
  readonly surface: string
  readonly title: string
  readonly content: string
}

const COLUMNS = 'id, created_at AS createdAt, surface, title, content'

export const presentRevision = (row: RevisionRow) => ({
  id: row.id,
  created_at: isoTimestamp(row.createdAt),
  surface: row.surface,
  title: row.title,
  content: row.content,
})

/** More text than this is read in parts. */
const BYTES_AT_ONCE = 1024 * 1024

/**
 * The replaced versions of a note, newest first, in parts with little text each: all together may far exceed the
 * memory. A part is read on demand; a revision that is removed meanwhile is skipped.
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

/** Groups pks so that each group has little text; a version with much text is alone. */
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

/** Restores title and body from the revision; the version that they replace becomes a new revision. */
export function restoreRevision(tx: Tx, caller: Caller, id: string, revisionId: string): NoteRow {
  const note = getNote(tx, caller, id)
  const select = 'SELECT title, content FROM revisions WHERE id = ? AND note = ?'
  const found = tx.sql.get<Pick<RevisionRow, 'title' | 'content'>>(select, revisionId, note.pk)
  return changeText(tx, caller, note, found ?? fail(notFound('revision')))
}

/** Removes up to `limit` revisions made before `before`; returns their number. */
export const removeRevisionsBefore = ({ sql }: Reader, before: number, limit: number): number =>
  sql.run(
    'DELETE FROM revisions WHERE pk IN (SELECT pk FROM revisions WHERE created_at < ? LIMIT ?)',
    before,
    limit,
  ).changes
