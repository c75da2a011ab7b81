import { and, eq, isNull, sql } from 'drizzle-orm'
import { from, rowBy } from '../storage/query.ts'
import type { Reader } from '../storage/reader.ts'
import { comments } from '../storage/schema/comments.ts'
import { notes } from '../storage/schema/notes.ts'
import { records } from '../storage/schema/records.ts'
import type { ShownComment } from './store.ts'

type Names = Partial<Pick<ShownComment, 'note_id' | 'record_id' | 'thread'>>

/** The keys of the note or row of a comment and of the first comment of its thread. */
export interface CommentPlace {
  readonly note: number | null
  readonly record: number | null
  readonly thread: number | null
}

const noteById = rowBy((workspace: number, id: string) =>
  from(notes, { pk: notes.pk }).where(and(eq(notes.workspace, workspace), eq(notes.id, id))),
)
const recordById = rowBy((workspace: number, id: string) =>
  from(records, { pk: records.pk }).where(
    and(
      sql`(SELECT s.workspace FROM structures s WHERE s.pk = ${records.structure}) = ${workspace}`,
      eq(records.id, id),
    ),
  ),
)
const threadById = rowBy((workspace: number, id: string) =>
  from(comments, { pk: comments.pk }).where(
    and(eq(comments.workspace, workspace), eq(comments.id, id), isNull(comments.thread)),
  ),
)

/**
 * The place of an exported, copied or deleted comment, whose note or row may be deleted; undefined if that is purged or
 * the thread is gone.
 */
export function findPlace(
  reader: Reader,
  workspace: number,
  { note_id, record_id, thread }: Names,
): CommentPlace | undefined {
  const pkOf = (find: typeof noteById, id: string | null | undefined) =>
    id === null || id === undefined ? null : find(reader, workspace, id)?.pk
  const note = pkOf(noteById, note_id)
  const record = pkOf(recordById, record_id)
  const first = pkOf(threadById, thread)
  if (note === undefined || record === undefined || first === undefined) return undefined
  return (note === null) === (record === null) ? undefined : { note, record, thread: first }
}
