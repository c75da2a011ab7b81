import { rowText } from '../../../filter/record/sql.ts'
import { defineLongJob, enqueueOnce, storeJob } from '../../../kernel/jobs.ts'
import { firstWithin } from '../../../lib/first-within.ts'
import { beginMergingAll, mergeSome } from '../../../search/tables.ts'
import type { Reader } from '../../../storage/reader.ts'
import { rowTable, textIndexTable } from '../../../storage/row-table-names.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { definitionOf, findDefinitionTexts, type StructureRow } from '../store.ts'

/*
 * The text index of a structure serves `*` searches over many rows. The policy (`auto-index.ts`) creates it like
 * other automatic indexes. It maps runs of three characters to rows. Every row that contains a text has all runs of
 * that text, so rows with all runs are candidates and are verified.
 *
 * Jobs fill it. Rows with a pk above `indexed_to` and rows in `row_search_pending` are not up to date in it, so a
 * search verifies these as well.
 */

/** The name of the text index among the automatic indexes of a structure. */
export const TEXT_INDEX = '*'

/*
 * By default, FTS5 occasionally merges so much at once that writes would have to wait. Here, separate steps merge it
 * once all rows are indexed, and also during large fills. Searches then never read too many parts.
 */
const MERGE_SETTINGS = { automerge: 0, crisismerge: 1_900, usermerge: 16 }
/** A step that indexes fewer characters does not merge, because merging would take longer than indexing. */
const MANY_CHARACTERS = 32_768

/** Texts are folded before they are indexed. */
const OPTIONS = `words, tokenize = 'trigram case_sensitive 1', detail = none, content = '', contentless_delete = 1`

