import type { AppContext } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { startBackgroundWork } from '../../db/writes/background-work.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { hasLongBody, indexLongNote } from './long-notes.ts'
import { findUnmerged, hasManyParts, mergeStep, notePart } from './merging.ts'
import { findIndexable, indexNote, unmarkForSearch } from './tables.ts'

/** One transaction indexes notes until this time has passed, and at least one note. */
const BATCH_TIME_MS = 5
const MAX_BATCH = 100

/** Marks a note whose entries in the search tables are out of date. It is indexed when the server is idle, at the latest before a search. */
export const markForSearch = ({ sql }: Tx, workspace: number, note: number) =>
  sql.run(
    `INSERT INTO search_pending (workspace, note) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET can_wait = 0 WHERE can_wait = 1`,
    workspace,
    note,
  )

/**
 * Marks those of these notes (a JSON array of pks) that are active. With `canWait`, no search waits for them: what
 * changed cannot be found by any.
 */
export const markAllForSearch = (
  { sql }: Tx,
  workspace: number,
  notes: string,
  { canWait }: { canWait: boolean },
) =>
  sql.run(
    `INSERT INTO search_pending (workspace, note, can_wait)
     SELECT ?1, pk, ?3 FROM notes WHERE pk IN (SELECT value FROM json_each(?2)) AND deleted_at IS NULL
     ON CONFLICT DO UPDATE SET can_wait = 0 WHERE excluded.can_wait = 0 AND can_wait = 1`,
    workspace,
    notes,
    canWait ? 1 : 0,
  )

/** What the indexing of notes needs; without a worker, long bodies are indexed like others. */
type Indexing = Pick<AppContext, 'db'> & Partial<Pick<AppContext, 'worker'>>

/**
 * Indexes the first of these notes that are still marked: some for a few milliseconds, or one with a long body in the
 * worker. Returns how many were processed.
 */
async function indexFirst(
  { db, worker }: Indexing,
  workspace: number,
  notes: readonly number[],
): Promise<number> {
  const [first] = notes
  notePart(db, workspace)
  if (worker && first !== undefined && hasLongBody(db, first)) {
    await indexLongNote(worker, workspace, first)
    return 1
  }
  return db.write((tx): number => indexBatch(tx, workspace, notes, worker !== undefined))
}

/** Stops before a note with a long body if there is a worker for it. */
function indexBatch(tx: Tx, workspace: number, notes: readonly number[], hasWorker: boolean): number {
  const until = performance.now() + BATCH_TIME_MS
  let done = 0
  for (const pk of notes) {
    if (hasWorker && hasLongBody(tx, pk)) break
    done += 1
    const note = unmarkForSearch(tx, workspace, pk) ? findIndexable(tx, pk) : undefined
    if (note) indexNote(tx, workspace, note)
    if (performance.now() > until) break
  }
  return done
}

const URGENT = 'FROM search_pending WHERE workspace = ? AND can_wait = 0'

/**
 * Indexes every note that is marked in the workspace now and that a search has to wait for: what was committed before
 * this call can be found after it. Notes marked meanwhile are left, so that a stream of writes never delays a search
 * without end.
 */
export async function refreshSearch(ctx: Indexing, workspace: number): Promise<void> {
  const { sql } = ctx.db
  if (sql.get(`SELECT 1 ${URGENT} LIMIT 1`, workspace) === undefined) return
  await indexNotes(ctx, workspace, sql.column(`SELECT note ${URGENT}`, workspace))
}

async function indexNotes(ctx: Indexing, workspace: number, notes: readonly number[]): Promise<void> {
  for (let done = 0; done < notes.length; ) {
    const next = notes.slice(done, done + MAX_BATCH)
    done += await indexFirst(ctx, workspace, next)
    if (!ctx.worker || hasManyParts(ctx.db)) await mergeStep(ctx.db, ctx.worker, workspace)
  }
}

/** More marked notes than this are also indexed beside other writes: a search would wait for them for seconds. */
const LONG_BACKLOG = 10_000

const isBacklogLong = ({ sql }: Reader): boolean =>
  sql.get(`SELECT 1 FROM search_pending WHERE can_wait = 0 LIMIT 1 OFFSET ${LONG_BACKLOG}`) !== undefined

/** Indexes some marked notes of one workspace, or merges what was indexed; returns whether there was anything to do. */
async function indexSome(ctx: AppContext): Promise<boolean> {
  const { db, worker } = ctx
  const workspace = db.sql.get<{ workspace: number }>(
    'SELECT workspace FROM search_pending LIMIT 1',
  )?.workspace
  const unmerged = findUnmerged(db)
  if (unmerged !== undefined) await mergeStep(db, worker, unmerged)
  if (workspace === undefined) return unmerged !== undefined
  const notes = db.sql.column<number>(
    `SELECT note FROM search_pending WHERE workspace = ? LIMIT ${MAX_BATCH}`,
    workspace,
  )
  await indexFirst(ctx, workspace, notes)
  return true
}

/** Indexes marked notes in the background, so that searches seldom have to; returns a function that stops it. */
export const startIndexing = (ctx: AppContext): (() => void) =>
  startBackgroundWork(ctx, {
    name: 'indexing',
    isUrgent: () => isBacklogLong(ctx.db) || hasManyParts(ctx.db),
    runStep: () => indexSome(ctx),
  })
