import type { AppContext } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { companionColumn, foldedText, rowTable, valueColumn } from '../../db/row-table-names.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import type { FieldType, TypedField } from '../../filter/record/operators.ts'
import { type Definition, definitionOf, findDefinitionTexts } from '../store.ts'
import {
  buildAtOnce,
  dropIndexTable,
  type FillState,
  type FillStep,
  fillInSteps,
  fillSome,
  finishFilling,
  type IndexColumn,
  type IndexTable,
  PK,
  sortRows,
  startFilling,
} from './index-table.ts'
import { createTextIndex, dropTextIndex, TEXT_INDEX } from './text-index.ts'

/*
 * Automatic indexes, built where reads have cost more than building one (`index-policy.ts`), on one column or on two.
 * An index table (`index-table.ts`) holds the values, then the pk, so that rows of equal values stay in order. A text
 * is indexed in its folded form, as it is sorted; beside it is the text as written, where that differs, so that
 * equality is decided without reading the row.
 */

/** What can be indexed: a field, or a time of the row. */
export type IndexTarget = TypedField | 'created_at' | 'updated_at'

/** The column of the row table whose values are indexed. */
export const indexedColumn = (target: IndexTarget): string =>
  typeof target === 'string' ? target : valueColumn(target.column)

/** Whether values of the type are sorted ignoring case. */
export const isFolded = (type: FieldType): boolean => type === 'text' || type === 'select'

/** The SQL expression that orders a list sorted by the target. */
export function sortExpression(target: IndexTarget): string {
  if (typeof target === 'string') return target
  return isFolded(target.type) ? foldedText(target.column) : valueColumn(target.column)
}

/** The name of an index on the targets in `auto_indexes`. */
export const indexName = (targets: readonly IndexTarget[]): string => targets.map(indexedColumn).join(',')

/** The targets of an index by its name; undefined where the definition does not have them. */
export function indexTargets(
  { fields }: Pick<Definition, 'fields'>,
  name: string,
): IndexTarget[] | undefined {
  const targets = name
    .split(',')
    .map((column) =>
      column === 'created_at' || column === 'updated_at'
        ? column
        : fields.find((field) => indexedColumn(field) === column),
    )
  return targets.every((target) => target !== undefined) ? (targets as IndexTarget[]) : undefined
}

/** In place of a value that a row does not have: lower than every value, because a key cannot hold NULL. */
export const ABSENT = '-9e999'

/** The column of an index table with the values, texts folded. */
export const keyColumn = (target: IndexTarget): string => `k_${indexedColumn(target)}`
/** The column of an index table with texts as written, where these differ from the folded form. */
export const writtenColumn = (target: IndexTarget): string => `w_${indexedColumn(target)}`

function keyOf(target: IndexTarget): IndexColumn {
  const name = keyColumn(target)
  if (typeof target === 'string') return { name, type: 'INTEGER', content: (row) => `${row}${target}` }
  const value = valueColumn(target.column)
  const companion = companionColumn(target.column)
  const type = target.type === 'number' ? 'REAL' : ''
  const content = isFolded(target.type)
    ? (row: string) => `coalesce(${row}${companion}, ${row}${value}, ${ABSENT})`
    : (row: string) => `ifnull(${row}${value}, ${ABSENT})`
  return { name, type, content }
}

function writtenOf(target: IndexTarget): IndexColumn[] {
  if (typeof target === 'string' || !isFolded(target.type)) return []
  const value = valueColumn(target.column)
  const companion = companionColumn(target.column)
  const content = (row: string) => `iif(${row}${companion} IS NULL, NULL, ${row}${value})`
  return [{ name: writtenColumn(target), type: '', content }]
}

function sourcesOf(target: IndexTarget): string[] {
  const column = indexedColumn(target)
  return typeof target === 'string' || !isFolded(target.type)
    ? [column]
    : [column, companionColumn(target.column)]
}

export const autoIndexTable = (structurePk: number, targets: readonly IndexTarget[]): IndexTable => ({
  name: `${rowTable(structurePk)}_by_${targets.map(indexedColumn).join('_and_')}`,
  structurePk,
  key: [...targets.map(keyOf), PK],
  others: targets.flatMap(writtenOf),
  sources: targets.flatMap(sourcesOf),
  required: [],
})

