import { and, eq, lt, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { from, orm, rowBy, runBy, update } from '../db/query.ts'
import { files } from '../db/schema/files.ts'
import { inSteps } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { deleteSomePages } from './search.ts'
import { deleteSomeParts, UNFINISHED } from './store.ts'

const PARTS_AT_ONCE = 1
const PAGES_AT_ONCE = 20

const isUnfinished = sql.raw(UNFINISHED)
const findRemoved = rowBy(() =>
  from(files, { pk: files.pk, workspace: files.workspace })
    .where(and(sql`status = 'removed'`, isUnfinished))
    .limit(1),
)
const deleteFile = runBy((pk: number) => orm.delete(files).where(eq(files.pk, pk)))

/** Deletes some pages or parts of a removed file, or else its row; false when no removed file is left. */
function deleteSome(tx: Tx): boolean {
  const file = findRemoved(tx)
  if (!file) return false
  const deleted =
    deleteSomePages(tx, file.workspace, file.pk, PAGES_AT_ONCE) || deleteSomeParts(tx, file.pk, PARTS_AT_ONCE)
  if (deleted === 0) deleteFile(tx, file.pk)
  return true
}

/** Deletes removed files with their parts and pages, in short transactions. */
export async function deleteRemovedFiles(db: Db): Promise<void> {
  if (!findRemoved(db)) return
  await inSteps(db, deleteSome)
}

const removeIncomplete = runBy((before: number) =>
  update(
    files,
    { status: 'removed' },
    and(sql`status = 'arriving'`, isUnfinished, lt(files.createdAt, before)),
  ),
)

/** Marks incomplete files as removed that were started before `before`: the process that added them has died. Returns how many. */
export const removeIncompleteFiles = (tx: Tx, before: number): number => removeIncomplete(tx, before).changes
