import type { AppContext } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import type { Reader } from '../../db/reader.ts'
import type { WorkerClient, WorkerQuery, WorkerTask } from '../../db/worker/client.ts'
import { startBackgroundWork } from '../../db/writes/background-work.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { hasTable, mergeSome } from '../../search/tables.ts'
import { updatedAtOf } from '../store.ts'
import {
  areSearchTablesComplete,
  COMPLETE,
  ensureTablesOfMany,
  fillTags,
  findFilling,
  findIndexable,
  hasSearchTables,
  type Indexable,
  indexedColumns,
  indexNote,
  isSmall,
  searchTables,
  setSearchState,
  startFilling,
  unmarkForSearch,
  writeEntries,
} from './tables.ts'

/** One transaction indexes notes until this time has passed, and at least one note. */
const BATCH_TIME_MS = 5
const MAX_BATCH = 100

/**
 * Marks a note whose entries in the search tables are out of date. It is indexed when the server is idle, at the
 * latest before a search.
 */
export function markForSearch(tx: Tx, workspace: number, note: number): void {
  ensureTablesOfMany(tx, workspace)
  tx.sql.run(
    `INSERT INTO search_pending (workspace, note) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET can_wait = 0 WHERE can_wait = 1`,
    workspace,
    note,
  )
}

/** Indexes a note at once, or marks it if the workspace has no search tables. */
export function indexAtOnce(tx: Tx, workspace: number, note: Indexable): void {
  if (ensureTablesOfMany(tx, workspace)) indexNote(tx, workspace, note)
  else markForSearch(tx, workspace, note.pk)
}

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

type Indexing = Pick<AppContext, 'db' | 'worker'>

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
  if (first !== undefined && hasLongBody(db, first)) {
    await indexLongNote(worker, workspace, first)
    return 1
  }
  return db.write((tx): number => indexBatch(tx, workspace, notes))
}

