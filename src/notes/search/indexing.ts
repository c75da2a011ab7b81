import type { AppContext } from '../../context.ts'
import { settle } from '../../kernel/job-steps.ts'
import { AT_ONCE, defineJob, enqueue, enqueueOnce, findState, type Job, keysOf } from '../../kernel/jobs.ts'
import { MERGED_SEGMENTS, mergeSome } from '../../search/tables.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
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

/** Limits of a step: the number of notes and, after the first note, the number of characters; some 5 ms of work. */
const MAX_BATCH = 100
const MAX_LENGTH = 100_000

/**
 * Marks a note with outdated entries in the search tables. It is indexed when the server is idle, at the latest before
 * a search.
 */
export function markForSearch(tx: Tx, workspace: number, note: number): void {
  tx.sql.run(
    `INSERT INTO search_pending (workspace, note) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET can_wait = 0 WHERE can_wait = 1`,
    workspace,
    note,
  )
  enqueueOnce(tx, noteIndexing, ALL, null)
}

/**
 * Marks the active ones of these notes (a JSON array of pks). With `canWait`, no search waits for them, because no
 * search can find what changed.
 */
export function markAllForSearch(
  tx: Tx,
  workspace: number,
  notes: string,
  { canWait }: { canWait: boolean },
): void {
  tx.sql.run(
    `INSERT INTO search_pending (workspace, note, can_wait)
     SELECT ?1, pk, ?3 FROM notes WHERE pk IN (SELECT value FROM json_each(?2)) AND deleted_at IS NULL
     ON CONFLICT DO UPDATE SET can_wait = 0 WHERE excluded.can_wait = 0 AND can_wait = 1`,
    workspace,
    notes,
    canWait ? 1 : 0,
  )
  enqueueOnce(tx, noteIndexing, ALL, null)
}

/** The key of a job that handles all notes. */
export const ALL = 0

interface Marked {
  readonly workspace: number
  readonly note: number
}

/**
 * Indexes the given notes that are still marked, in one part of the search tables; returns the number processed.
 */
function indexBatch(tx: Tx, notes: readonly Marked[]): number {
  let length = 0
  let done = 0
  for (const { workspace, note } of notes) {
    if (done > 0 && length > MAX_LENGTH) break
    done += 1
    if (hasLongBody(tx, note)) enqueueOnce(tx, longNoteIndexing, note, workspace)
    else {
      const indexable = unmarkForSearch(tx, workspace, note) ? findIndexable(tx, note) : undefined
      if (indexable) indexNote(tx, indexable)
      length += indexable?.content.length ?? 0
    }
  }
  return done
}

const URGENT = 'FROM search_pending WHERE workspace = ? AND can_wait = 0'

/**
 * Indexes every note of the workspace that is marked now and that a search must wait for. Changes that were committed
 * before this call can be found after it. Notes marked meanwhile are skipped, so a stream of writes never delays a
 * search endlessly. The search compares those individually (`unindexed.ts`).
 */
export async function refreshSearch(
  ctx: Pick<AppContext, 'db' | 'worker'>,
  workspace: number,
): Promise<void> {
  const { db } = ctx
  if (db.sql.get(`SELECT 1 ${URGENT} LIMIT 1`, workspace) === undefined) return
  const notes = db.sql.all<Marked>(`SELECT workspace, note ${URGENT}`, workspace)
  for (let done = 0; done < notes.length; ) {
    const batch = notes.slice(done, done + MAX_BATCH)
    done += await db.write((tx): number => {
      notePart(tx)
      return indexBatch(tx, batch)
    })
  }
  const long = new Set(db.sql.column(keysOf(longNoteIndexing)))
  for (const { note } of notes) if (long.has(note)) await settle(ctx, longNoteIndexing, note)
}

/**
 * Above this many marked notes, they are also indexed beside other writes. A search would otherwise wait for them for
 * seconds.
 */
