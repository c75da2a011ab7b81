import type { AppContext, Caller, InWorkspace } from '../../context.ts'
import { recordReadCosts } from '../../structures/storage/index-policy.ts'
import type { StructureRow } from '../../structures/store.ts'
import { type ListRequest, listRead, type RecordPage } from './list.ts'
import { type Summary, type SummaryRequest, summaryRead } from './summary.ts'
import { keepTotal } from './total-cache.ts'

/** One page of live rows with the exact total, found wherever it keeps nobody waiting (`db/heavy.ts`). */
export const listRecords = async (
  ctx: AppContext,
  caller: InWorkspace,
  request: ListRequest,
): Promise<RecordPage> => (await readPage(ctx, caller, request)).page

/** The same together with the structure, both of one moment. */
export async function readPage(
  ctx: AppContext,
  { workspacePk }: InWorkspace,
  request: ListRequest,
): Promise<{ page: RecordPage; structure: StructureRow }> {
  const { page, structure, key, lesson } = await ctx.worker.run(listRead, {
    caller: { workspacePk },
    request,
  })
  keepTotal(ctx.db, key, page.total)
  recordReadCosts(ctx, lesson)
  return { page, structure }
}

/** Adds up rows (`summary.ts`), likewise. */
export async function summarise(ctx: AppContext, caller: Caller, request: SummaryRequest): Promise<Summary> {
  const { workspacePk } = caller
  const { summary, lesson } = await ctx.worker.run(summaryRead, { caller: { workspacePk }, request })
  recordReadCosts(ctx, lesson)
  return summary
}
