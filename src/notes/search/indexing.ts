import type { Server } from '../../kernel/call.ts'
import { settle } from '../../kernel/job-steps.ts'
import {
  AT_ONCE,
  defineJob,
  defineLongJob,
  enqueue,
  enqueueOnce,
  findState,
  type Job,
  keysOf,
} from '../../kernel/jobs.ts'
import { indexedText, type Phrase } from '../../lib/words.ts'
import { MERGED_SEGMENTS, type Merging, mergeSome } from '../../search/tables.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { aliasesOf, type NoteSummary, updatedAtOf } from '../store.ts'

/*
 * The notes of all workspaces of a file share the same FTS5 tables, so thousands of workspaces do not enlarge its
 * schema. Every word is indexed with the number of its workspace as prefix. A search therefore reads only the entries
 * of its own workspace, even for a prefix, and finds nothing of another. The statistics of BM25 cover the whole file.
 */

/** Indexes titles with aliases, bodies and tags; row ids are note pks. */
export const FULL_TABLE = 'note_search'

/** Indexes only titles with aliases and tags, for short prefixes and to rank matches in titles first. Row ids are note pks. */
export const TITLE_TABLE = 'note_search_head'

/** Indexes the names of tags; row ids are tag ids. */
export const TAG_TABLE = 'tag_search'

/** The length of a workspace number in characters, for up to 60 million workspaces. */
const NUMBER_LENGTH = 5

/** Adds indexes for words given by one or two characters only. */
const SHORT_PREFIXES = `prefix = '${NUMBER_LENGTH + 1} ${NUMBER_LENGTH + 2}'`

/** The search tables with their columns and options. */
export const SEARCH_TABLES: Readonly<Record<string, { columns: string; merging: Merging }>> = {
  [FULL_TABLE]: { columns: 'title, body, tags', merging: 'jobs' },
  [TITLE_TABLE]: { columns: `title, tags, ${SHORT_PREFIXES}`, merging: 'jobs' },
  [TAG_TABLE]: { columns: `name, ${SHORT_PREFIXES}`, merging: 'itself' },
}

/*
 * Search tables receive words as UTF-8, each after the number of its workspace. Every note passes through this code.
 * Copying bytes individually by index takes a quarter of the time of string replacement.
 */

const SPACE = 0x20

/** The bytes that separate words in FTS5: all of ASCII except letters and digits. Other bytes are parts of words. */
const IS_BETWEEN_WORDS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 && !/[0-9A-Za-z]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

const encoder = new TextEncoder()

const numberOf = (workspace: number): Uint8Array =>
  encoder.encode(workspace.toString(36).padStart(NUMBER_LENGTH, '0'))

/** Folded words (`indexedText`), each after the number of the workspace, separated by spaces. */
function wordsIn(workspace: number, words: string): Uint8Array {
  const number = numberOf(workspace)
  const text = encoder.encode(words)
  // The shortest words have one byte, plus one byte before the next word.
  const result = new Uint8Array(Math.ceil(text.length / 2) * (NUMBER_LENGTH + 2))
  let end = 0
  let isBetween = true
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number
    if (IS_BETWEEN_WORDS[byte] === 1) {
      isBetween = true
      continue
    }
    if (isBetween) {
      if (end > 0) result[end++] = SPACE
      for (let digit = 0; digit < NUMBER_LENGTH; digit++) result[end++] = number[digit] as number
      isBetween = false
    }
    result[end++] = byte
  }
  return result.slice(0, end)
}

/** A text in the format that the search tables receive. */
export const textIn = (workspace: number, text: string): Uint8Array => wordsIn(workspace, indexedText(text))

const decoder = new TextDecoder()

/** The FTS5 query for a phrase in a workspace. */
export const matchIn = (workspace: number, { terms, isPrefix }: Phrase): string =>
  `"${decoder.decode(wordsIn(workspace, terms.join(' ')))}"${isPrefix ? ' *' : ''}`

/** The term for a tag in an index; no text can contain it. Renaming a tag therefore re-indexes nothing. */
export const tagTerm = (tag: number): string => `\ue001${tag}`

/**
 * Stands between the names of a note, so that no phrase matches across two of them. No text contains it
 * (`tagTerm`).
 */
const BETWEEN_NAMES = encoder.encode(' \ue001 ')

/** The title and the aliases of a note in the format that the search tables receive. */
function namesIn(workspace: number, note: Indexable): Uint8Array {
  const title = textIn(workspace, note.title)
  if (note.alias === null && note.aliases === null) return title
  const aliases = aliasesOf(note).flatMap((alias) => [BETWEEN_NAMES, textIn(workspace, alias)])
  return Buffer.concat([title, ...aliases])
}

