import type { AppContext, Caller } from '../context.ts'
import { learn } from './index-policy.ts'
import { keepTotal } from './kept-totals.ts'
import { type ListRequest, listRead, type RecordPage } from './listing.ts'
import { type Summary, type SummaryRequest, summaryRead } from './summary.ts'

/** One page of live rows with the exact total, found wherever it keeps nobody waiting (`db/heavy.ts`). */
export async function listRecords(
  ctx: AppContext,
  caller: Caller,
  request: ListRequest,
): Promise<RecordPage> {
  const { workspacePk } = caller
  const { page, key, lesson } = await ctx.heavy.run(listRead, { caller: { workspacePk }, request })
  keepTotal(ctx.db, key, page.total)
  learn(ctx, lesson)
  return page
}

/** Adds up rows (`summary.ts`), likewise. */
export async function summarise(ctx: AppContext, caller: Caller, request: SummaryRequest): Promise<Summary> {
  const { workspacePk } = caller
  const { summary, lesson } = await ctx.heavy.run(summaryRead, { caller: { workspacePk }, request })
  learn(ctx, lesson)
  return summary
}
