import { type LongValue, saveLongValue } from '../storage/page-cursors.ts'
import { resultOf } from '../storage/writes/transaction.ts'
import type { Server } from './call.ts'

/** Stores the sort value that a cursor names by digest. The response with the cursor waits for the commit. */
export const storeLongValue = ({ db }: Pick<Server, 'db'>, value: LongValue): Promise<void> =>
  resultOf(db.write((tx): void => saveLongValue(tx, value)))