export interface Indexable extends Pick<NoteSummary, 'alias' | 'aliases'> {
  readonly pk: number
  readonly workspace: number
  readonly title: string
  readonly content: string
  /** The ids of the note's tags, as a JSON array. */
  readonly tags: string
}

/** A note's columns in the search tables. */
export interface NoteColumns {
  readonly title: Uint8Array
  readonly body: Uint8Array
  readonly tags: string
}

export const indexedColumns = (note: Indexable): NoteColumns => ({
  title: namesIn(note.workspace, note),
  body: textIn(note.workspace, note.content),
  tags: (JSON.parse(note.tags) as number[]).map(tagTerm).join(' '),
})

/** Writes the entries of a note in the search tables. */
export const indexNote = (reader: Reader, note: Indexable): void =>
  writeEntries(reader, note.pk, indexedColumns(note))

/** Writes entries with these columns. */
export function writeEntries({ sql }: Reader, note: number, { title, body, tags }: NoteColumns): void {
  const full = `INSERT OR REPLACE INTO ${FULL_TABLE} (rowid, title, body, tags) VALUES (?, ?, ?, ?)`
  sql.run(full, note, title, body, tags)
  sql.run(`INSERT OR REPLACE INTO ${TITLE_TABLE} (rowid, title, tags) VALUES (?, ?, ?)`, note, title, tags)
}

/** Empty if a damaged file has no body. */
const BODY = "coalesce((SELECT content FROM note_bodies b WHERE b.note = n.pk), '')"

/** The indexed texts of a note, or all but its body; undefined for a trashed note. */
export const findIndexable = ({ sql }: Reader, pk: number, hasBody = true): Indexable | undefined =>
  sql.get(
    `SELECT n.pk, n.workspace, n.title, n.alias, n.aliases, ${hasBody ? BODY : "''"} AS content,
       (SELECT json_group_array(nt.tag) FROM note_tags nt WHERE nt.note = n.pk) AS tags
     FROM notes n WHERE n.pk = ? AND n.deleted_at IS NULL`,
    pk,
  )

/** Removes the mark of a note; returns false if it had none. */
export const unmarkForSearch = ({ sql }: Reader, workspace: number, note: number): boolean =>
  sql.run('DELETE FROM search_pending WHERE workspace = ? AND note = ?', workspace, note).changes === 1

/** Removes a note from the search tables immediately. */
export function removeFromSearch(tx: Tx, workspace: number, note: number): void {
  unmarkForSearch(tx, workspace, note)
  tx.sql.run(`DELETE FROM ${FULL_TABLE} WHERE rowid = ?`, note)
  tx.sql.run(`DELETE FROM ${TITLE_TABLE} WHERE rowid = ?`, note)
}

/**
 * The same for many notes. A search table flushes its collected changes whenever the next row has a lower number, and
 * at every savepoint. Such a flush takes far longer than removing a row.
 */
export function removeAllFromSearch(tx: Tx, workspace: number, notes: readonly number[]): void {
  for (const note of notes.toSorted((one, other) => one - other)) removeFromSearch(tx, workspace, note)
}

/** Indexes the name of a tag. */
export const indexTagName = ({ sql }: Reader, workspace: number, tag: number, name: string) =>
  sql.run(`INSERT OR REPLACE INTO ${TAG_TABLE} (rowid, name) VALUES (?, ?)`, tag, textIn(workspace, name))

export const removeTagName = ({ sql }: Tx, tag: number) =>
  sql.run(`DELETE FROM ${TAG_TABLE} WHERE rowid = ?`, tag)

/*
 * Notes are indexed after the write that changes them: the write marks them, a job indexes marked notes when the server
 * is idle, and a search indexes those that it must find.
 */

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
export async function refreshSearch(server: Server, workspace: number): Promise<void> {
  const { db } = server
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
  for (const { note } of notes) if (long.has(note)) await settle(server, longNoteIndexing, note)
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
 * since it last ended. The job merges the names of tags, too: left to itself, FTS5 kept 46 parts of the tags of 1,000
 * workspaces.
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

export const searchMerging: Job<number, number> = defineLongJob(
  'notes.mergeSearch',
  (tx, _, parts) => {
    const hasMore = Object.keys(SEARCH_TABLES).map((table) => mergeSome(tx, table))
    return hasMore.includes(true) ? Math.max(1, parts - 1) : 'done'
  },
  {
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
export const longNoteIndexing = defineLongJob<number, number>(
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
  { prepare: { read: wordsOf } },
)
