import { and, eq } from 'drizzle-orm'
import { orm, runBy, update } from '../db/query.ts'
import { rowViews } from '../db/schema/row-views.ts'
import type { Tx } from '../db/writes/transaction.ts'

const isOf = (workspace: number, user: string) =>
  and(eq(rowViews.workspace, workspace), eq(rowViews.owner, user))
const removePersonal = runBy((workspace: number, user: string) =>
  orm.delete(rowViews).where(and(isOf(workspace, user), eq(rowViews.personal, 1))),
)
const disown = runBy((workspace: number, user: string) =>
  update(rowViews, { owner: null }, isOf(workspace, user)),
)

/** What remains of the views of a member who is removed: the shared ones, without an owner. */
export function releaseRowViews(tx: Tx, workspace: number, user: string): void {
  removePersonal(tx, workspace, user)
  disown(tx, workspace, user)
}
