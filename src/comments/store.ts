import { and, asc, count, eq, getTableColumns, sql } from 'drizzle-orm'
import type { InWorkspace } from '../context.ts'
import { checkAbility, checkWrite, hides, may } from '../kernel/caller.ts'
import { isoOrNull, isoTimestamp } from '../lib/dates.ts'
import type { Passage } from '../lib/passage.ts'
import { objectKind } from '../log/objects/objects.ts'
import { getStructure } from '../records/structures/store.ts'
import { from, rowsBy, valueBy } from '../storage/query.ts'
import type { Reader } from '../storage/reader.ts'
import { comments } from '../storage/schema/comments.ts'
import type { Person } from './mentions.ts'

const ofNote = <Value>(column: string) =>
  sql<Value>`(SELECT ${sql.raw(column)} FROM notes n WHERE n.pk = comments.note)`
const ofRecord = <Value>(column: string) =>
  sql<Value>`(SELECT ${sql.raw(column)} FROM records r WHERE r.pk = comments.record)`

const columns = {
  ...getTableColumns(comments),
  noteId: ofNote<string | null>('n.id'),
  recordId: ofRecord<string | null>('r.id'),
  /** Null for a comment on a note, and while a deleted structure is being removed. */
  structureId: ofRecord<string | null>('(SELECT s.id FROM structures s WHERE s.pk = r.structure)'),
  /** When the note or row was deleted, if it is. */
  hiddenAt: sql<number | null>`coalesce(${ofNote('n.deleted_at')}, ${ofRecord('r.deleted_at')})`,
  threadId: sql<string | null>`(SELECT t.id FROM comments t WHERE t.pk = comments.thread)`,
  /** The current name of the author; null for no user of this server. */
  userName: sql<string | null>`(SELECT u.name FROM users u WHERE u.id = comments.author)`,
}

export const commentKind = objectKind({
  kind: 'comment',
  table: comments,
  read: columns,
  order: [comments.createdAt, comments.id],
  // The rows of a deleted structure are removed later, and their comments with them.
  visible: sql`(comments.note IS NOT NULL OR EXISTS (SELECT 1 FROM records r
    WHERE r.pk = comments.record AND r.structure IN (SELECT s.pk FROM structures s)))`,
  present: (row) => ({
    id: row.id,
    note_id: row.noteId,
    record_id: row.recordId,
    structure_id: row.structureId,
    thread: row.threadId,
    text: row.text,
    passage: row.passage === null ? null : (JSON.parse(row.passage) as Passage),
    mentions: JSON.parse(row.mentions) as Person[],
    author: { id: row.author, name: row.userName ?? row.authorName },
    resolved_at: isoOrNull(row.resolvedAt),
    resolved_by: row.resolvedBy === null ? null : (JSON.parse(row.resolvedBy) as Person),
    created_at: isoTimestamp(row.createdAt),
    updated_at: isoTimestamp(row.updatedAt),
  }),
})

export type CommentRow = NonNullable<ReturnType<typeof commentKind.findById>>
export type ShownComment = ReturnType<typeof commentKind.present>

/** Whether the caller can read the note or row of a comment. */
function isReached({ rights }: InWorkspace, { note, structureId, hiddenAt }: CommentRow): boolean {
  if (hiddenAt !== null) return false
  if (note !== null) return !hides(rights, 'notes')
  return structureId !== null && may(rights, structureId, 'read')
}

/** A comment that the caller can read. */
export function findCommentRow(reader: Reader, caller: InWorkspace, id: string): CommentRow | undefined {
  const row = commentKind.findById(reader, caller.workspacePk, id)
  return row && isReached(caller, row) ? row : undefined
}

export function findComment(reader: Reader, caller: InWorkspace, id: string): ShownComment | undefined {
  const row = findCommentRow(reader, caller, id)
  return row && commentKind.present(row, reader)
}

/** Refuses callers who may not write the note or row of a comment. */
export function checkObjectWrite(reader: Reader, caller: InWorkspace, { structureId }: CommentRow): void {
  if (structureId === null) checkWrite(caller.rights, 'notes')
  else checkAbility(caller.rights, getStructure(reader, caller, structureId, 'read'), 'change')
}

/** The note or row of comments; the other pk is null. */
export interface CommentedObject {
  readonly note: number | null
  readonly record: number | null
}

const onNote = (pk: number) => eq(comments.note, pk)
const onRecord = (pk: number) => eq(comments.record, pk)
const after = (at: number, id: string) => sql`(${comments.createdAt}, ${comments.id}) > (${at}, ${id})`

const ordered = [asc(comments.createdAt), asc(comments.id)] as const
const pageOfNote = rowsBy((pk: number, at: number, id: string, limit: number, offset: number) =>
  from(comments, columns)
    .where(and(onNote(pk), after(at, id)))
    .orderBy(...ordered)
    .limit(limit)
    .offset(offset),
)
const pageOfRecord = rowsBy((pk: number, at: number, id: string, limit: number, offset: number) =>
  from(comments, columns)
    .where(and(onRecord(pk), after(at, id)))
    .orderBy(...ordered)
    .limit(limit)
    .offset(offset),
)
const countOfNote = valueBy((pk: number) => from(comments, { value: count() }).where(onNote(pk)))
const countOfRecord = valueBy((pk: number) => from(comments, { value: count() }).where(onRecord(pk)))

interface PageOfObject {
  /** The page begins after the comment with this creation time and id. */
  readonly after: { readonly at: number; readonly id: string }
  readonly limit: number
  readonly offset: number
}

/** Comments of an object, oldest first. */
export function pageOf(
  reader: Reader,
  { note, record }: CommentedObject,
  { after: { at, id }, limit, offset }: PageOfObject,
): CommentRow[] {
  const rows =
    note === null
      ? pageOfRecord(reader, record ?? 0, at, id, limit, offset)
      : pageOfNote(reader, note, at, id, limit, offset)
  return rows as CommentRow[]
}

export const countOf = (reader: Reader, { note, record }: CommentedObject): number =>
  note === null ? countOfRecord(reader, record ?? 0) : countOfNote(reader, note)

/** The replies of a thread, newest first. */
export const repliesTo = rowsBy((thread: number) =>
  from(comments, columns).where(eq(comments.thread, thread)).orderBy(sql`created_at DESC, id DESC`),
) as (reader: Reader, thread: number) => CommentRow[]

const countVisible = valueBy((workspace: number) =>
  from(comments, { value: count() }).where(
    and(
      eq(comments.workspace, workspace),
      sql`coalesce((SELECT n.deleted_at IS NULL FROM notes n WHERE n.pk = note),
        (SELECT r.deleted_at IS NULL AND r.structure IN (SELECT s.pk FROM structures s)
         FROM records r WHERE r.pk = record))`,
    ),
  ),
)

/** The comments of a workspace whose note or row is not deleted. */
export const countComments = (reader: Reader, workspace: number): number => countVisible(reader, workspace)