/** The automatic indexes that are ready, including the text index: their names, and when each was last used. */
export const findAutoIndexes = ({ sql }: Reader, structurePk: number): Map<string, number> =>
  new Map(
    sql.rows<[string, number]>(
      'SELECT "column", used_at FROM auto_indexes WHERE structure = ? AND is_ready = 1',
      structurePk,
    ),
  )

/** All automatic indexes except the text index, by name, and whether each is ready. */
export const listIndexTableNames = ({ sql }: Reader, structurePk: number): [string, number][] =>
  sql.rows(
    'SELECT "column", is_ready FROM auto_indexes WHERE structure = ? AND "column" <> ?',
    structurePk,
    TEXT_INDEX,
  )

export const markUsed = ({ sql }: Reader, structurePk: number, column: string, now: number) =>
  sql.run(
    'UPDATE auto_indexes SET used_at = ? WHERE structure = ? AND "column" = ?',
    now,
    structurePk,
    column,
  )

/** The automatic indexes of every structure that were last used before the given time. */
export const findUnusedIndexes = ({ sql }: Reader, before: number): IndexPlace[] =>
  sql.all('SELECT structure AS structurePk, "column" FROM auto_indexes WHERE used_at < ?', before)

/** Removes the entries of indexes that were dropped with their table. */
export const removeAutoIndexRows = ({ sql }: Reader, structurePk: number) =>
  sql.run('DELETE FROM auto_indexes WHERE structure = ?', structurePk)

export interface IndexPlace {
  readonly structurePk: number
  /** The name of the index. */
  readonly column: string
}

const MAX_INDEXES = 8
/** Texts longer than this on average are not indexed. */
const MAX_AVERAGE_LENGTH = 200
const SAMPLED_ROWS = 1_000

/** After an index was requested: whether nothing is left to do, and if so whether the index is ready. */
export type IndexStart = { readonly isDone: boolean; readonly isReady: boolean }

/** Creates an index, empty, unless none is possible. */
export const autoIndexStart: WorkerTask<IndexPlace & { now: number }, IndexStart> = {
  name: 'structures.startIndex',
  isBackground: true,
  run: (reader, { structurePk, column, now }) => {
    const present = findState(reader, { structurePk, column })
    if (present !== undefined) return { isDone: present === 1, isReady: present === 1 }
    const isText = column === TEXT_INDEX
    const create = isText ? startTextIndex : startIndexTable
    if (!create(reader, structurePk, column)) return { isDone: true, isReady: false }
    reader.sql.run(
      'INSERT INTO auto_indexes (structure, "column", created_at, used_at, is_ready) VALUES (?, ?, ?, ?, ?)',
      structurePk,
      column,
      now,
      now,
      isText ? 1 : 0,
    )
    return { isDone: isText, isReady: isText }
  },
}

/** 1 if the index is ready, 0 while it is being built, undefined where there is none. */
const findState = ({ sql }: Reader, { structurePk, column }: IndexPlace): number | undefined =>
  sql.column<number>(
    'SELECT is_ready FROM auto_indexes WHERE structure = ? AND "column" = ?',
    structurePk,
    column,
  )[0]

/** Creates it empty (`fillTextIndex` fills it); it does not count towards `MAX_INDEXES`. */
function startTextIndex(reader: Reader, structurePk: number): boolean {
  if (!findDefinitionTexts(reader, structurePk)) return false
  createTextIndex(reader, structurePk)
  return true
}

function startIndexTable(reader: Reader, structurePk: number, column: string): boolean {
  const targets = findTargets(reader, structurePk, column)
  if (!targets || listIndexTableNames(reader, structurePk).length >= MAX_INDEXES) return false
  if (targets.some((target) => hasLongTexts(reader, structurePk, indexedColumn(target)))) return false
  startFilling(reader, autoIndexTable(structurePk, targets))
  return true
}

