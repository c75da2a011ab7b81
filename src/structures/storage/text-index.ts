import type { Reader } from '../../db/reader.ts'
import { rowSearchTable, rowTable } from '../../db/row-tables.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { rowText } from '../../filter/record/sql.ts'
import { definitionOf } from '../definition.ts'
import { findDefinitionTexts, type StructureRow } from '../store.ts'

/*
 * Search tables make themselves, like indexes (`auto-index.ts`), for `*` searches of many rows. One holds which
 * rows have which runs of four characters in a value; whoever searches looks at the rows it leads to, which may
 * be too many but never too few. It is filled off the path of requests: rows above `searchedTo` and those that
 * are pending are not up to date in it, and have to be looked at as well.
 */

/** What `auto_indexes` calls a search table. */
export const SEARCH_COLUMN = '*'

const RUN_LENGTH = 4
/** A shorter text is in too many runs. */
const SHORTEST_NEEDLE = 3
/** So many runs tell the rows well enough. */
const MOST_RUNS = 32

/** Whether a search table can find the text. */
export const isSearchable = (needle: string): boolean => needle.length >= SHORTEST_NEEDLE

/*
 * The tokenizer splits at ASCII characters that are neither letters nor digits: others stand in for them. Where
 * the text itself holds one of those, a row is looked at in vain.
 */
const PRIVATE_USE = 0xe000
const asToken = (text: string): string =>
  text.replace(/[^a-z0-9\u0080-\uffff]/g, (character) =>
    String.fromCharCode(PRIVATE_USE + character.charCodeAt(0)),
  )

/** The runs of a text from its start; half of a character outside the basic plane counts as one on both sides. */
function runs(text: string, most: number): string[] {
  const token = asToken(text)
  const count = Math.min(most, token.length - RUN_LENGTH + 1)
  return Array.from({ length: Math.max(0, count) }, (_, at) => token.slice(at, at + RUN_LENGTH))
}

/** What the search table holds of a row's text (`rowText`). */
export const runsOf = (text: string): string => runs(text, text.length).join(' ')

/** What the search table is asked: for every run of the text, or for those that begin with it. */
const runQuery = (needle: string): string =>
  needle.length < RUN_LENGTH
    ? `"${asToken(needle)}" *`
    : [...new Set(runs(needle, MOST_RUNS))].map((run) => `"${run}"`).join(' AND ')

/*
 * Left to itself, FTS5 now and then merges so much at once that writes would wait; here a little is merged with
 * every step.
 */
const SETTINGS = { automerge: 0, crisismerge: 1_900, usermerge: 16 }
const MERGED_PAGES = 16

/** What a search table is made of. */
export const ROW_SEARCH = `runs, tokenize = 'ascii', detail = none, content = '', contentless_delete = 1`

