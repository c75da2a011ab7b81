import { and, eq, lt, sql } from 'drizzle-orm'
import { begin, defineJob, enqueue } from '../kernel/jobs.ts'
import { ALONE, type ChangeAuthor, logChange } from '../log/log.ts'
import { from, orm, rowsBy, runBy } from '../storage/query.ts'
import { files } from '../storage/schema/files.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { deleteSomePages } from './search.ts'
import { deleteSomeParts, fileDetachmentKind, UNFINISHED } from './store.ts'

const PARTS_AT_ONCE = 1
const PAGES_AT_ONCE = 20

/** Deletes the pages and parts of a deleted file of a workspace. */
export const fileDetachment = defineJob<number, number>(fileDetachmentKind, (tx, file, workspace) =>
  deleteSomePages(tx, workspace, file, PAGES_AT_ONCE) + deleteSomeParts(tx, file, PARTS_AT_ONCE) > 0
    ? workspace
    : 'done',
)

const deleteRow = runBy((file: number) => orm.delete(files).where(eq(files.pk, file)))

interface Removed {
  readonly pk: number
  readonly workspace: number
}

/** Deletes the row of a file, so that nothing finds it. A job deletes its contents. */
function remove(tx: Tx, { pk, workspace }: Removed): void {
  deleteRow(tx, pk)
  enqueue(tx, fileDetachment, pk, workspace)
}

/** Deletes a file and logs it. */
export function removeFile(
  tx: Tx,
  author: ChangeAuthor,
  { pk, id, ofNote }: { pk: number; id: string; ofNote: number },
): void {
  remove(tx, { pk, workspace: author.workspacePk })
  logChange(tx, author, { kind: 'file', id }, 'deleted', ofNote ? {} : ALONE)
}

const isArriving = sql.raw(`status = 'arriving' AND ${UNFINISHED}`)
const findArriving = rowsBy((file: number) =>
  from(files, { pk: files.pk, workspace: files.workspace }).where(and(eq(files.pk, file), isArriving)),
)
const findArrivingBefore = rowsBy((before: number) =>
  from(files, { pk: files.pk, workspace: files.workspace }).where(
    and(isArriving, lt(files.createdAt, before)),
  ),
)

/** Deletes a file that will not become complete, and parts that arrived after retention removed it, a few at a time. */
export function abandonFile(tx: Tx, file: Removed): void {
  if (findArriving(tx, file.pk).length > 0) deleteRow(tx, file.pk)
  begin(tx, fileDetachment, file.pk, file.workspace)
}

/** Deletes incomplete files that were started before an instant: the process that added them has died. */
export function removeIncompleteFiles(tx: Tx, before: number): void {
  for (const file of findArrivingBefore(tx, before)) remove(tx, file)
}