/** Stops before a note with a long body. */
function indexBatch(tx: Tx, workspace: number, notes: readonly number[]): number {
  const until = performance.now() + BATCH_TIME_MS
  let done = 0
  for (const pk of notes) {
    if (hasLongBody(tx, pk)) break
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
 * without end. Where notes are scanned, there is nothing to wait for.
 */
export async function refreshSearch(ctx: Indexing, workspace: number): Promise<void> {
  const { sql } = ctx.db
  if (!areSearchTablesComplete(ctx.db, workspace)) return
  if (sql.get(`SELECT 1 ${URGENT} LIMIT 1`, workspace) === undefined) return
  const notes = sql.column<number>(`SELECT note ${URGENT}`, workspace)
  for (let done = 0; done < notes.length; ) {
    done += await indexFirst(ctx, workspace, notes.slice(done, done + MAX_BATCH))
    if (hasManyParts(ctx.db)) await mergeStep(ctx, workspace)
  }
}

/** More marked notes than this are also indexed beside other writes: a search would wait for them for seconds. */
const LONG_BACKLOG = 10_000

const isBacklogLong = ({ sql }: Reader): boolean =>
  sql.get(`SELECT 1 FROM search_pending WHERE can_wait = 0 LIMIT 1 OFFSET ${LONG_BACKLOG}`) !== undefined

/** By workspace, the last tag of those that this process has indexed to fill its search tables. */
const lastTags = () => new Map<number, number>()

const markedNotes = ({ sql }: Reader, workspace: number): number[] =>
  sql.column(`SELECT note FROM search_pending WHERE workspace = ? LIMIT ${MAX_BATCH}`, workspace)

/** Fills the search tables of a workspace a little further: the names of tags first, then notes. */
export async function fillSome(ctx: Indexing, workspace: number): Promise<void> {
  const { db } = ctx
  const lastOf = db.sql.state.of(lastTags)
  const lastTag = lastOf.get(workspace) ?? 0
  const tag = await db.write((tx) => fillTags(tx, workspace, lastTag))
  if (tag !== undefined) {
    lastOf.set(workspace, tag)
    return
  }
  const [first] = markedNotes(db, workspace)
  if (first !== undefined && hasLongBody(db, first)) await indexFirst(ctx, workspace, [first])
  else {
    notePart(db, workspace)
    if (await db.write((tx): boolean => finishFilling(tx, workspace))) lastOf.delete(workspace)
  }
}

/**
 * Indexes marked notes, and has the search tables used once no note is marked: a search that began while notes were
 * scanned has waited for none. Returns whether they are used.
 */
function finishFilling(tx: Tx, workspace: number): boolean {
  indexBatch(tx, workspace, markedNotes(tx, workspace))
  if (markedNotes(tx, workspace).length > 0) return false
  setSearchState(tx, workspace, COMPLETE)
  return true
}

/** Takes the marks off the notes of a workspace that is still small enough to be scanned, or gives it search tables. */
const growOrUnmark = (tx: Tx, workspace: number): void => {
  if (hasSearchTables(tx, workspace)) return
  if (isSmall(tx, workspace)) tx.sql.run('DELETE FROM search_pending WHERE workspace = ?', workspace)
  else startFilling(tx, workspace)
}

const findMarked = ({ sql }: Reader): number | undefined =>
  sql.get<{ workspace: number }>('SELECT workspace FROM search_pending LIMIT 1')?.workspace

/**
 * Does some of the work that is left in one workspace: fills its tables, indexes marked notes, or merges what was
 * indexed.
 */
async function indexSome(ctx: AppContext): Promise<boolean> {
  const { db } = ctx
  // A workspace whose search tables may be merged.
  const [unmerged] = partsOf(db).keys()
  if (unmerged !== undefined) await mergeStep(ctx, unmerged)
  const filling = findFilling(db)
  const marked = findMarked(db)
  if (filling !== undefined) await fillSome(ctx, filling)
  else if (marked === undefined) return unmerged !== undefined
  else if (hasSearchTables(db, marked)) await indexFirst(ctx, marked, markedNotes(db, marked))
  else await db.write((tx): void => growOrUnmark(tx, marked))
  return true
}

/** Indexes marked notes in the background, so that searches seldom have to; returns a function that stops it. */
export const startIndexing = (ctx: AppContext): (() => void) =>
  startBackgroundWork(ctx, {
    name: 'indexing',
    isUrgent: () => isBacklogLong(ctx.db) || hasManyParts(ctx.db) || findFilling(ctx.db) !== undefined,
    runStep: () => indexSome(ctx),
  })

/*
 * Every transaction that indexes notes adds a part to the search tables of its workspace, and a search reads all parts.
 * They are merged in steps after it: in a worker, because a word of many notes is merged at once.
 */

/** By workspace, how many transactions wrote parts since the last one was merged. */
const newParts = () => new Map<number, number>()
const partsOf = ({ sql }: Reader): Map<number, number> => sql.state.of(newParts)

function notePart(db: Db, workspace: number): void {
  const parts = partsOf(db)
  parts.set(workspace, (parts.get(workspace) ?? 0) + 1)
}

/** With more parts than this they are also merged beside other writes. */
const MANY_PARTS = 100

const hasManyParts = (db: Db): boolean => [...partsOf(db).values()].some((count) => count > MANY_PARTS)

export const searchMerge: WorkerTask<number, boolean> = {
  name: 'notes.mergeSearch',
  // A search may wait for it.
  run: (tx, workspace) => {
    let hasMore = false
    for (const { name, merging } of searchTables(workspace))
      if (merging === 'steps' && hasTable(tx, name) && mergeSome(tx, name)) hasMore = true
    return hasMore
  },
}

/** Merges a little of the search tables of a workspace. */
async function mergeStep({ db, worker }: Indexing, workspace: number): Promise<void> {
  const hasMore = await worker.write(searchMerge, workspace)
  const parts = partsOf(db)
  const count = parts.get(workspace) ?? 0
  if (hasMore) parts.set(workspace, Math.max(1, count - 1))
  else parts.delete(workspace)
}

/*
 * Indexing a body of a million characters takes several hundred milliseconds. A worker splits it into words while everything
 * else goes on, and then writes the entries, for which other writes wait, and reads do not.
 */

/** A body of more bytes is indexed by the worker. */
const LONG_BODY_BYTES = 32_768

const IS_LONG = `SELECT 1 FROM note_bodies WHERE note = ? AND octet_length(content) > ${LONG_BODY_BYTES}`

const hasLongBody = ({ sql }: Reader, note: number): boolean => sql.get(IS_LONG, note) !== undefined

/** The words of a note, and which version of it they are of. */
interface Words {
  readonly columns: ReturnType<typeof indexedColumns>
  readonly updatedAt: number
}

export const longNoteWordsQuery: WorkerQuery<{ note: number }, Words | undefined> = {
  name: 'notes.words',
  isLong: true,
  run: (reader, { note: pk }) => {
    const note = findIndexable(reader, pk)
    const updatedAt = updatedAtOf(reader, pk)
    return note && updatedAt !== undefined ? { columns: indexedColumns(note), updatedAt } : undefined
  },
}

/** Writes the entries of a note that is still marked. Words of an older version are not used. */
export const longNoteEntries: WorkerTask<
  { workspace: number; note: number; words: Words | undefined },
  void
> = {
  name: 'notes.entries',
  isBackground: true,
  run: (reader, { workspace, note: pk, words }) => {
    if (!unmarkForSearch(reader, workspace, pk)) return
    const note = findIndexable(reader, pk)
    if (!note) return
    if (words && words.updatedAt === updatedAtOf(reader, pk))
      writeEntries(reader, workspace, pk, words.columns)
    else indexNote(reader, workspace, note)
  },
}

const BACKGROUND = { userId: '', keyId: null, surface: 'indexing', isBackground: true }

async function indexLongNote(worker: WorkerClient, workspace: number, note: number): Promise<void> {
  const words = await worker.run(longNoteWordsQuery, { note }, BACKGROUND)
  await worker.write(longNoteEntries, { workspace, note, words })
}
