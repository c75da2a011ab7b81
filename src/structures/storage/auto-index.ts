import type { AppContext } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import {
  companionColumn,
  foldedText,
  liveRows,
  placeOf,
  rowTable,
  valueColumn,
} from '../../db/row-table-names.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import type { FieldType, TypedField } from '../../filter/record/operators.ts'
import { type Definition, definitionOf, findDefinitionTexts } from '../store.ts'
import {
  buildAtOnce,
  dropIndexTable,
  fillIndex,
  type IndexColumn,
  type IndexTable,
  oneAtATime,
  PK,
  startFilling,
} from './index-table.ts'
import { ensureOwnTable } from './live-rows.ts'
import { createTextIndex, dropTextIndex, TEXT_INDEX } from './text-index.ts'

/*
 * Automatic indexes, on one column or on two (`index-policy.ts` decides when). Nobody declares one.
 *
 * An index table (`index-table.ts`) holds the values, then the pk, so that rows of equal values stay in order. A text
 * is indexed in its folded form, as it is sorted; beside it is the text as written, where that differs, so that
 * equality is decided without reading the row.
 */

/** What can be indexed: a field, or a time of the row. */
export type IndexTarget = TypedField | 'created_at' | 'updated_at'

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
  if (typeof target === 'string') return { name, type: 'INTEGER', content: `@${target}` }
  const value = valueColumn(target.column)
  const values = isFolded(target.type) ? `@${companionColumn(target.column)}, @${value}` : `@${value}`
  return { name, type: target.type === 'number' ? 'REAL' : '', content: `coalesce(${values}, ${ABSENT})` }
}

function writtenOf(target: IndexTarget): IndexColumn[] {
  if (typeof target === 'string' || !isFolded(target.type)) return []
  const content = `iif(@${companionColumn(target.column)} IS NULL, NULL, @${valueColumn(target.column)})`
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
  automatic: indexName(targets),
  key: [...targets.map(keyOf), PK],
  others: targets.flatMap(writtenOf),
  sources: targets.flatMap(sourcesOf),
  required: [],
})

/** The names of the automatic indexes that are ready, including the text index. */
export const findAutoIndexes = ({ sql }: Reader, structurePk: number): string[] =>
  sql.column('SELECT "column" FROM auto_indexes WHERE structure = ? AND is_ready = 1', structurePk)

/** All automatic indexes except the text index, by name, and whether each is ready. */
export const listIndexTableNames = ({ sql }: Reader, structurePk: number): [string, number][] =>
  sql.rows(
    'SELECT "column", is_ready FROM auto_indexes WHERE structure = ? AND "column" <> ?',
    structurePk,
    TEXT_INDEX,
  )

export const markUsed = ({ sql }: Reader, { structurePk, column }: IndexPlace, now: number) =>
  sql.run(
    'UPDATE auto_indexes SET used_at = ? WHERE structure = ? AND "column" = ?',
    now,
    structurePk,
    column,
  )

/** The automatic indexes of every structure that were last used before the given time. */
export const findUnusedIndexes = ({ sql }: Reader, before: number): IndexPlace[] =>
  sql.all('SELECT structure AS structurePk, "column" FROM auto_indexes WHERE used_at < ?', before)

export interface IndexPlace {
  readonly structurePk: number
  readonly column: string
}

const MAX_INDEXES = 8
/** Texts longer than this on average are not indexed. */
const MAX_AVERAGE_LENGTH = 200
const SAMPLED_ROWS = 1_000

/** Creates an index, empty, and returns it to be filled; true where it is ready already, false where none is possible. */
export const autoIndexStart: WorkerTask<IndexPlace & { now: number }, IndexTable | boolean> = {
  name: 'structures.startIndex',
  isBackground: true,
  run: (reader, { structurePk, column, now }) => {
    const present = findState(reader, { structurePk, column })
    if (present === 1) return true
    const isText = column === TEXT_INDEX
    const targets = isText ? undefined : findTargets(reader, structurePk, column)
    const table = targets && autoIndexTable(structurePk, targets)
    if (present === 0) return table ?? false
    const isPossible = table
      ? startIndexTable(reader, table, targets)
      : isText && startTextIndex(reader, structurePk)
    if (!isPossible) return false
    reader.sql.run(
      'INSERT INTO auto_indexes (structure, "column", created_at, used_at, is_ready) VALUES (?, ?, ?, ?, ?)',
      structurePk,
      column,
      now,
      now,
      isText ? 1 : 0,
    )
    return table ?? true
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
  const texts = findDefinitionTexts(reader, structurePk)
  if (!texts) return false
  ensureOwnTable(reader, structurePk, definitionOf(texts))
  createTextIndex(reader, structurePk)
  return true
}

/** Begins an index, unless there are enough, or the texts are long. */
function startIndexTable(reader: Reader, table: IndexTable, targets: readonly IndexTarget[]): boolean {
  const { structurePk } = table
  const texts = findDefinitionTexts(reader, structurePk)
  if (!texts) return false
  if (listIndexTableNames(reader, structurePk).length >= MAX_INDEXES) return false
  if (targets.some((target) => hasLongTexts(reader, structurePk, indexedColumn(target)))) return false
  ensureOwnTable(reader, structurePk, definitionOf(texts))
  startFilling(reader, table)
  return true
}

/**
 * Builds an index in steps, between which others write; returns whether it is ready. One that was interrupted, for
 * example by a crash, is completed.
 */
export const buildAutoIndex = (
  { worker, clock }: Pick<AppContext, 'worker' | 'clock'>,
  { structurePk, column }: IndexPlace,
): Promise<boolean> =>
  oneAtATime(worker, async () => {
    const started = await worker.write(autoIndexStart, { structurePk, column, now: clock.now() })
    if (typeof started === 'boolean') return started
    await fillIndex(worker, started)
    return true
  })

/** Drops an index, also one that is being built. */
export const autoIndexDrop: WorkerTask<IndexPlace, void> = {
  name: 'structures.dropIndex',
  isBackground: true,
  run: (reader, { structurePk, column }) => {
    const targets = findTargets(reader, structurePk, column)
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

const hasLongTexts = (reader: Reader, structurePk: number, column: string): boolean =>
  reader.sql.scalar<number>(
    `SELECT coalesce(avg(length(${column})), 0) > ${MAX_AVERAGE_LENGTH}
     FROM (SELECT ${column} FROM ${liveRows(placeOf(reader, structurePk))} LIMIT ${SAMPLED_ROWS})`,
  ) === 1
