import type { AppContext } from '../../src/context.ts'
import { type JobKey, settle } from '../../src/kernel/jobs.ts'

/** Runs every enqueued job to its end, as a server does between writes. */
export async function runJobs({ db, features }: Pick<AppContext, 'db' | 'features'>): Promise<void> {
  for (const job of features.jobs)
    for (const key of db.sql.column<JobKey>('SELECT key FROM jobs WHERE kind = ?', job.kind))
      await settle(db, job, key)
}
