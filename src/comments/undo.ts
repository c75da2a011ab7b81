import type { Caller } from '../context.ts'
import { Refusal } from '../lib/refusal.ts'
import { parseDifference } from '../log/difference.ts'
import type { Change } from '../log/read.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { findPlace } from './place.ts'
import { commentKind, findCommentRow, repliesTo, type ShownComment } from './store.ts'

const isGone = (id: string) =>
  new Refusal('stale', `Changed since then: the thread of the comment ${id}; nothing was undone.`)

/**
 * Undoes the changes of a comment in one transaction. A deleted comment comes back with its id, author and creation
 * time. A first comment with replies of later transactions is not deleted.
 */
export function undoComment(tx: Tx, caller: Caller, id: string, changes: readonly Change[]): void {
  const [first, last] = [changes[0], changes.at(-1)]
  const wasThere = first?.operation !== 'created'
  if (last?.operation === 'deleted') {
    if (wasThere) restore(tx, caller, id, last)
    return
  }
  const row = findCommentRow(tx, caller, id)
  if (!row) throw isGone(id)
  if (!wasThere) {
    if (repliesTo(tx, row.pk).length > 0) throw isGone(id)
    commentKind.delete(tx, caller, row, { hidden: commentKind.present(row, tx) })
    return
  }
  commentKind.update(tx, caller, row, commentKind.columnsOf(valuesBefore(changes)))
}

function valuesBefore(changes: readonly Change[]): object {
  const old = changes.toReversed().map(({ detail }) => parseDifference(detail ?? '{}').previous)
  return Object.assign({}, ...old)
}

function restore(tx: Tx, caller: Caller, id: string, { detail }: Change): void {
  const shown = JSON.parse(detail ?? '{}') as ShownComment
  const place = findPlace(tx, caller.workspacePk, shown)
  if (!place) throw isGone(id)
  const { author, created_at, updated_at: _, ...others } = shown
  commentKind.insert({ ...tx, now: Date.parse(created_at), newId: () => id }, caller, {
    ...commentKind.columnsOf(others),
    ...place,
    author: author.id,
    authorName: author.name,
  })
}
