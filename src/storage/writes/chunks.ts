import type { Db } from '../database.ts'
import type { Tx, WriteFunction } from './transaction.ts'

/** The length of one transaction of chunked work, which bounds how long the write lock is held. */
const SLICE_MS = 5

/**
 * Repeats a small step until it returns false or a few milliseconds have passed. Returns whether there may be more
 * work.
 */
export function forSomeMilliseconds(doSome: () => boolean, milliseconds = SLICE_MS): boolean {
  const until = performance.now() + milliseconds
  do {
    if (!doSome()) return false
  } while (performance.now() < until)
  return true
}

/** Slightly longer than a server waits before it retries to take the lock. */
const PAUSE_MS = 12

/** Leaves the lock free for other processes between two of many writes. */
export const pauseForOthers = (): Promise<void> => Bun.sleep(PAUSE_MS)

/** The same, and waits for a checkpoint that is due. */
export async function pauseBetween(db: Db): Promise<void> {
  await pauseForOthers()
  await db.waitForCheckpoint()
}

/**
 * Repeats a short write until it returns false. Other writes of this process run between two chunks, and a pause
 * after each chunk leaves the lock free for other processes. Throws when the signal is aborted.
 */
export async function inChunks(
  db: Db,
  chunk: WriteFunction<boolean>,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  signal?.throwIfAborted()
  while (await db.write(chunk)) {
    await pauseBetween(db)
    signal?.throwIfAborted()
  }
}

/** Changes some rows; returns whether there may be more. */
type Step = (tx: Tx) => boolean

/** Changes many rows in transactions that are too short to delay other writes. Throws when the signal is aborted. */
export const inSteps = (
  db: Db,
  step: Step,
  options?: { readonly signal?: AbortSignal | undefined },
): Promise<void> => inChunks(db, (tx) => forSomeMilliseconds(() => step(tx)), options)

/** The longest prefix of the rows, at least one row, with a total size of at most `most`: the input of one step. */
export function firstWithin<Row>(rows: Iterable<Row>, most: number, sizeOf: (row: Row) => number): Row[] {
  const first: Row[] = []
  let size = 0
  for (const row of rows) {
    size += sizeOf(row)
    if (first.length > 0 && size > most) break
    first.push(row)
  }
  return first
}
