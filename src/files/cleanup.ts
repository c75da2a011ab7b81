import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import { inSteps } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { removeSomePages } from './search-table.ts'
import { deleteSomeParts, UNFINISHED } from './store.ts'

/** So few a transaction that others hardly notice it. */
const PARTS_AT_ONCE = 2
const PAGES_AT_ONCE = 50

interface Removed {
  pk: number
  workspace: number
}

const findRemoved = ({ sql }: Reader): Removed | undefined =>
  sql.get(`SELECT pk, workspace FROM files WHERE status = 'removed' AND ${UNFINISHED} LIMIT 1`)

/** Removes something of a removed file, at last its row; answers whether there was one. */
function clearSome(tx: Tx): boolean {
  const file = findRemoved(tx)
  if (!file) return false
  const removed =
    removeSomePages(tx, file.workspace, file.pk, PAGES_AT_ONCE) || deleteSomeParts(tx, file.pk, PARTS_AT_ONCE)
  if (removed === 0) tx.sql.run('DELETE FROM files WHERE pk = ?', file.pk)
  return true
}

/** Removes what is kept of removed files, in short writes. */
export async function clearRemovedFiles(db: Db): Promise<void> {
  if (!findRemoved(db)) return
  await inSteps(db, clearSome)
}

/** Gives up files that have been arriving since before `before`: whoever brought them was stopped. */
export const removeArrivingBefore = ({ sql }: Tx, before: number): number =>
  sql.run(
    `UPDATE files SET status = 'removed'
     WHERE status = 'arriving' AND ${UNFINISHED} AND created_at < ?`,
    before,
  ).changes
