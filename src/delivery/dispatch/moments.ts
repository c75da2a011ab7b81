import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'

/** What is kept in the database until its instant, and then becomes an event. */
export interface Moments {
  /** When the next of them falls due; undefined without any. */
  nextAt(reader: Reader): number | undefined
  /** Takes one or a few that are due; returns whether there were any. `startedAt` is when the server began to watch them. */
  step(tx: Tx, startedAt: number): boolean
}
