import type { AppContext } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { rowTable, textIndexTable } from '../../db/row-table-names.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import { startBackgroundWork } from '../../db/writes/background-work.ts'
import { firstWithin } from '../../db/writes/chunks.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { rowText } from '../../filter/record/sql.ts'
import { definitionOf, findDefinitionTexts, type StructureRow } from '../store.ts'

/*
 * The text index of a structure serves `*` searches over many rows. Like other automatic indexes it is created by the
 * policy (`index-policy.ts`). It says which rows have which runs of three characters: every row that contains a text has
 * all runs of it, and rows that have them are verified.
 *
 * It is filled in the background: rows with a pk above `indexed_to` and rows listed in `row_search_pending` are not up to
 * date in it, so a search verifies these as well.
 */

/** The name of the text index among the automatic indexes of a structure. */
export const TEXT_INDEX = '*'

/*
 * By default FTS5 occasionally merges so much at once that writes would have to wait; here every step of filling
 * merges a little, which keeps pace with what the step adds.
 */
const MERGE_SETTINGS = { automerge: 0, crisismerge: 1_900, usermerge: 16 }
const MERGED_PAGES = 64

/** Texts are folded before they are indexed. */
const OPTIONS = `words, tokenize = 'trigram case_sensitive 1', detail = none, content = '', contentless_delete = 1`

export function createTextIndex({ sql }: Reader, structurePk: number): void {
  const table = textIndexTable(structurePk)
  sql.script(`CREATE VIRTUAL TABLE ${table} USING fts5(${OPTIONS})`)
  for (const [name, value] of Object.entries(MERGE_SETTINGS))
    sql.script(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`)
  sql.run('UPDATE structure_stats SET indexed_to = 0 WHERE structure = ?', structurePk)
}

export function dropTextIndex({ sql }: Reader, structurePk: number): void {
  sql.script(`DROP TABLE IF EXISTS ${textIndexTable(structurePk)}`)
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

const MAX_ROWS_PER_STEP = 1_000
/** In characters of all rows together, except for one row that is longer alone: some 15 ms of work. */
const MAX_LENGTH_PER_STEP = 131_072
/** With this many rows not up to date, a search through the index takes some 30 ms longer. */
const MANY_UNINDEXED = 30_000

/** One step of bringing the text index up to date; returns whether any row was not. */
export const textIndexFill: WorkerTask<{ structurePk: number; maxRows: number }, boolean> = {
  name: 'structures.fillTextIndex',
  isBackground: true,
  run: (reader, { structurePk, maxRows }) => {
    const texts = findDefinitionTexts(reader, structurePk)
    if (!texts || !listTextIndexed(reader).some(({ pk }) => pk === structurePk)) return false
    const text = rowText(definitionOf(texts).fields)
    const isDone =
      indexPending(reader, structurePk, text, maxRows) || indexNew(reader, structurePk, text, maxRows)
    if (isDone) mergeSome(reader, textIndexTable(structurePk))
    return isDone
  },
}

type Sized = [pk: number, length: number]

const withinStep = (rows: readonly Sized[]): number[] =>
  firstWithin(rows, MAX_LENGTH_PER_STEP, ([, length]) => length).map(([pk]) => pk)

/** Indexes some pending rows; returns false where there are none. A row that is gone has no length. */
function indexPending({ sql }: Reader, structurePk: number, text: string, most: number): boolean {
  const lengthOf = `(SELECT length(${text}) FROM ${rowTable(structurePk)} WHERE pk = row)`
  const pending = withinStep(
    sql.rows<Sized>(
      `SELECT row, coalesce(${lengthOf}, 0) FROM row_search_pending WHERE structure = ? LIMIT ?`,
      structurePk,
      most,
    ),
  )
  if (pending.length === 0) return false
  const table = textIndexTable(structurePk)
  const isAmong = 'IN (SELECT value FROM json_each(?))'
  const pks = JSON.stringify(pending)
  sql.run(`DELETE FROM ${table} WHERE rowid ${isAmong}`, pks)
  sql.run(
    `INSERT INTO ${table} (rowid, words) SELECT pk, ${text} FROM ${rowTable(structurePk)} WHERE pk ${isAmong}`,
    pks,
  )
  sql.run(`DELETE FROM row_search_pending WHERE structure = ? AND row ${isAmong}`, structurePk, pks)
  return true
}

/** Indexes some rows above `indexed_to`; returns false where there are none. */
function indexNew({ sql }: Reader, structurePk: number, text: string, most: number): boolean {
  const from = sql.scalar<number>('SELECT indexed_to FROM structure_stats WHERE structure = ?', structurePk)
  const rows = rowTable(structurePk)
  const last = withinStep(
    sql.rows<Sized>(`SELECT pk, length(${text}) FROM ${rows} WHERE pk > ? ORDER BY pk LIMIT ?`, from, most),
  ).at(-1)
  if (last === undefined) return false
  sql.run(
    `INSERT INTO ${textIndexTable(structurePk)} (rowid, words) SELECT pk, ${text} FROM ${rows} WHERE pk > ? AND pk <= ?`,
    from,
    last,
  )
  sql.run('UPDATE structure_stats SET indexed_to = ? WHERE structure = ?', last, structurePk)
  return true
}

const mergeSome = ({ sql }: Reader, table: string) =>
  sql.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${MERGED_PAGES})`)

const findOutdated = (reader: Reader): TextIndexed | undefined =>
  listTextIndexed(reader).find((structure) => findUnindexed(reader, structure, 1).length > 0)

const newStarted = () => new Set<number>()

/** The structures whose text indexes this process has created and not filled yet. */
const startedIndexes = ({ worker }: Pick<AppContext, 'worker'>) => worker.state.of(newStarted)

/** Logs that the structure's text index exists, and once it is filled, that it is built. */
export function noteTextIndex(ctx: AppContext, structure: number): void {
  startedIndexes(ctx).add(structure)
  ctx.log.info('text index begun: it is filled in the background', { structure })
}

function logFilled(ctx: AppContext): void {
  const started = startedIndexes(ctx)
  for (const structure of started) ctx.log.info('index built', { structure, column: TEXT_INDEX })
  started.clear()
}

/** Fills text indexes in the background, in the worker thread; returns the function that stops it. */
export const startTextIndexing = (ctx: AppContext): (() => void) =>
  startBackgroundWork(ctx, {
    name: 'indexing of rows',
    isUrgent: () => listTextIndexed(ctx.db).some((structure) => hasManyUnindexed(ctx.db, structure)),
    runStep: async () => {
      const outdated = findOutdated(ctx.db)
      if (!outdated) {
        logFilled(ctx)
        return false
      }
      return ctx.worker.write(textIndexFill, { structurePk: outdated.pk, maxRows: MAX_ROWS_PER_STEP })
    },
  })

const hasManyUnindexed = ({ sql }: Reader, { pk, indexedTo }: TextIndexed): boolean =>
  sql.get(`SELECT 1 FROM ${rowTable(pk)} WHERE pk > ? LIMIT 1 OFFSET ?`, indexedTo, MANY_UNINDEXED) !==
    undefined ||
  sql.get('SELECT 1 FROM row_search_pending WHERE structure = ? LIMIT 1 OFFSET ?', pk, MANY_UNINDEXED) !==
    undefined
