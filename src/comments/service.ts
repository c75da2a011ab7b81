import type { Static } from '@sinclair/typebox'
import type { Caller, InWorkspace } from '../context.ts'
import { placeFor } from '../context.ts'
import { read, write } from '../kernel/operation.ts'
import { matchesOf, type Passage, passageAt } from '../lib/passage.ts'
import { atPlace, fail, invalid, invisibleName, notFound, Refusal, refused } from '../lib/refusal.ts'
import { isInvisible, withCommas } from '../lib/text.ts'
import type { ChangeAuthor } from '../log/log.ts'
import { findNote, findNoteSummary } from '../notes/store.ts'
import { listMembers } from '../people/accounts/store.ts'
import { getRecord } from '../records/rows/store.ts'
import type { Reader } from '../storage/reader.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { addNotices } from './inbox.ts'
import { mentionsIn, type Person } from './mentions.ts'
import type { CreateCommentBody, PatchCommentBody } from './schema.ts'
import {
  type CommentedObject,
  type CommentRow,
  checkObjectWrite,
  commentKind,
  countOf,
  findCommentRow,
  repliesTo,
} from './store.ts'

/*
 * Comments have the access of their note or row. Callers who can read it also read its comments and, with a write key
 * and a role above viewer, add comments and resolve threads. Only the author, or a caller who can write the object,
 * changes or deletes a comment.
 */

const MAX_COMMENTS = 1_000

export const getCommentRow = (reader: Reader, caller: InWorkspace, id: string): CommentRow =>
  findCommentRow(reader, caller, id) ?? fail(commentKind.notFound)

export const readComment = read({
  name: 'comments.get',
  covers: 'several',
  run: (snapshot, caller, { id }: { id: string }) => ({
    comment: commentKind.present(getCommentRow(snapshot, caller, id), snapshot),
  }),
})

/** The note or row that a request names, if the caller can read it. */
export function getCommented(
  reader: Reader,
  caller: InWorkspace,
  { note_id, record_id }: { readonly note_id?: string; readonly record_id?: string },
): CommentedObject {
  if (record_id !== undefined) return { note: null, record: getRecord(reader, caller, record_id).pk }
  const { workspacePk } = placeFor(caller, 'notes')
  const note = findNoteSummary(reader, workspacePk, note_id ?? '') ?? fail(notFound('note'))
  return { note: note.pk, record: null }
}

type NewComment = Static<typeof CreateCommentBody>

/** Refuses a request that names no object or several. */
function checkNamed({ note_id, record_id, thread, passage }: NewComment): void {
  const named = [note_id, record_id, thread].filter((id) => id !== undefined)
  if (named.length !== 1)
    throw invalid('Give exactly one of "note_id", "record_id" and "thread".', atPlace('note_id'))
  if (passage && note_id === undefined)
    throw invalid('"passage" goes only with "note_id": a passage is part of a note.', atPlace('passage'))
}

function checkText(text: string): void {
  if (isInvisible(text)) throw invisibleName('A comment', atPlace('text'))
}

interface Place extends CommentedObject {
  /** The first comment of the thread that a reply continues. */
  readonly first: CommentRow | undefined
  readonly passage: Passage | null
}

function placeOf(reader: Reader, caller: Caller, input: NewComment): Place {
  const { thread, note_id, passage: sent } = input
  if (thread !== undefined) {
    const first = findCommentRow(reader, caller, thread) ?? fail(notFound('thread'))
    if (first.thread !== null)
      throw refused('"thread" names a reply; name the first comment of its thread.', atPlace('thread'))
    return { note: first.note, record: first.record, first, passage: null }
  }
  const object = getCommented(reader, caller, input)
  const passage = sent ? passageOf(reader, caller, note_id ?? '', sent) : null
  return { ...object, first: undefined, passage }
}

