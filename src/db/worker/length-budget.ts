import { TooLongForMainThread } from './client.ts'

/** What a write on the main thread may still read and write of long texts, in characters; in a worker there is none. */
export interface LengthBudget {
  left: number
}

/** To be called before a text of this length is written, or after one was read; throws `TooLongForMainThread`. */
export function spend(budget: LengthBudget | undefined, length: number): void {
  if (!budget) return
  budget.left -= length
  if (budget.left < 0) throw new TooLongForMainThread()
}
