import type { AppContext } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { rowTable, textIndexTable } from '../../db/row-table-names.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import { startBackgroundWork } from '../../db/writes/background-work.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { rowText } from '../../filter/record/sql.ts'
import { definitionOf, findDefinitionTexts, type StructureRow } from '../store.ts'

/*
 * The text index of a structure serves `*` searches over many rows. Like other automatic indexes it is created by
 * the policy (`index-policy.ts`). It records which rows have which runs of four characters in a value; a search
 * verifies every row it finds there, which may be too many but never too few. It is filled in the background: rows
 * with a pk above `indexed_to` and rows listed in `row_search_pending` are not up to date in it, so a
 * search verifies these as well.
 */

/** The name of the text index among the automatic indexes of a structure. */
export const TEXT_INDEX = '*'

const RUN_LENGTH = 4
/** A shorter text occurs in too many runs. */
const MIN_NEEDLE_LENGTH = 3
/** More runs than this rarely narrow a search further. */
const MAX_QUERY_RUNS = 32

/** Whether the text index can find the text. */
export const isSearchable = (needle: string): boolean => needle.length >= MIN_NEEDLE_LENGTH

/*
 * The tokenizer splits at ASCII characters that are neither letters nor digits, so these are replaced by private-use
 * characters. A text that contains such a private-use character itself only causes a row to be verified without a match.
 */
const PRIVATE_USE = 0xe000
const asToken = (text: string): string =>
  text.replace(/[^a-z0-9\u0080-\uffff]/g, (character) =>
    String.fromCharCode(PRIVATE_USE + character.charCodeAt(0)),
  )

/** The first `most` runs of a text; half of a surrogate pair counts as a character, in texts and searches alike. */
function runs(text: string, most: number): string[] {
  const token = asToken(text)
  const count = Math.min(most, token.length - RUN_LENGTH + 1)
  return Array.from({ length: Math.max(0, count) }, (_, at) => token.slice(at, at + RUN_LENGTH))
}

/** The content of the text index for a row's text (`rowText`). */
export const indexedRuns = (text: string): string => runs(text, text.length).join(' ')

/** The FTS5 query for a text: all of its runs, or for a shorter text every run that begins with it. */
const runQuery = (needle: string): string =>
  needle.length < RUN_LENGTH
    ? `"${asToken(needle)}" *`
    : [...new Set(runs(needle, MAX_QUERY_RUNS))].map((run) => `"${run}"`).join(' AND ')

/*
 * By default FTS5 occasionally merges so much at once that writes would have to wait; here every step of filling
 * merges a little.
 */
const MERGE_SETTINGS = { automerge: 0, crisismerge: 1_900, usermerge: 16 }
const MERGED_PAGES = 16

/** The arguments of `fts5(…)`. */
const TEXT_INDEX_OPTIONS = `runs, tokenize = 'ascii', detail = none, content = '', contentless_delete = 1`