function passageOf(
  reader: Reader,
  caller: Caller,
  noteId: string,
  { text, before = '', after = '' }: NonNullable<NewComment['passage']>,
): Passage {
  const content = findNote(reader, caller.workspacePk, noteId)?.content ?? ''
  const [at, ...others] = matchesOf(content, { text, before, after })
  if (at === undefined)
    throw new Refusal(
      'passage_not_found',
      '"passage" does not occur in this note; send it exactly as it stands there.',
      atPlace('passage'),
    )
  if (others.length > 0)
    throw new Refusal(
      'passage_not_unique',
      '"passage" occurs several times in this note; send the text around it as "before" and "after".',
      atPlace('passage'),
    )
  return passageAt(content, at, text.length)
}

export const createComment = write({
  name: 'comments.create',
  covers: 'several',
  run: (tx, caller, { body }: { body: NewComment }) => {
    checkNamed(body)
    checkText(body.text)
    const { first, passage, note, record } = placeOf(tx, caller, body)
    if (countOf(tx, { note, record }) >= MAX_COMMENTS)
      throw refused(`A note or row has at most ${withCommas(MAX_COMMENTS)} comments; delete some first.`)
    const members = listMembers(tx, caller.workspacePk)
    const row = commentKind.insert(tx, caller, {
      note,
      record,
      thread: first?.pk ?? null,
      author: caller.userId,
      authorName: members.find(({ id }) => id === caller.userId)?.name ?? '',
      text: body.text,
      passage: passage && JSON.stringify(passage),
      mentions: JSON.stringify(mentionsIn(body.text, members)),
    })
    addNotices(tx, row, members, true)
    return { comment: commentKind.present(row, tx) }
  },
  check: (tx, caller, { body }) => {
    if (!caller.rights) return
    checkNamed(body)
    placeOf(tx, caller, { ...body, passage: undefined })
  },
})

type CommentPatch = Static<typeof PatchCommentBody>

export const patchComment = write({
  name: 'comments.patch',
  covers: 'several',
  object: readComment,
  run: (tx, caller, { id, body }: { id: string; body: CommentPatch }) => {
    if (body.text !== undefined) checkText(body.text)
    const before = getCommentRow(tx, caller, id)
    if (body.text !== undefined) checkChanger(tx, caller, before)
    const members = listMembers(tx, caller.workspacePk)
    const columns = {
      ...(body.text !== undefined && {
        text: body.text,
        mentions: JSON.stringify(mentionsIn(body.text, members)),
      }),
      ...(body.resolved !== undefined && resolution(tx, caller, before, body.resolved, members)),
    }
    const comment = commentKind.update(tx, caller, before, columns)
    if (body.text !== undefined) addNotices(tx, getCommentRow(tx, caller, id), members, false)
    return { comment }
  },
})

/** Refuses callers who neither wrote the comment nor can write its object. */
function checkChanger(tx: Tx, caller: Caller, row: CommentRow): void {
  if (row.author !== caller.userId) checkObjectWrite(tx, caller, row)
}

function resolution(
  tx: Tx,
  { userId }: Caller,
  { thread, resolvedAt }: CommentRow,
  isResolved: boolean,
  members: readonly { readonly id: string; readonly name: string }[],
): Partial<CommentRow> {
  if (thread !== null)
    throw refused(
      '"resolved" goes only with the first comment of a thread; this one is a reply.',
      atPlace('resolved'),
    )
  if (!isResolved) return { resolvedAt: null, resolvedBy: null }
  if (resolvedAt !== null) return {}
  const by: Person = { id: userId, name: members.find(({ id }) => id === userId)?.name ?? '' }
  return { resolvedAt: tx.now, resolvedBy: JSON.stringify(by) }
}

export const deleteComment = write({
  name: 'comments.delete',
  covers: 'several',
  object: readComment,
  run: (tx, caller, { id }: { id: string }) => {
    const row = getCommentRow(tx, caller, id)
    checkChanger(tx, caller, row)
    removeThread(tx, caller, row)
    return { deleted: true, id }
  },
})

/** Deletes a comment, and before it the replies to it. The log stores what each of them was, for undo. */
export function removeThread(tx: Tx, author: ChangeAuthor, row: CommentRow): void {
  for (const each of [...repliesTo(tx, row.pk), row])
    commentKind.delete(tx, author, each, { hidden: commentKind.present(each, tx) })
}
