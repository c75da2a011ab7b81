import type { AppContext } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import type { Reader } from '../../db/reader.ts'
import type { WorkerClient, WorkerQuery, WorkerTask } from '../../db/worker/client.ts'
import { startBackgroundWork } from '../../db/writes/background-work.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { MERGED_SEGMENTS, mergeSome } from '../../search/tables.ts'
import { updatedAtOf } from '../store.ts'
import {
  FULL_TABLE,
  findIndexable,
  indexedColumns,
  indexNote,
  type NoteColumns,
  TITLE_TABLE,
  unmarkForSearch,
  writeEntries,
} from './tables.ts'

/**
 * One transaction indexes notes until this time has passed, and at least one note: ten notes in each of ten transactions
 * take twice as long as a hundred in one, and leave ten parts to merge.
 */
const BATCH_TIME_MS = 10
const MAX_BATCH = 200

/**
 * Marks a note whose entries in the search tables are out of date. It is indexed when the server is idle, at the
 * latest before a search.
 */
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

type Indexing = Pick<AppContext, 'db' | 'worker'>

interface Marked {
  readonly workspace: number
  readonly note: number
}

/**
 * Indexes the first of these notes that are still marked: some for a few milliseconds, or one with a long body in the
 * worker. Returns how many were processed.
 */
async function indexFirst({ db, worker }: Indexing, notes: readonly Marked[]): Promise<number> {
  const [first] = notes
  notePart(db)
  if (first && hasLongBody(db, first.note)) {
    await indexLongNote(worker, first)
    return 1
  }
  return db.write((tx): number => indexBatch(tx, notes))
}

/** Stops before a note with a long body, unless it is the first. */
function indexBatch(tx: Tx, notes: readonly Marked[]): number {
  const until = performance.now() + BATCH_TIME_MS
  let done = 0
  for (const { workspace, note } of notes) {
    const indexable = findIndexable(tx, note)
    if (done > 0 && indexable && indexable.content.length > LONG_BODY) break
    done += 1
    if (unmarkForSearch(tx, workspace, note) && indexable) indexNote(tx, indexable)
    if (performance.now() > until) break
  }
  return done
}

const URGENT = 'FROM search_pending WHERE workspace = ? AND can_wait = 0'

/**
 * Indexes every note that is marked in the workspace now and that a search has to wait for: what was committed before
 * this call can be found after it. Notes marked meanwhile are left, so that a stream of writes never delays a search
 * without end; the search compares those one by one (`unindexed.ts`).
 */
export async function refreshSearch(ctx: Indexing, workspace: number): Promise<void> {
  const { sql } = ctx.db
  if (sql.get(`SELECT 1 ${URGENT} LIMIT 1`, workspace) === undefined) return
  const notes = sql.all<Marked>(`SELECT workspace, note ${URGENT}`, workspace)
  for (let done = 0; done < notes.length; ) {
    done += await indexFirst(ctx, notes.slice(done, done + MAX_BATCH))
    if (hasManyParts(ctx.db)) await mergeStep(ctx)
  }
}

/** More marked notes than this are also indexed beside other writes: a search would wait for them for seconds. */
const LONG_BACKLOG = 10_000

const isBacklogLong = ({ sql }: Reader): boolean =>
  sql.get(`SELECT 1 FROM search_pending WHERE can_wait = 0 LIMIT 1 OFFSET ${LONG_BACKLOG}`) !== undefined

const findMarked = ({ sql }: Reader): Marked[] =>
  sql.all(`SELECT workspace, note FROM search_pending LIMIT ${MAX_BATCH}`)

/** Does some of the work that is left: indexes marked notes, and merges what was indexed. */
async function indexSome(ctx: AppContext): Promise<boolean> {
  const marked = findMarked(ctx.db)
  const parts = partsOf(ctx.db).count
  if (parts > (marked.length > 0 ? FEW_PARTS : 0)) await mergeStep(ctx)
  if (marked.length > 0) await indexFirst(ctx, marked)
  return parts > 0 || marked.length > 0
}

/** Indexes marked notes in the background, so that searches seldom have to; returns a function that stops it. */
export const startIndexing = (ctx: AppContext): (() => void) =>
  startBackgroundWork(ctx, {
    name: 'indexing',
    isUrgent: () => isBacklogLong(ctx.db) || hasManyParts(ctx.db),
    runStep: () => indexSome(ctx),
  })

/*
 * Every transaction that indexes notes adds a part to the search tables, and a search reads all parts. They are merged in
 * steps after it: in a worker, because a word of many notes is merged at once.
 */

/** How many transactions wrote parts since the last one was merged. */
const newParts = () => ({ count: 0 })
const partsOf = ({ sql }: Reader) => sql.state.of(newParts)

function notePart(db: Db): void {
  partsOf(db).count += 1
}

/** No more parts than this are merged while notes are left to be indexed: FTS5 merges so many at least. */
const FEW_PARTS = MERGED_SEGMENTS - 1

/** With more parts than this they are also merged beside other writes. */
const MANY_PARTS = 100

const hasManyParts = (db: Db): boolean => partsOf(db).count > MANY_PARTS

export const searchMerge: WorkerTask<Record<never, never>, boolean> = {
  name: 'notes.mergeSearch',
  // A search may wait for it.
  run: (tx) => {
    const hasMore = [FULL_TABLE, TITLE_TABLE].map((table) => mergeSome(tx, table))
    return hasMore.includes(true)
  },
}

/** Merges a little of the search tables. */
async function mergeStep({ db, worker }: Indexing): Promise<void> {
  const hasMore = await worker.write(searchMerge, {})
  const parts = partsOf(db)
  parts.count = hasMore ? Math.max(1, parts.count - 1) : 0
}

/*
 * Indexing a body of a million characters takes several hundred milliseconds. A worker splits it into words while everything
 * else goes on, and then writes the entries, for which other writes wait, and reads do not.
 */

/** A body of more bytes, or of more characters behind another note, is indexed by the worker. */
const LONG_BODY = 32_768

const IS_LONG = `SELECT 1 FROM note_bodies WHERE note = ? AND octet_length(content) > ${LONG_BODY}`

const hasLongBody = ({ sql }: Reader, note: number): boolean => sql.get(IS_LONG, note) !== undefined

/** The words of a note, and which version of it they are of. */
interface Words {
  readonly columns: NoteColumns
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
export const longNoteEntries: WorkerTask<Marked & { words: Words | undefined }, void> = {
  name: 'notes.entries',
  isBackground: true,
  run: (reader, { workspace, note: pk, words }) => {
    if (!unmarkForSearch(reader, workspace, pk)) return
    const note = findIndexable(reader, pk)
    if (!note) return
    if (words && words.updatedAt === updatedAtOf(reader, pk)) writeEntries(reader, pk, words.columns)
    else indexNote(reader, note)
  },
}

const BACKGROUND = { userId: '', keyId: null, surface: 'indexing', isBackground: true }

async function indexLongNote(worker: WorkerClient, { workspace, note }: Marked): Promise<void> {
  const words = await worker.run(longNoteWordsQuery, { note }, BACKGROUND)
  await worker.write(longNoteEntries, { workspace, note, words })
}
