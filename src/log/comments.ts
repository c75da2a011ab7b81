import type { Tx } from '../storage/writes/transaction.ts'
import { type ChangeAuthor, logChange } from './log.ts'

/**
 * Logs that the comments of a note or row are back with it. They vanish with it without entries of their own, but readers
 * of the log that deleted them need their content again.
 */
export function logRestoredComments(
  tx: Tx,
  author: ChangeAuthor,
  of: 'note' | 'record',
  pk: number,
  structureId?: string,
): void {
  const ids = tx.sql.column<string>(`SELECT id FROM comments WHERE ${of} = ? ORDER BY created_at, id`, pk)
  for (const id of ids)
    logChange(
      tx,
      author,
      { kind: 'comment', id, ...(structureId !== undefined && { structureId }) },
      'restored',
    )
}