/** Makes the table, empty. */
export function createRowSearch({ sql }: Reader, structurePk: number): void {
  const table = rowSearchTable(structurePk)
  sql.script(`CREATE VIRTUAL TABLE ${table} USING fts5(${ROW_SEARCH})`)
  for (const [name, value] of Object.entries(SETTINGS))
    sql.script(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`)
  sql.run('UPDATE structure_rows SET searched_to = 0 WHERE structure = ?', structurePk)
}

export function dropRowSearch({ sql }: Reader, structurePk: number): void {
  sql.script(`DROP TABLE IF EXISTS ${rowSearchTable(structurePk)}`)
  sql.run('DELETE FROM row_search_pending WHERE structure = ?', structurePk)
  sql.run('UPDATE structure_rows SET searched_to = NULL WHERE structure = ?', structurePk)
}

/** To be called where a row that is in its table of live rows changes, goes or comes back; new ones need it not. */
export function markForSearch({ sql }: Tx, { pk, searchedTo }: StructureRow, row: number): void {
  if (searchedTo === null || row > searchedTo) return
  sql.run('INSERT OR IGNORE INTO row_search_pending (structure, row) VALUES (?, ?)', pk, row)
}

/** The rows that are not up to date in the search table, at most so many. */
export const findUnsearched = ({ sql }: Reader, { pk, searchedTo }: Searched, most: number): number[] =>
  sql.column(
    `SELECT * FROM (SELECT row FROM row_search_pending WHERE structure = ? LIMIT ?)
     UNION ALL SELECT * FROM (SELECT pk FROM ${rowTable(pk)} WHERE pk > ? LIMIT ?) LIMIT ?`,
    pk,
    most,
    searchedTo,
    most,
    most,
  )

/** Whether more rows than this are not up to date in the search table. */
export const isFarBehind = ({ sql }: Reader, { pk, searchedTo }: Searched, rows: number): boolean =>
  sql.get(`SELECT 1 FROM ${rowTable(pk)} WHERE pk > ? LIMIT 1 OFFSET ?`, searchedTo, rows) !== undefined ||
  sql.get('SELECT 1 FROM row_search_pending WHERE structure = ? LIMIT 1 OFFSET ?', pk, rows) !== undefined

/** Every row that may hold all the texts, which are folded and searchable; undefined where there are more than `most`. */
export function findCandidates(
  reader: Reader,
  searched: Searched,
  needles: readonly string[],
  most: number,
): number[] | undefined {
  const unsearched = findUnsearched(reader, searched, most + 1)
  if (unsearched.length > most) return undefined
  const table = rowSearchTable(searched.pk)
  const found = reader.sql.column<number>(
    `SELECT rowid FROM ${table} WHERE ${table} MATCH ? LIMIT ?`,
    needles.map((needle) => `(${runQuery(needle)})`).join(' AND '),
    most + 1 - unsearched.length,
  )
  return unsearched.length + found.length > most ? undefined : [...unsearched, ...found]
}

/** A structure that has a search table. */
export interface Searched {
  readonly pk: number
  readonly searchedTo: number
}

export const listSearched = ({ sql }: Reader): Searched[] =>
  sql.all(
    `SELECT structure AS pk, searched_to AS searchedTo FROM structure_rows WHERE searched_to IS NOT NULL
       AND (SELECT name_fold FROM structures s WHERE s.pk = structure) IS NOT NULL`,
  )

export interface Filling {
  structurePk: number
  /** At most so many rows, and no more when some milliseconds have passed. */
  mostRows: number
}

const STEP_MS = 2
const ROWS_AT_ONCE = 10

/** Brings some rows that are not up to date into the search table; answers whether there were any. */
export const rowSearchFill: WorkerTask<Filling, boolean> = {
  name: 'structures.fillSearch',
  run: (reader, { structurePk, mostRows }) => {
    const texts = findDefinitionTexts(reader, structurePk)
    const searched = listSearched(reader).find(({ pk }) => pk === structurePk)
    if (!texts || !searched) return false
    const until = performance.now() + STEP_MS
    const text = rowText(definitionOf(texts).fields)
    let done = 0
    let count: number
    do {
      const most = Math.min(mostRows - done, ROWS_AT_ONCE)
      count = fillPending(reader, structurePk, text, most) || fillNew(reader, structurePk, text, most)
      done += count
    } while (count > 0 && done < mostRows && performance.now() < until)
    const table = rowSearchTable(structurePk)
    if (done > 0) reader.sql.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${MERGED_PAGES})`)
    return done > 0
  },
}

/** Answers how many rows are pending no more. */
function fillPending({ sql }: Reader, structurePk: number, text: string, most: number): number {
  const table = rowSearchTable(structurePk)
  const pending = sql.rows<[number, string | null]>(
    `SELECT row, (SELECT ${text} FROM ${rowTable(structurePk)} WHERE pk = row)
     FROM row_search_pending WHERE structure = ? LIMIT ?`,
    structurePk,
    most,
  )
  for (const [row, held] of pending) {
    if (held === null) sql.run(`DELETE FROM ${table} WHERE rowid = ?`, row)
    else writeEntry({ sql }, structurePk, row, held)
    sql.run('DELETE FROM row_search_pending WHERE structure = ? AND row = ?', structurePk, row)
  }
  return pending.length
}

/** Answers how many rows came. */
function fillNew({ sql }: Reader, structurePk: number, text: string, most: number): number {
  const rows = sql.rows<[number, string]>(
    `SELECT pk, ${text} FROM ${rowTable(structurePk)}
     WHERE pk > (SELECT searched_to FROM structure_rows WHERE structure = ?) ORDER BY pk LIMIT ?`,
    structurePk,
    most,
  )
  for (const [row, held] of rows) writeEntry({ sql }, structurePk, row, held)
  const last = rows.at(-1)
  if (last) sql.run('UPDATE structure_rows SET searched_to = ? WHERE structure = ?', last[0], structurePk)
  return rows.length
}

const writeEntry = ({ sql }: Pick<Reader, 'sql'>, structurePk: number, row: number, text: string) =>
  sql.run(
    `INSERT OR REPLACE INTO ${rowSearchTable(structurePk)} (rowid, runs) VALUES (?, ?)`,
    row,
    runsOf(text),
  )
