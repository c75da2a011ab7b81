import { enqueueBy } from '../kernel/jobs.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/*
 * Events with a due time: moments of rows (`due.ts`), and updates of notes at the end of their quiet time. Each kind
 * has its own table. Each kind's job is due at the earliest moment, creates the events, and pauses until the next
 * moment.
 */

export const DUE_JOBS = { rows: 'events.rows', notes: 'events.notes' } as const

/** The key of such a job, which handles all moments of its kind. */
const ALL = 0

/** Must be called for every stored moment. */
export const enqueueDue = (tx: Tx, kind: keyof typeof DUE_JOBS, at: number): void =>
  enqueueBy(tx, { kind: DUE_JOBS[kind] }, ALL, at)
