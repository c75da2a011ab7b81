import { enqueueBy } from '../kernel/jobs.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/*
 * Events that fall due: moments of rows (`due.ts`), and updates of notes whose quiet time ends. They are stored in tables of
 * their own; a job of each kind is due at the earliest of them, makes the events, and pauses until the next one.
 */

export const MOMENTS = { rows: 'events.rows', notes: 'events.notes' } as const

/** The key of such a job, which works for all moments of its kind. */
const ALL = 0

/** Must be called for every moment that is stored. */
export const noteMoment = (tx: Tx, kind: keyof typeof MOMENTS, at: number): void =>
  enqueueBy(tx, { kind: MOMENTS[kind] }, ALL, at)
