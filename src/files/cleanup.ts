import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import { inChunks } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { deleteSomePages } from './search.ts'
import { deleteSomeParts, UNFINISHED } from './store.ts'

/** Few enough that a transaction delays other writes by only some milliseconds. */
const PARTS_PER_CHUNK = 2
const PAGES_PER_CHUNK = 50

interface Removed {
  pk: number
  workspace: number
}

const findRemoved = ({ sql }: Reader): Removed | undefined =>
  sql.get(`SELECT pk, workspace FROM files WHERE status = 'removed' AND ${UNFINISHED} LIMIT 1`)

/** Deletes some pages or parts of a removed file, or else its row; false when no removed file is left. */
function deleteSome(tx: Tx): boolean {
  const file = findRemoved(tx)
  if (!file) return false
  const deleted =
    deleteSomePages(tx, file.workspace, file.pk, PAGES_PER_CHUNK) ||
    deleteSomeParts(tx, file.pk, PARTS_PER_CHUNK)
  if (deleted === 0) tx.sql.run('DELETE FROM files WHERE pk = ?', file.pk)
  return true
}

/** Deletes removed files with their parts and pages, in short transactions. */
export async function deleteRemovedFiles(db: Db): Promise<void> {
  if (!findRemoved(db)) return
  await inChunks(db, deleteSome)
}

/** Marks incomplete files as removed that were started before `before`: the process that added them has died. Returns how many. */
export const removeIncompleteFiles = ({ sql }: Tx, before: number): number =>
  sql.run(
    `UPDATE files SET status = 'removed'
     WHERE status = 'arriving' AND ${UNFINISHED} AND created_at < ?`,
    before,
  ).changes
