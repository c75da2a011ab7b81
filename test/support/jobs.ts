import type { AppContext } from '../../src/context.ts'
import { enqueue, RECURRING, settleAll } from '../../src/kernel/jobs.ts'
import { retentionJobs } from '../../src/operation/schedule.ts'

/** Runs every due job to completion, as a server does between writes. */
export const runJobs = (ctx: AppContext): Promise<void> => settleAll(ctx, ctx.features.jobs)

/** Removes expired data, as a server does every hour. */
export async function runRetention(ctx: AppContext): Promise<void> {
  const jobs = retentionJobs(ctx.config)
  await ctx.db.write((tx): void => {
    for (const job of jobs) enqueue(tx, job, RECURRING, null)
  })
  await settleAll(ctx, jobs)
}
