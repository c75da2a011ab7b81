import type { AppContext } from '../../src/context.ts'
import { jobs } from '../../src/jobs.ts'
import { JobRunner } from '../../src/kernel/job-runner.ts'
import { settleAll, settleBusy } from '../../src/kernel/job-steps.ts'
import { enqueue, type Job, SINGLE } from '../../src/kernel/jobs.ts'
import { statisticsRefresh } from '../../src/kernel/statistics.ts'
import { removeChangesBefore } from '../../src/log/cursors.ts'
import { retentionJobs } from '../../src/operation/schedule.ts'

/** Runs every due job to completion that does not wait for idle time, as a server does between writes. */
export const runJobs = (ctx: AppContext): Promise<void> => settleBusy(ctx, jobs)

/** Starts to run jobs, as a server does, in steps of the clock. */
export const startJobs = (ctx: AppContext): JobRunner => new JobRunner(ctx, jobs)

/** Runs recurring jobs now. */
export async function runRecurring(ctx: AppContext, jobs: readonly Job[]): Promise<void> {
  await ctx.db.write((tx): void => {
    for (const job of jobs) enqueue(tx, job, SINGLE, null)
  })
  await settleAll(ctx, jobs)
}

/** Removes expired data, as a server does every hour. */
export const runRetention = (ctx: AppContext): Promise<void> => runRecurring(ctx, retentionJobs(ctx.config))

/** Removes all changes except the last from the log of each workspace, as retention does after the time to keep them. */
export const expireChanges = ({ db }: AppContext): Promise<void> =>
  db.write((tx): void => void removeChangesBefore(tx, tx.now + 1, 100_000))

/** Counts the tables for the planner of queries, as a server does every hour. */
export const refreshStatistics = (ctx: AppContext): Promise<void> => runRecurring(ctx, [statisticsRefresh])
