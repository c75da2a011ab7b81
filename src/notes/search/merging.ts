import type { Db } from '../../db/database.ts'
import type { Reader } from '../../db/reader.ts'
import type { WorkerClient, WorkerTask } from '../../db/worker/client.ts'
import { hasTable, mergeSome } from '../../search/tables.ts'
import { searchTables } from './tables.ts'

/*
 * Every transaction that indexes notes adds a part to the search tables of its workspace, and a search reads all parts.
 * They are merged in steps after it: in a worker, because a word of many notes is merged at once.
 */

/** By workspace, how many transactions wrote parts since the last one was merged. */
const newParts = () => new Map<number, number>()
const partsOf = ({ sql }: Reader): Map<number, number> => sql.state.of(newParts)

/** Records that a transaction wrote to the search tables. */
export function notePart(db: Db, workspace: number): void {
  const parts = partsOf(db)
  parts.set(workspace, (parts.get(workspace) ?? 0) + 1)
}

/** With more parts than this they are also merged beside other writes. */
const MANY_PARTS = 100

export const hasManyParts = (db: Db): boolean => [...partsOf(db).values()].some((count) => count > MANY_PARTS)

/** A workspace whose search tables may be merged. */
export const findUnmerged = (db: Db): number | undefined => [...partsOf(db).keys()][0]

export const searchMerge: WorkerTask<number, boolean> = {
  name: 'notes.mergeSearch',
  // A search may wait for it.
  run: mergeTables,
}

function mergeTables(reader: Reader, workspace: number): boolean {
  let hasMore = false
  for (const { name, merging } of searchTables(workspace))
    if (merging === 'steps' && hasTable(reader, name) && mergeSome(reader, name)) hasMore = true
  return hasMore
}

/** Merges a little of the search tables of a workspace; without a worker, in a write of this thread. */
export async function mergeStep(db: Db, worker: WorkerClient | undefined, workspace: number): Promise<void> {
  const hasMore = worker
    ? await worker.write(searchMerge, workspace)
    : await db.write((tx): boolean => mergeTables(tx, workspace))
  const parts = partsOf(db)
  const count = parts.get(workspace) ?? 0
  if (hasMore) parts.set(workspace, Math.max(1, count - 1))
  else parts.delete(workspace)
}