/** Creates the index, empty. */
export function createTextIndex({ sql }: Reader, structurePk: number): void {
  const table = textIndexTable(structurePk)
  sql.script(`CREATE VIRTUAL TABLE ${table} USING fts5(${TEXT_INDEX_OPTIONS})`)
  for (const [name, value] of Object.entries(MERGE_SETTINGS))
    sql.script(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`)
  sql.run('UPDATE structure_stats SET indexed_to = 0 WHERE structure = ?', structurePk)
}

export function dropTextIndex({ sql }: Reader, structurePk: number): void {
  sql.script(`DROP TABLE IF EXISTS ${textIndexTable(structurePk)}`)
  sql.run('DELETE FROM row_search_pending WHERE structure = ?', structurePk)
  sql.run('UPDATE structure_stats SET indexed_to = NULL WHERE structure = ?', structurePk)
}

/** Must be called for every row that is updated, deleted or restored; an inserted row is above `indexed_to`. */
export function markForTextIndex({ sql }: Tx, { pk, indexedTo }: StructureRow, rowPk: number): void {
  if (indexedTo === null || rowPk > indexedTo) return
  sql.run('INSERT OR IGNORE INTO row_search_pending (structure, row) VALUES (?, ?)', pk, rowPk)
}

/** A structure that has a text index. */
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
const findUnindexed = ({ sql }: Reader, { pk, indexedTo }: TextIndexed, limit: number): number[] =>
  sql.column(
    `SELECT * FROM (SELECT row FROM row_search_pending WHERE structure = ? LIMIT ?)
     UNION ALL SELECT * FROM (SELECT pk FROM ${rowTable(pk)} WHERE pk > ? LIMIT ?) LIMIT ?`,
    pk,
    limit,
    indexedTo,
    limit,
    limit,
  )

/**
 * Every row that may contain all of the texts, which are folded and searchable; undefined where there are more than
 * `most`.
 */
export function findCandidates(
  reader: Reader,
  structure: TextIndexed,
  needles: readonly string[],
  most: number,
): number[] | undefined {
  const unindexed = findUnindexed(reader, structure, most + 1)
  if (unindexed.length > most) return undefined
  const table = textIndexTable(structure.pk)
  const found = reader.sql.column<number>(
    `SELECT rowid FROM ${table} WHERE ${reader.sql.stopCondition('rowid').text} AND ${table} MATCH ? LIMIT ?`,
    needles.map((needle) => `(${runQuery(needle)})`).join(' AND '),
    most + 1 - unindexed.length,
  )
  return unindexed.length + found.length > most ? undefined : [...unindexed, ...found]
}

/** A fill step stops after this long, or after `maxRows`. */
const STEP_MS = 2
const ROWS_PER_BATCH = 10
const MAX_ROWS_PER_STEP = 500
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
    const text = rowText(definitionOf(texts).fields)
    let done = 0
    let count: number
    do {
      const most = Math.min(maxRows - done, ROWS_PER_BATCH)
      count = indexPending(reader, structurePk, text, most) || indexNew(reader, structurePk, text, most)
      done += count
    } while (count > 0 && done < maxRows && performance.now() < until)
    const table = textIndexTable(structurePk)
    if (done > 0) reader.sql.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${MERGED_PAGES})`)
    return done > 0
  },
}

/** Returns how many pending rows were indexed. */
function indexPending({ sql }: Reader, structurePk: number, text: string, most: number): number {
  const table = textIndexTable(structurePk)
  const pending = sql.rows<[number, string | null]>(
    `SELECT row, (SELECT ${text} FROM ${rowTable(structurePk)} WHERE pk = row)
     FROM row_search_pending WHERE structure = ? LIMIT ?`,
    structurePk,
    most,
  )
  for (const [row, content] of pending) {
    if (content === null) sql.run(`DELETE FROM ${table} WHERE rowid = ?`, row)
    else writeEntry({ sql }, structurePk, row, content)
    sql.run('DELETE FROM row_search_pending WHERE structure = ? AND row = ?', structurePk, row)
  }
  return pending.length
}

/** Returns how many rows above `indexed_to` were indexed. */
function indexNew({ sql }: Reader, structurePk: number, text: string, most: number): number {
  const rows = sql.rows<[number, string]>(
    `SELECT pk, ${text} FROM ${rowTable(structurePk)}
     WHERE pk > (SELECT indexed_to FROM structure_stats WHERE structure = ?) ORDER BY pk LIMIT ?`,
    structurePk,
    most,
  )
  for (const [row, content] of rows) writeEntry({ sql }, structurePk, row, content)
  const last = rows.at(-1)
  if (last) sql.run('UPDATE structure_stats SET indexed_to = ? WHERE structure = ?', last[0], structurePk)
  return rows.length
}

const writeEntry = ({ sql }: Reader, structurePk: number, row: number, text: string) =>
  sql.run(
    `INSERT OR REPLACE INTO ${textIndexTable(structurePk)} (rowid, runs) VALUES (?, ?)`,
    row,
    indexedRuns(text),
  )

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
