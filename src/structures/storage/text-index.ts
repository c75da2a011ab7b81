import type { AppContext } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { rowTable, textIndexTable, vocabularyTable, wordPartTable } from '../../db/row-table-names.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import { startBackgroundWork } from '../../db/writes/background-work.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { rowText } from '../../filter/record/sql.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { definitionOf, findDefinitionTexts, type StructureRow } from '../store.ts'

/*
 * The text index of a structure serves `*` searches over many rows. Like other automatic indexes it is created by
 * the policy (`index-policy.ts`). It consists of three tables: which rows have which words, the
 * vocabulary of all words, and which of these have which runs of four characters. A search finds the words that contain
 * its text, then the rows that have one of them: exactly the rows that contain a text within one word, and for other
 * texts rows that may, which are verified.
 *
 * It is filled in the background: rows with a pk above `indexed_to` and rows listed in `row_search_pending` are not up to
 * date in it, so a search verifies these as well. Words stay in the vocabulary when their last row goes.
 */

/** The name of the text index among the automatic indexes of a structure. */
export const TEXT_INDEX = '*'

/*
 * By default FTS5 occasionally merges so much at once that writes would have to wait; here every step of filling
 * merges a little.
 */
const MERGE_SETTINGS = { automerge: 0, crisismerge: 1_900, usermerge: 16 }
const MERGED_PAGES = 16

const OPTIONS = `words, tokenize = 'ascii', detail = none, content = '', contentless_delete = 1`

