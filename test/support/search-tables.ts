import type { AppContext } from '../../src/context.ts'
import { fillSome, refreshSearch } from '../../src/notes/search/indexing.ts'
import { areSearchTablesComplete, hasSearchTables, startFilling } from '../../src/notes/search/tables.ts'

/** Gives a workspace complete search tables, however small it is. */
export async function completeSearchTables(ctx: AppContext, workspace: number): Promise<void> {
  if (!hasSearchTables(ctx.db, workspace)) await ctx.db.write((tx): void => startFilling(tx, workspace))
  while (!areSearchTablesComplete(ctx.db, workspace)) await fillSome(ctx, workspace)
  await refreshSearch(ctx, workspace)
}
