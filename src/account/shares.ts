import { and, eq, sql } from 'drizzle-orm'
import { type Access, mayShare, rightsOf } from '../access/rights.ts'
import { logChange, systemAuthor } from '../changes/log.ts'
import { from, orm, rowsBy, runBy } from '../db/query.ts'
import type { Role } from '../db/schema/account.ts'
import { shares } from '../db/schema/shares.ts'
import type { Tx } from '../db/writes/transaction.ts'

const sharesOf = rowsBy((workspace: number, user: number) =>
  from(shares, { pk: shares.pk, id: shares.id, structure: sql<string | null>`${shares.structure}` }).where(
    and(eq(shares.workspace, workspace), eq(shares.createdBy, user)),
  ),
)

const deleteShare = runBy((pk: number) => orm.delete(shares).where(eq(shares.pk, pk)))

/**
 * Ends, for good, the shares of a member that rest on a right which the member no longer has: all of them without a role, or
 * as a viewer, and those of what their access does not let them write.
 */
export function endSharesOf(
  tx: Tx,
  workspace: number,
  user: number,
  role?: Role,
  access: Access | null = null,
): void {
  if (role === 'owner') return
  const mayWrite = role === 'editor'
  const rights = rightsOf([access], mayWrite)
  for (const { pk, id, structure } of sharesOf(tx, workspace, user)) {
    if (mayWrite && mayShare(rights, structure)) continue
    deleteShare(tx, pk)
    logChange(
      tx,
      systemAuthor(workspace),
      { kind: 'share', id, ...(structure !== null && { structureId: structure }) },
      'deleted',
    )
  }
}
