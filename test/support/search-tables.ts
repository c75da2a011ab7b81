import type { AppContext } from '../../src/context.ts'
import { refreshSearch } from '../../src/notes/search/indexing.ts'

/** Indexes every note, even if no search is pending. */
export async function indexAll(ctx: AppContext): Promise<void> {
  await ctx.db.write((tx): void => void tx.sql.run('UPDATE search_pending SET can_wait = 0'))
  for (const workspace of ctx.db.sql.column<number>('SELECT DISTINCT workspace FROM search_pending'))
    await refreshSearch(ctx, workspace)
}
