import type { AppContext } from '../../src/context.ts'
import { settle } from '../../src/kernel/job-steps.ts'
import { ALL, markAllForSearch, refreshSearch, searchMerging } from '../../src/notes/search/indexing.ts'

/** Indexes every note, even if no search is pending. */
export async function indexAll(ctx: AppContext): Promise<void> {
  await ctx.db.write((tx): void => void tx.sql.run('UPDATE search_pending SET can_wait = 0'))
  for (const workspace of ctx.db.sql.column<number>('SELECT DISTINCT workspace FROM search_pending'))
    await refreshSearch(ctx, workspace)
}

/** Indexes one note again, as after a change of it. */
async function indexAgain(ctx: AppContext, workspace: number, pk: number): Promise<void> {
  await ctx.db.write((tx): void => void markAllForSearch(tx, workspace, `[${pk}]`, { canWait: false }))
  await indexAll(ctx)
}

/** Merges the indexes, as an idle server does. */
export const mergeIndexes = async (ctx: AppContext): Promise<void> => {
  await settle(ctx, searchMerging, ALL)
}

/** Indexes every note again, one after the other, newest first. */
export async function indexEachAgain(ctx: AppContext, workspace: number): Promise<void> {
  for (const pk of ctx.db.sql.column<number>('SELECT pk FROM notes ORDER BY id DESC'))
    await indexAgain(ctx, workspace, pk)
}
