import type { Static } from '@sinclair/typebox'
import type { Caller } from '../context.ts'
import { hides, may } from '../kernel/caller.ts'
import { read, write } from '../kernel/operation.ts'
import { isoOrNull } from '../lib/dates.ts'
import { pageRequest, presentPage } from '../lib/pagination.ts'
import type { Reader } from '../storage/reader.ts'
import type { NOTICE_REASONS } from '../storage/schema/comments.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import type { Person } from './mentions.ts'
import type { InboxQuery, ReadInboxBody } from './schema.ts'
import { type CommentRow, commentKind } from './store.ts'

type Reason = (typeof NOTICE_REASONS)[number]

/** Older notices of a user in a workspace are discarded. */
const MAX_NOTICES = 1_000

/**
 * Adds a comment to the inboxes of the members it mentions and, for a new reply, of the members who take part in its
 * thread: its authors and the members it mentions. Members who have it in their inbox are skipped, as is its author.
 */
export function addNotices(
  tx: Tx,
  comment: CommentRow,
  members: readonly { readonly pk: number; readonly id: string }[],
  isNew: boolean,
): void {
  const reasons = new Map<string | null, Reason>()
  for (const id of isNew && comment.thread !== null ? takingPart(tx, comment.thread) : [])
    reasons.set(id, 'reply')
  for (const { id } of JSON.parse(comment.mentions) as Person[]) reasons.set(id, 'mention')
  reasons.delete(comment.author)
  for (const { pk, id } of members) {
    const reason = reasons.get(id)
    if (reason === undefined) continue
    const { changes } = tx.sql.run(
      'INSERT OR IGNORE INTO comment_notices (workspace, user, comment, reason) VALUES (?, ?, ?, ?)',
      comment.workspace,
      pk,
      comment.pk,
      reason,
    )
    if (changes > 0) discardOld(tx, comment.workspace, pk)
  }
}

function takingPart({ sql }: Reader, thread: number): (string | null)[] {
  return sql
    .all<{ author: string | null; mentions: string }>(
      'SELECT author, mentions FROM comments WHERE pk = ?1 OR thread = ?1',
      thread,
    )
    .flatMap(({ author, mentions }) => [author, ...(JSON.parse(mentions) as Person[]).map(({ id }) => id)])
}

const discardOld = ({ sql }: Tx, workspace: number, user: number): void =>
  void sql.run(
    `DELETE FROM comment_notices WHERE user = ?1 AND workspace = ?2 AND pk <= (SELECT pk FROM comment_notices
       WHERE user = ?1 AND workspace = ?2 ORDER BY pk DESC LIMIT 1 OFFSET ${MAX_NOTICES})`,
    user,
    workspace,
  )

interface Notice {
  readonly pk: number
  readonly id: string
  readonly reason: Reason
  readonly readAt: number | null
  /** Whether the comment is on a note; `structureId` is set for one on a row. */
  readonly isOfNote: number
  readonly structureId: string | null
}

/** Notices of comments whose note or row is not deleted. */
const NOTICES = `SELECT pk, id, reason, readAt, note IS NOT NULL AS isOfNote, structureId FROM (
    SELECT i.pk, i.reason, i.read_at AS readAt, c.id, c.note,
      (SELECT n.deleted_at IS NULL FROM notes n WHERE n.pk = c.note) AS isNoteLive,
      (SELECT (SELECT s.id FROM structures s WHERE s.pk = r.structure) FROM records r
        WHERE r.pk = c.record AND r.deleted_at IS NULL) AS structureId
    FROM (SELECT * FROM comment_notices WHERE workspace = ?1 AND user = (SELECT pk FROM users WHERE id = ?2)
      ORDER BY pk DESC LIMIT ${MAX_NOTICES}) i CROSS JOIN comments c ON c.pk = i.comment)
  WHERE isNoteLive OR structureId IS NOT NULL ORDER BY pk DESC`

/** The notices of comments that the caller can read, newest first. */
const noticesOf = ({ sql }: Reader, { workspacePk, userId, rights }: Caller): Notice[] =>
  sql
    .all<Notice>(NOTICES, workspacePk, userId)
    .filter(({ isOfNote, structureId }) =>
      isOfNote === 1 ? !hides(rights, 'notes') : may(rights, structureId ?? '', 'read'),
    )

const isUnread = ({ readAt }: Notice): boolean => readAt === null

/** The title of the note, or the value of the row's label field. */
function titleOf({ sql }: Reader, { note, record }: CommentRow): string | null {
  if (note !== null) return sql.scalar<string>('SELECT title FROM notes WHERE pk = ?', note)
  const row = sql.get<{ data: string; label: string | null }>(
    `SELECT data, (SELECT label_field FROM structures s WHERE s.pk = r.structure) AS label
     FROM records r WHERE pk = ?`,
    record,
  )
  const value = row?.label ? (JSON.parse(row.data) as Record<string, unknown>)[row.label] : undefined
  return value === undefined || value === null ? null : String(value)
}

export const readInbox = read({
  name: 'comments.inbox',
  covers: 'several',
  run: (snapshot, caller, request: Static<typeof InboxQuery>) => {
    const notices = noticesOf(snapshot, caller)
    const unread = notices.filter(isUnread)
    const { limit, offset } = pageRequest(request)
    const listed =
      request.unread === true
        ? unread
        : request.unread === false
          ? notices.filter((one) => !isUnread(one))
          : notices
    const page = listed.slice(offset, offset + limit)
    const items = page.flatMap(({ id, reason, readAt }) => {
      const row = commentKind.findById(snapshot, caller.workspacePk, id)
      if (!row) return []
      const comment = commentKind.present(row, snapshot)
      return [{ comment, reason, title: titleOf(snapshot, row), read_at: isoOrNull(readAt) }]
    })
    return { items, unread: unread.length, ...presentPage(request, { items, total: listed.length }) }
  },
})

/** Marks comments in the caller's inbox as read; returns how many are still unread. */
export const readInboxItems = write({
  name: 'comments.read',
  covers: 'several',
  run: (tx, caller, { body: { ids } }: { body: Static<typeof ReadInboxBody> }) => {
    const wanted = ids && new Set(ids)
    const unread = noticesOf(tx, caller).filter(isUnread)
    const read = unread.filter(({ id }) => wanted?.has(id) ?? true)
    tx.sql.run(
      'UPDATE comment_notices SET read_at = ? WHERE pk IN (SELECT value FROM json_each(?))',
      tx.now,
      JSON.stringify(read.map(({ pk }) => pk)),
    )
    return { unread: unread.length - read.length }
  },
})
