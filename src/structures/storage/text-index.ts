import type { AppContext } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { rowTable, textIndexTable } from '../../db/row-table-names.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import { startBackgroundWork } from '../../db/writes/background-work.ts'
import { firstWithin } from '../../db/writes/chunks.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { rowText } from '../../filter/record/sql.ts'
import { mergeSome } from '../../search/tables.ts'
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
 * By default FTS5 occasionally merges so much at once that writes would have to wait. Here it is merged in steps of their
 * own once all rows are indexed, and while many are, so that searches do not have to look into too many parts.
 */
const MERGE_SETTINGS = { automerge: 0, crisismerge: 1_900, usermerge: 16 }
/** A step that indexes fewer characters does not merge, which would take longer than indexing them. */
const MANY_CHARACTERS = 32_768

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
  sql.all('SELECT structure AS pk, indexed_to AS indexedTo FROM structure_stats WHERE indexed_to IS NOT NULL')

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

/** One step of bringing the text index up to date, or of merging it; returns whether there was anything to do. */
export const textIndexFill: WorkerTask<{ structurePk: number; maxRows: number }, boolean> = {
  name: 'structures.fillTextIndex',
  isBackground: true,
  run: (reader, { structurePk, maxRows }) => {
    const texts = findDefinitionTexts(reader, structurePk)
    if (!texts || !listTextIndexed(reader).some(({ pk }) => pk === structurePk)) return false
    const text = rowText(definitionOf(texts).fields)
    const step = { structurePk, text, most: maxRows }
    const length = indexPending(reader, step) ?? indexNew(reader, step)
    const isMerged =
      (length === undefined || length >= MANY_CHARACTERS) && mergeSome(reader, textIndexTable(structurePk))
    return length !== undefined || isMerged
  },
}

interface Step {
  readonly structurePk: number
  /** The SQL expression of the text of a row. */
  readonly text: string
  /** The most rows. */
  readonly most: number
}

interface Sized {
  readonly pk: number
  readonly length: number
}

/** The rows of a step; the others are not read. */
function withinStep(rows: Iterable<Sized>): { readonly pks: readonly number[]; readonly length: number } {
  const chosen = firstWithin(rows, MAX_LENGTH_PER_STEP, ({ length }) => length)
  return { pks: chosen.map(({ pk }) => pk), length: chosen.reduce((sum, { length }) => sum + length, 0) }
}

/** Indexes some pending rows and returns the length of their texts; undefined where there are none. */
function indexPending({ sql }: Reader, { structurePk, text, most }: Step): number | undefined {
  // A row that is gone has no length.
  const lengthOf = `(SELECT length(${text}) FROM ${rowTable(structurePk)} WHERE pk = row)`
  const pending = withinStep(
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

/** Indexes some rows above `indexed_to` and returns the length of their texts; undefined where there are none. */
function indexNew({ sql }: Reader, { structurePk, text, most }: Step): number | undefined {
  const from = sql.scalar<number>('SELECT indexed_to FROM structure_stats WHERE structure = ?', structurePk)
  const rows = rowTable(structurePk)
  const { pks, length } = withinStep(
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

const findOutdated = (reader: Reader): TextIndexed | undefined =>
  listTextIndexed(reader).find((structure) => findUnindexed(reader, structure, 1).length > 0)

const newUnmerged = () => new Set<number>()

/** The structures whose text indexes this process has changed since they were last merged. */
const unmergedIndexes = ({ worker }: Pick<AppContext, 'worker'>) => worker.state.of(newUnmerged)

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
      const unmerged = unmergedIndexes(ctx)
      const outdated = findOutdated(ctx.db)?.pk
      if (outdated !== undefined) unmerged.add(outdated)
      const structurePk = outdated ?? unmerged.values().next().value
      if (structurePk === undefined) {
        logFilled(ctx)
        return false
      }
      const input = { structurePk, maxRows: MAX_ROWS_PER_STEP }
      if (!(await ctx.worker.write(textIndexFill, input))) unmerged.delete(structurePk)
      return true
    },
  })

const hasManyUnindexed = ({ sql }: Reader, { pk, indexedTo }: TextIndexed): boolean =>
  sql.get(`SELECT 1 FROM ${rowTable(pk)} WHERE pk > ? LIMIT 1 OFFSET ?`, indexedTo, MANY_UNINDEXED) !==
    undefined ||
  sql.get('SELECT 1 FROM row_search_pending WHERE structure = ? LIMIT 1 OFFSET ?', pk, MANY_UNINDEXED) !==
    undefined