const LONG_BACKLOG = 10_000

const isBacklogLong = ({ sql }: Reader): boolean =>
  sql.get(`SELECT 1 FROM search_pending WHERE can_wait = 0 LIMIT 1 OFFSET ${LONG_BACKLOG}`) !== undefined

/** Indexes marked notes, so searches rarely need to. */
export const noteIndexing = defineJob<number, null>(
  'notes.search',
  (tx) => {
    const marked = tx.sql.all<Marked>(
      `SELECT workspace, note FROM search_pending WHERE note NOT IN (${keysOf(longNoteIndexing)}) LIMIT ${MAX_BATCH}`,
    )
    if (marked.length === 0) return 'done'
    notePart(tx)
    indexBatch(tx, marked)
    return null
  },
  { whenIdle: { isUrgent: isBacklogLong } },
)

/*
 * Every transaction that indexes notes adds a part to the search tables, and a search reads all parts. A job merges
 * them in a thread, because the entries of a word in many notes are merged at once. Its state is the number of parts
 * since it last ended.
 */

/** Above this many parts, they are also merged beside other writes. */
const MANY_PARTS = 100
/** FTS5 merges no fewer parts than `MERGED_SEGMENTS`; remaining parts are merged after this time. */
const MERGE_REST_AFTER_MS = 1_000

const newNoted = () => ({ isNoted: false })

/** Must be called in every transaction that indexes notes. */
function notePart(tx: Tx): void {
  const noted = tx.transaction.state.of(newNoted)
  if (noted.isNoted) return
  noted.isNoted = true
  const parts = countParts(tx) + 1
  enqueue(tx, searchMerging, ALL, parts, parts < MERGED_SEGMENTS ? tx.now + MERGE_REST_AFTER_MS : AT_ONCE)
}

const countParts = (reader: Reader): number => findState<number, number>(reader, searchMerging, ALL) ?? 0

export const searchMerging: Job<number, number> = defineJob(
  'notes.mergeSearch',
  (tx, _, parts) => {
    const hasMore = [FULL_TABLE, TITLE_TABLE].map((table) => mergeSome(tx, table))
    return hasMore.includes(true) ? Math.max(1, parts - 1) : 'done'
  },
  {
    isLong: () => true,
    whenIdle: { isUrgent: (reader) => countParts(reader) > MANY_PARTS },
  },
)

/*
 * Indexing a body of a million characters takes several hundred milliseconds. One thread splits it into words without
 * blocking anything. Another writes the entries, which blocks other writes but no reads.
 */

/** In bytes. */
const LONG_BODY = 32_768

const IS_LONG = `SELECT 1 FROM note_bodies WHERE note = ? AND octet_length(content) > ${LONG_BODY}`

const hasLongBody = ({ sql }: Reader, note: number): boolean => sql.get(IS_LONG, note) !== undefined

/** The words of a note, and the version of the note that contains them. */
interface Words {
  readonly columns: NoteColumns
  readonly updatedAt: number
}

function wordsOf(reader: Reader, pk: number): Words | undefined {
  const note = findIndexable(reader, pk)
  const updatedAt = updatedAtOf(reader, pk)
  return note && updatedAt !== undefined ? { columns: indexedColumns(note), updatedAt } : undefined
}

/** Indexes a marked note with a long body. Discards words of an older version. */
export const longNoteIndexing = defineJob<number, number>(
  'notes.searchLong',
  (tx, pk, workspace, prepared) => {
    const words = prepared as Words | undefined
    const note = unmarkForSearch(tx, workspace, pk) ? findIndexable(tx, pk) : undefined
    if (!note) return 'done'
    notePart(tx)
    if (words && words.updatedAt === updatedAtOf(tx, pk)) writeEntries(tx, pk, words.columns)
    else indexNote(tx, note)
    return 'done'
  },
  { isLong: () => true, prepare: { read: wordsOf } },
)
