import type { Server } from '../../../kernel/call.ts'
import type { Snapshot } from '../../../kernel/operation.ts'
import type { Reader } from '../../../storage/reader.ts'
import { type ReadCosts, recordReadCosts } from '../../structures/storage/index-policy.ts'
import { type CountedBound, keepBound } from './near-totals.ts'
import { cachedList, saveCounted, type TotalKey } from './total-cache.ts'

/** Findings of a read that later reads, in this thread or the main thread, can reuse. */
interface RowFinding {
  readonly costs: ReadCosts
  readonly counted?: { readonly key: TotalKey; readonly total: number }
  /** The counted range. */
  readonly range?: CountedBound | undefined
  /** The rows of a board in order, and their cache key. */
  readonly ordered?: { readonly key: string; readonly rows: unknown }
}

function cache(reader: Reader, { counted, range, ordered }: RowFinding): void {
  if (counted) saveCounted(reader, counted.key, counted.total)
  if (range) keepBound(reader, range)
  if (ordered) cachedList(reader, ordered.key, () => ordered.rows)
}

/** Caches a finding in the thread of the read, and reports it. */
export function reportRows(snapshot: Snapshot, finding: RowFinding): void {
  cache(snapshot, finding)
  snapshot.report?.(finding)
}

/** The `learn` of every operation that reads rows. */
export function learnOfRows(server: Server, finding: unknown, ms: number): void {
  const found = finding as RowFinding
  cache(server.db, found)
  recordReadCosts(server, found.costs, ms)
}
