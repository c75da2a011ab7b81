import type { Db } from '../storage/database.ts'
import { forSomeMilliseconds, pauseBetween, pauseForOthers } from '../storage/writes/chunks.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/* Changes of many rows, in transactions that are too short to delay other writes. */

/**
 * Repeats a write while its output has more to do. Other writes run in between, also those of other processes. Throws
 * when the signal is aborted.
 */
export async function repeatWrite<Output>(
  db: Db,
  write: (last: Output | undefined) => Output | Promise<Output>,
  hasMore: (output: Output) => boolean,
  signal?: AbortSignal,
): Promise<Output> {
  signal?.throwIfAborted()
  let output = await write(undefined)
  while (hasMore(output)) {
    await pauseBetween(db)
    signal?.throwIfAborted()
    output = await write(output)
  }
  return output
}

/** Repeats a small change until it returns false, in as many transactions as needed. */
export async function repeatChange(db: Db, change: (tx: Tx) => boolean, signal?: AbortSignal): Promise<void> {
  const some = () => db.write((tx): boolean => forSomeMilliseconds(() => change(tx)))
  await repeatWrite(db, some, (more) => more, signal)
}

/**
 * Repeats a small change within a transaction until it returns false, or until other writes should not wait any longer.
 * Returns whether it may have more to do.
 */
export const repeatBriefly = (change: () => boolean): boolean => forSomeMilliseconds(change)

/** The parts of a long value, slowly enough for other processes to write in between. */
export async function* besideOthers<Part>(parts: Iterable<Part>): AsyncGenerator<Part> {
  let isFirst = true
  for (const part of parts) {
    if (!isFirst) await pauseForOthers()
    isFirst = false
    yield part
  }
}
