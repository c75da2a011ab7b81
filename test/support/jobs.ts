import type { AppContext } from '../../src/context.ts'
import { settleAll } from '../../src/kernel/jobs.ts'

/** Runs every job that is due to its end, as a server does between writes. */
export const runJobs = (ctx: AppContext): Promise<void> => settleAll(ctx, ctx.features.jobs)