function createSearchTable({ sql }: Reader, table: string): void {
  sql.script(`CREATE VIRTUAL TABLE ${table} USING fts5(${OPTIONS})`)
  for (const [name, value] of Object.entries(MERGE_SETTINGS))
    sql.script(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`)
}

export function createTextIndex(reader: Reader, structurePk: number): void {
  createSearchTable(reader, textIndexTable(structurePk))
  createSearchTable(reader, wordPartTable(structurePk))
  reader.sql.script(
    `CREATE TABLE ${vocabularyTable(structurePk)} (pk INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE)`,
  )
  reader.sql.run('UPDATE structure_stats SET indexed_to = 0 WHERE structure = ?', structurePk)
}

export function dropTextIndex({ sql }: Reader, structurePk: number): void {
  for (const table of [textIndexTable, wordPartTable, vocabularyTable])
    sql.script(`DROP TABLE IF EXISTS ${table(structurePk)}`)
  sql.run('DELETE FROM row_search_pending WHERE structure = ?', structurePk)
  sql.run('UPDATE structure_stats SET indexed_to = NULL WHERE structure = ?', structurePk)
}

/**
 * Must be called for every row that is written. A new one is above `indexed_to`, unless it has the pk of a row that a
 * mirror removed.
 */
export function markForTextIndex({ sql }: Tx, { pk, indexedTo }: StructureRow, rowPk: number): void {
  if (indexedTo === null || rowPk > indexedTo) return
  sql.run('INSERT OR IGNORE INTO row_search_pending (structure, row) VALUES (?, ?)', pk, rowPk)
}

export interface TextIndexed {
  readonly pk: number
  /** The highest pk in the index. */
  readonly indexedTo: number
}

export const listTextIndexed = ({ sql }: Reader): TextIndexed[] =>
  sql.all(
    `SELECT structure AS pk, indexed_to AS indexedTo FROM structure_stats WHERE indexed_to IS NOT NULL
       AND (SELECT name_fold FROM structures s WHERE s.pk = structure) IS NOT NULL`,
  )

/** Up to `limit` rows that are not up to date in the index. */
export const findUnindexed = ({ sql }: Reader, { pk, indexedTo }: TextIndexed, limit: number): number[] =>
  sql.column(
    `SELECT * FROM (SELECT row FROM row_search_pending WHERE structure = ? LIMIT ?)
     UNION ALL SELECT * FROM (SELECT pk FROM ${rowTable(pk)} WHERE pk > ? LIMIT ?) LIMIT ?`,
    pk,
    limit,
    indexedTo,
    limit,
    limit,
  )

/** A fill step stops after this long, or after `maxRows`. */
const STEP_MS = 10
const ROWS_PER_BATCH = 10
const MAX_ROWS_PER_STEP = 1_000
/** With this many rows not up to date, a search through the index takes some 30 ms longer. */
const MANY_UNINDEXED = 30_000

/** One step of bringing the text index up to date; returns whether any row was not. */
export const textIndexFill: WorkerTask<{ structurePk: number; maxRows: number }, boolean> = {
  name: 'structures.fillTextIndex',
  isBackground: true,
  run: (reader, { structurePk, maxRows }) => {
    const texts = findDefinitionTexts(reader, structurePk)
    if (!texts || !listTextIndexed(reader).some(({ pk }) => pk === structurePk)) return false
    const until = performance.now() + STEP_MS
    const filling = {
      structurePk,
      text: rowText(definitionOf(texts).fields),
      known: knownWords(reader, structurePk),
      words: new Set<string>(),
    }
    let done = 0
    let count: number
    do {
      const most = Math.min(maxRows - done, ROWS_PER_BATCH)
      count = indexPending(reader, filling, most) || indexNew(reader, filling, most)
      done += count
    } while (count > 0 && done < maxRows && performance.now() < until)
    addWords(reader, filling)
    if (done > 0) mergeSome(reader, textIndexTable(structurePk))
    return done > 0
  },
}

interface Filling {
  readonly structurePk: number
  readonly text: string
  readonly known: Set<string>
  /** The other words of the rows that it has indexed. */
  readonly words: Set<string>
}

const MAX_KNOWN_WORDS = 20_000
const newKnownWords = () => new BoundedCache<string, Set<string>>(10)

/** Words that were in the vocabulary before this step, so that they need not be looked up again. */
function knownWords({ sql }: Reader, structurePk: number): Set<string> {
  const createdAt = sql.scalar<number>(
    'SELECT max(created_at) FROM auto_indexes WHERE structure = ? AND "column" = ?',
    structurePk,
    TEXT_INDEX,
  )
  const known = sql.state.of(newKnownWords)
  const key = `${structurePk} ${createdAt}`
  const words = known.get(key) ?? new Set()
  if (words.size > MAX_KNOWN_WORDS) words.clear()
  known.set(key, words)
  return words
}

/** Returns how many pending rows were indexed. */
function indexPending(reader: Reader, filling: Filling, most: number): number {
  const { sql } = reader
  const { structurePk, text } = filling
  const pending = sql.rows<[number, string | null]>(
    `SELECT row, (SELECT ${text} FROM ${rowTable(structurePk)} WHERE pk = row)
     FROM row_search_pending WHERE structure = ? LIMIT ?`,
    structurePk,
    most,
  )
  for (const [row, content] of pending) {
    if (content === null) sql.run(`DELETE FROM ${textIndexTable(structurePk)} WHERE rowid = ?`, row)
    else writeEntry(reader, filling, row, content)
    sql.run('DELETE FROM row_search_pending WHERE structure = ? AND row = ?', structurePk, row)
  }
  return pending.length
}

/** Returns how many rows above `indexed_to` were indexed. */
function indexNew(reader: Reader, filling: Filling, most: number): number {
  const { sql } = reader
  const { structurePk, text } = filling
  const rows = sql.rows<[number, string]>(
    `SELECT pk, ${text} FROM ${rowTable(structurePk)}
     WHERE pk > (SELECT indexed_to FROM structure_stats WHERE structure = ?) ORDER BY pk LIMIT ?`,
    structurePk,
    most,
  )
  for (const [row, content] of rows) writeEntry(reader, filling, row, content)
  const last = rows.at(-1)
  if (last) sql.run('UPDATE structure_stats SET indexed_to = ? WHERE structure = ?', last[0], structurePk)
  return rows.length
}

function writeEntry({ sql }: Reader, filling: Filling, row: number, content: string): void {
  const { words, text } = wordsOf(content)
  for (const word of words) if (!filling.known.has(word)) filling.words.add(word)
  sql.run(
    `INSERT OR REPLACE INTO ${textIndexTable(filling.structurePk)} (rowid, words) VALUES (?, ?)`,
    row,
    text,
  )
}

/** Adds the words to the vocabulary that are not in it yet. */
function addWords({ sql }: Reader, { structurePk, known, words }: Filling): void {
  const table = vocabularyTable(structurePk)
  const last = sql.scalar<number>(`SELECT coalesce(max(pk), 0) FROM ${table}`)
  // In order, because then most are inserted beside the one before.
  sql.run(
    `INSERT OR IGNORE INTO ${table} (word) SELECT value FROM json_each(?)`,
    JSON.stringify([...words].sort()),
  )
  const parts = wordPartTable(structurePk)
  for (const [pk, word] of sql.rows<[number, string]>(`SELECT pk, word FROM ${table} WHERE pk > ?`, last)) {
    sql.run(`INSERT INTO ${parts} (rowid, words) VALUES (?, ?)`, pk, runsOf(word))
    words.delete(word)
  }
  // The new ones are not known until this step is committed.
  for (const word of words) known.add(word)
  mergeSome({ sql }, parts)
}

const mergeSome = ({ sql }: Reader, table: string) =>
  sql.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${MERGED_PAGES})`)

const findOutdated = (reader: Reader): TextIndexed | undefined =>
  listTextIndexed(reader).find((structure) => findUnindexed(reader, structure, 1).length > 0)

/** Fills text indexes in the background, in the worker thread; returns the function that stops it. */
export const startTextIndexing = (ctx: AppContext): (() => void) =>
  startBackgroundWork(ctx, {
    name: 'indexing of rows',
    isUrgent: () => listTextIndexed(ctx.db).some((structure) => hasManyUnindexed(ctx.db, structure)),
    runStep: async () => {
      const outdated = findOutdated(ctx.db)
      if (!outdated) return false
      return ctx.worker.write(textIndexFill, { structurePk: outdated.pk, maxRows: MAX_ROWS_PER_STEP })
    },
  })

const hasManyUnindexed = ({ sql }: Reader, { pk, indexedTo }: TextIndexed): boolean =>
  sql.get(`SELECT 1 FROM ${rowTable(pk)} WHERE pk > ? LIMIT 1 OFFSET ?`, indexedTo, MANY_UNINDEXED) !==
    undefined ||
  sql.get('SELECT 1 FROM row_search_pending WHERE structure = ? LIMIT 1 OFFSET ?', pk, MANY_UNINDEXED) !==
    undefined

/*
 * The words of texts as the text index holds them: what stands between ASCII characters that are neither
 * letters nor digits. Texts are folded. In a script without spaces a word may be a whole sentence: a long word is held as
 * pieces that overlap, so that each of its parts of up to `MAX_PART` characters lies in one of them.
 */

const WORD = /[a-z0-9\u0080-\uffff]+/g

const PIECE_LENGTH = 32
const PIECE_STEP = 16
/** Of a longer text it is not known whether a row contains it, only whether a row contains its beginning. */
const MAX_PART = PIECE_LENGTH - PIECE_STEP + 1
/** A shorter text occurs in too many words. */
const MIN_PART = 3

export const NO_WORD = 'x'.repeat(PIECE_LENGTH + 1)

const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

/** The piece without halves of characters at its ends: no text that is searched begins or ends within a character. */
function piece(word: string, from: number, to: number): string {
  const start = isLow(word.charCodeAt(from)) ? from + 1 : from
  return word.slice(start, isLow(word.charCodeAt(to)) ? to - 1 : to)
}

function piecesOf(word: string): string[] {
  const pieces: string[] = []
  for (let from = 0; ; from += PIECE_STEP) {
    pieces.push(piece(word, from, Math.min(from + PIECE_LENGTH, word.length)))
    if (from + PIECE_LENGTH >= word.length) return pieces
  }
}

/** The words of a text, long ones in pieces. */
export interface Words {
  readonly words: readonly string[]
  /** A text that FTS5 splits into these. */
  readonly text: string
}

export function wordsOf(text: string): Words {
  const words = text.match(WORD) ?? []
  if (words.every(({ length }) => length <= PIECE_LENGTH)) return { words, text }
  const pieces = words.flatMap((word) => (word.length <= PIECE_LENGTH ? word : piecesOf(word)))
  return { words: pieces, text: pieces.join(' ') }
}

/** What the words of a row must have that contains the text. */
export interface Needle {
  /** These are among them. */
  readonly words: readonly string[]
  /** Each of these is a part of one of them. */
  readonly parts: readonly string[]
  /** Whether a row with such words surely contains the text. */
  readonly isExact: boolean
}

/** Undefined for a text that the text index cannot find. */
export function needleOf(text: string): Needle | undefined {
  const words: string[] = []
  const parts: string[] = []
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const isWhole = index > 0 && index + word.length < text.length
    if (isWhole && word.length <= PIECE_LENGTH) words.push(word)
    else if (word.length >= MIN_PART) parts.push(piece(word, 0, Math.min(word.length, MAX_PART)))
  }
  if (words.length === 0 && parts.length === 0) return undefined
  return { words, parts, isExact: parts[0] === text }
}

const RUN_LENGTH = 4
/** Follows a word, so that its last three characters begin a run. */
const END = '\ue000'

const runs = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - RUN_LENGTH + 1) }, (_, at) =>
    text.slice(at, at + RUN_LENGTH),
  )

/** The runs of four characters of a word, by which it is found. */
export const runsOf = (word: string): string => runs(word + END).join(' ')

/** The FTS5 query for the words that may contain the part: all of its runs, or those that begin with it. */
export const runQuery = (part: string): string =>
  part.length < RUN_LENGTH ? `"${part}" *` : [...new Set(runs(part))].map((run) => `"${run}"`).join(' AND ')