/** Creates an empty text index, and the job that fills it. */
export function createTextIndex(reader: Reader, structurePk: number): void {
  const { sql } = reader
  const table = textIndexTable(structurePk)
  sql.script(`CREATE VIRTUAL TABLE ${table} USING fts5(${OPTIONS})`)
  for (const [name, value] of Object.entries(MERGE_SETTINGS))
    sql.script(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`)
  sql.run('UPDATE structure_stats SET indexed_to = 0 WHERE structure = ?', structurePk)
  storeJob(reader, textIndexFill, structurePk, null)
}

export function dropTextIndex({ sql }: Reader, structurePk: number): void {
  sql.script(`DROP TABLE IF EXISTS ${textIndexTable(structurePk)}`)
  sql.run('DELETE FROM row_search_pending WHERE structure = ?', structurePk)
  sql.run('UPDATE structure_stats SET indexed_to = NULL WHERE structure = ?', structurePk)
}

/**
 * Number of outdated rows before a job indexes them; a search verifies as many in 0.3 ms. Indexing every row separately
 * would cost ten times as much as writing it. Each one adds a part to the index, and parts are merged by their number.
 */
const ROWS_PER_UPDATE = 64

/** Rows written since the last job of each structure was enqueued; the first row of a process enqueues one. */
const newCounts = () => new Map<number, number>()

/**
 * Must be called for every written row. A new row is above `indexed_to`, unless it reuses the pk of a row that a mirror
 * removed.
 */
export function markForTextIndex(tx: Tx, { pk, indexedTo }: StructureRow, rowPk: number): void {
  if (indexedTo === null) return
  const counts = tx.sql.state.of(newCounts)
  const count = counts.get(pk) ?? ROWS_PER_UPDATE - 1
  counts.set(pk, (count + 1) % ROWS_PER_UPDATE)
  if (count + 1 === ROWS_PER_UPDATE) enqueueOnce(tx, textIndexUpdate, pk, null)
  if (rowPk <= indexedTo)
    tx.sql.run('INSERT OR IGNORE INTO row_search_pending (structure, row) VALUES (?, ?)', pk, rowPk)
}

export interface TextIndexed {
  readonly pk: number
  /** The highest pk in the index. */
  readonly indexedTo: number
}

export const listTextIndexed = ({ sql }: Reader): TextIndexed[] =>
  sql.all('SELECT structure AS pk, indexed_to AS indexedTo FROM structure_stats WHERE indexed_to IS NOT NULL')

const isTextIndexed = ({ sql }: Reader, structurePk: number): boolean =>
  sql.get('SELECT 1 FROM structure_stats WHERE structure = ? AND indexed_to IS NOT NULL', structurePk) !==
  undefined

/** Up to `limit` rows that are outdated in the index. */
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

const ROWS_AT_ONCE = 1_000
/** Total of the rows indexed at once in characters, about 15 ms of work. A longer single row is indexed alone. */
const LENGTH_AT_ONCE = 131_072
/** With this many outdated rows, a search through the index takes about 30 ms longer. */
const MANY_UNINDEXED = 30_000

/** Brings up to `maxRows` rows up to date in the text index, or merges it; returns whether there was any work. */
export function fillTextIndex(reader: Reader, structurePk: number, maxRows: number): boolean {
  const texts = findDefinitionTexts(reader, structurePk)
  if (!texts || !isTextIndexed(reader, structurePk)) return false
  const part = { structurePk, text: rowText(definitionOf(texts).fields), most: maxRows }
  const length = indexPending(reader, part) ?? indexNew(reader, part)
  const isMerged =
    (length === undefined || length >= MANY_CHARACTERS) && mergeSome(reader, textIndexTable(structurePk))
  return length !== undefined || isMerged
}

/** Brings the text index of a structure up to date, then merges it. */
export const textIndexUpdate = defineLongJob<number, null>(
  'structure.text',
  (tx, structurePk) => (fillTextIndex(tx, structurePk, ROWS_AT_ONCE) ? null : 'done'),
  {
    whenIdle: {
      isUrgent: (reader) => listTextIndexed(reader).some((structure) => hasManyUnindexed(reader, structure)),
    },
  },
)

/**
 * Fills a new text index, also beside other writes, because searches until then verify all other rows. Then merges all
 * of it: a search looks up each of its runs in every segment.
 */
export const textIndexFill = defineLongJob<number, 'merging' | null>(
  'structure.newText',
  (tx, structurePk, state) => {
    const table = textIndexTable(structurePk)
    if (state === null) {
      if (fillTextIndex(tx, structurePk, ROWS_AT_ONCE)) return null
      return isTextIndexed(tx, structurePk) && beginMergingAll(tx, table) ? 'merging' : 'done'
    }
    return isTextIndexed(tx, structurePk) && mergeSome(tx, table) ? 'merging' : 'done'
  },
  {
    onDone: (log, structure) => log.info('index built', { structure, column: TEXT_INDEX }),
  },
)

interface Part {
  readonly structurePk: number
  /** The SQL expression for the text of a row. */
  readonly text: string
  /** Maximum number of rows. */
  readonly most: number
}

interface Sized {
  readonly pk: number
  readonly length: number
}

/** The rows that fit in a part; the others are not read. */
function withinPart(rows: Iterable<Sized>): { readonly pks: readonly number[]; readonly length: number } {
  const chosen = firstWithin(rows, LENGTH_AT_ONCE, ({ length }) => length)
  return { pks: chosen.map(({ pk }) => pk), length: chosen.reduce((sum, { length }) => sum + length, 0) }
}

/** Indexes some pending rows and returns the length of their texts; undefined if none are pending. */
function indexPending({ sql }: Reader, { structurePk, text, most }: Part): number | undefined {
  // A deleted row has no length.
  const lengthOf = `(SELECT length(${text}) FROM ${rowTable(structurePk)} WHERE pk = row)`
  const pending = withinPart(
    sql.each<Sized>(
      `SELECT row AS pk, coalesce(${lengthOf}, 0) AS length FROM row_search_pending WHERE structure = ? LIMIT ?`,
      structurePk,
      most,
    ),
  )
  if (pending.pks.length === 0) return undefined
  const table = textIndexTable(structurePk)
  const isAmong = 'IN (SELECT value FROM json_each(?))'
  const pks = JSON.stringify(pending.pks)
  sql.run(`DELETE FROM ${table} WHERE rowid ${isAmong}`, pks)
  sql.run(
    `INSERT INTO ${table} (rowid, words) SELECT pk, ${text} FROM ${rowTable(structurePk)} WHERE pk ${isAmong}`,
    pks,
  )
  sql.run(`DELETE FROM row_search_pending WHERE structure = ? AND row ${isAmong}`, structurePk, pks)
  return pending.length
}

/** Indexes some rows above `indexed_to` and returns the length of their texts; undefined if there are none. */
function indexNew({ sql }: Reader, { structurePk, text, most }: Part): number | undefined {
  const from = sql.scalar<number>('SELECT indexed_to FROM structure_stats WHERE structure = ?', structurePk)
  const rows = rowTable(structurePk)
  const { pks, length } = withinPart(
    sql.each<Sized>(
      `SELECT pk, length(${text}) AS length FROM ${rows} WHERE pk > ? ORDER BY pk LIMIT ?`,
      from,
      most,
    ),
  )
  const last = pks.at(-1)
  if (last === undefined) return undefined
  sql.run(
    `INSERT INTO ${textIndexTable(structurePk)} (rowid, words) SELECT pk, ${text} FROM ${rows} WHERE pk > ? AND pk <= ?`,
    from,
    last,
  )
  sql.run('UPDATE structure_stats SET indexed_to = ? WHERE structure = ?', last, structurePk)
  return length
}

const hasManyUnindexed = ({ sql }: Reader, { pk, indexedTo }: TextIndexed): boolean =>
  sql.get(`SELECT 1 FROM ${rowTable(pk)} WHERE pk > ? LIMIT 1 OFFSET ?`, indexedTo, MANY_UNINDEXED) !==
    undefined ||
  sql.get('SELECT 1 FROM row_search_pending WHERE structure = ? LIMIT 1 OFFSET ?', pk, MANY_UNINDEXED) !==
    undefined
