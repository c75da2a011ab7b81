import type { Server } from '../../../kernel/call.ts'
import { BoundedCache } from '../../../lib/bounded-cache.ts'
import { DAY_MS } from '../../../lib/dates.ts'
import { buildAutoIndex, type IndexPlace, markUsed } from './auto-index.ts'
import { TEXT_INDEX } from './text-index.ts'

/*
 * An index is built once reads without it have cost twice its build cost. It is dropped after 30 days without use.
 * Users never declare one.
 */

/** The report of one read of a structure's rows to the policy. */
export interface ReadCosts {
  readonly structurePk: number
  readonly rows: number
  /** The names of the indexes that would have saved most of the cost. */
  readonly missing: readonly string[]
  readonly used: readonly string[]
}

const BUILD_MS_PER_ROW = 0.0015
const WORTH_BUILDS = 2
/** Cost per row of a text index. It is filled in the background and needs more rows to pay off. */
const TEXT_INDEX_MS_PER_ROW = 0.005
const TEXT_INDEX_MIN_ROWS_FACTOR = 10
const MAX_REPORTS = 10_000

/** This process's reports on reads that lacked an index. */
interface Report {
  /** Total duration of the reads that lacked it. */
  ms: number
  usedAt: number
}

/** Keyed by structure and index. */
const newReports = () => new BoundedCache<string, Report>(MAX_REPORTS)

const newBuilds = () => ({ count: 0, ms: 0 })

/** The automatic indexes built by this process, and their build times, including the wait for a quiet moment. */
export const indexBuildsOf = ({ db }: Pick<Server, 'db'>) => db.sql.state.of(newBuilds)

function reportOf({ db }: Pick<Server, 'db'>, { structurePk, column }: IndexPlace): Report {
  const reports = db.sql.state.of(newReports)
  const key = `${structurePk} ${column}`
  const report = reports.get(key) ?? { ms: 0, usedAt: 0 }
  reports.set(key, report)
  return report
}

/**
 * Adds up the time of reads that lacked an index, records the indexes they used, and starts to build an index that has
 * become worthwhile.
 */
export function recordReadCosts(
  server: Server,
  { structurePk, rows, missing, used }: ReadCosts,
  ms: number,
): void {
  for (const column of used) recordUse(server, { structurePk, column })
  const { manyRows } = server.worker
  for (const column of rows > manyRows ? missing : []) {
    const report = reportOf(server, { structurePk, column })
    report.ms += ms
    if (!isWorthBuilding(column, report.ms, rows, manyRows)) continue
    // Reads during the build, or of a column that cannot be indexed, must not request it again.
    report.ms = Number.NEGATIVE_INFINITY
    void build(server, { structurePk, column }, report)
  }
}

function isWorthBuilding(column: string, costMs: number, rows: number, manyRows: number): boolean {
  if (column !== TEXT_INDEX) return costMs > WORTH_BUILDS * BUILD_MS_PER_ROW * rows
  return rows >= TEXT_INDEX_MIN_ROWS_FACTOR * manyRows && costMs > WORTH_BUILDS * TEXT_INDEX_MS_PER_ROW * rows
}

async function build(server: Server, place: IndexPlace, report: Report): Promise<void> {
  const { structurePk: structure, column } = place
  try {
    const startedAt = server.clock.now()
    if (!(await buildAutoIndex(server, place))) return
    const ms = server.clock.now() - startedAt
    const builds = indexBuildsOf(server)
    builds.count += 1
    builds.ms += ms
    // A job fills a text index.
    if (column !== TEXT_INDEX) server.log.info('index built', { structure, column, ms })
  } catch (error) {
    server.log.warn('an index could not be built', { structure, column, error: String(error) })
  }
  report.ms = 0
}

/** Records the use of an index, at most once a day. */
function recordUse(server: Server, place: IndexPlace): void {
  const now = server.clock.now()
  const report = reportOf(server, place)
  if (now - report.usedAt < DAY_MS) return
  report.usedAt = now
  server.db
    .write((tx): void => void markUsed(tx, place, now))
    .catch((error) => server.log.warn('the use of an index could not be recorded', { error: String(error) }))
}