/** Sorts the rows for the steps that fill the index. */
export const autoIndexSort: WorkerTask<IndexPlace, string | undefined> = {
  name: 'structures.sortForIndex',
  isBackground: true,
  isPreparation: true,
  run: (reader, place) => {
    const table = findUnfinished(reader, place)
    return table && sortRows(reader, table)
  },
}

/** One step of filling an index, from a position; with the last one the index is ready. */
export const autoIndexFill: WorkerTask<IndexPlace & FillStep, FillState> = {
  name: 'structures.fillIndex',
  isBackground: true,
  run: (reader, { from, maxRows, ...place }) => {
    const table = findUnfinished(reader, place)
    if (!table) return 'done'
    const state = fillSome(reader, table, { from, maxRows })
    if (state !== 'done') return state
    finishFilling(reader, table)
    reader.sql.run(
      'UPDATE auto_indexes SET is_ready = 1 WHERE structure = ? AND "column" = ?',
      place.structurePk,
      place.column,
    )
    return state
  },
}

/** Undefined also when the index, or its structure, was deleted in the meantime. */
function findUnfinished(reader: Reader, place: IndexPlace): IndexTable | undefined {
  if (findState(reader, place) !== 0) return undefined
  const targets = findTargets(reader, place.structurePk, place.column)
  return targets && autoIndexTable(place.structurePk, targets)
}

/** The builds that run, so that none runs twice at the same time. */
const newBuilds = () => new Map<string, Promise<boolean>>()

type Builder = Pick<AppContext, 'worker' | 'clock'>

/**
 * Builds an index in steps, between which others write; returns whether it is ready. One that was interrupted, for
 * example by a crash, is completed.
 */
export function buildAutoIndex(ctx: Builder, place: IndexPlace): Promise<boolean> {
  const builds = ctx.worker.state.of(newBuilds)
  const key = `${place.structurePk} ${place.column}`
  const running = builds.get(key)
  if (running) return running
  const build = buildInSteps(ctx, place).finally(() => builds.delete(key))
  builds.set(key, build)
  return build
}

async function buildInSteps({ worker, clock }: Builder, place: IndexPlace): Promise<boolean> {
  const { structurePk, column } = place
  const { isDone, isReady } = await worker.write(autoIndexStart, { structurePk, column, now: clock.now() })
  if (isDone) return isReady
  await fillInSteps(worker, autoIndexSort, autoIndexFill, { structurePk, column })
  return true
}

/** Drops an index, also one that is being built. */
export const autoIndexDrop: WorkerTask<IndexPlace, void> = {
  name: 'structures.dropIndex',
  isBackground: true,
  run: (reader, { structurePk, column }) => {
    const targets = column === TEXT_INDEX ? undefined : findTargets(reader, structurePk, column)
    if (column === TEXT_INDEX) dropTextIndex(reader, structurePk)
    else if (targets) dropIndexTable(reader, autoIndexTable(structurePk, targets))
    reader.sql.run('DELETE FROM auto_indexes WHERE structure = ? AND "column" = ?', structurePk, column)
  },
}

/** Builds an index at once, in the caller's transaction, and records it again. */
export function rebuildAutoIndex(tx: Tx, structurePk: number, definition: Definition, name: string): void {
  const targets = indexTargets(definition, name)
  if (!targets) return
  buildAtOnce(tx, autoIndexTable(structurePk, targets))
  tx.sql.run(
    'INSERT INTO auto_indexes (structure, "column", created_at, used_at) VALUES (?, ?, ?, ?)',
    structurePk,
    name,
    tx.now,
    tx.now,
  )
}

/** Undefined when the structure or a field was deleted or changed since the index was requested. */
function findTargets(reader: Reader, structurePk: number, column: string): IndexTarget[] | undefined {
  const texts = findDefinitionTexts(reader, structurePk)
  return texts && indexTargets(definitionOf(texts), column)
}

const hasLongTexts = ({ sql }: Reader, structurePk: number, column: string): boolean =>
  sql.scalar<number>(
    `SELECT coalesce(avg(length(${column})), 0) > ${MAX_AVERAGE_LENGTH}
     FROM (SELECT ${column} FROM ${rowTable(structurePk)} LIMIT ${SAMPLED_ROWS})`,
  ) === 1
