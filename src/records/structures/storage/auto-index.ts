import { type FieldKind, rulesOf, type TypedField } from '../../../filter/record/field-types.ts'
import { manyRowsOf, type Server } from '../../../kernel/call.ts'
import { settle } from '../../../kernel/job-steps.ts'
import { defineLongJob, defineRecurringJob, enqueueOnce, keysOf } from '../../../kernel/jobs.ts'
import { BoundedCache } from '../../../lib/bounded-cache.ts'
import { DAY_MS, HOUR_MS } from '../../../lib/dates.ts'
import type { Reader } from '../../../storage/reader.ts'
import {
  companionColumn,
  foldedText,
  liveRows,
  placeOf,
  rowTable,
  valueColumn,
} from '../../../storage/row-table-names.ts'
import { type Definition, definitionOf, findDefinitionTexts } from '../store.ts'
import { ensureOwnTable } from './live-rows.ts'
import { createRowIndex, dropRowIndex, type RowIndex } from './row-index.ts'
import { createTextIndex, dropTextIndex, TEXT_INDEX } from './text-index.ts'

/*
 * Automatic indexes, on one column or two. Users never declare them.
 *
 * An index holds the values, then the pk, so rows of equal values stay in order. Its last column orders lists, so text
 * is folded there. Text as written follows the pk where it differs. The index alone then decides equality, and a count
 * reads no row. The first of two columns has one value in every query that uses both, and holds text as written.
 */

/** A target of an index: a field, or a timestamp of the row. */
export type IndexTarget = TypedField | 'created_at' | 'updated_at'

export const indexedColumn = (target: IndexTarget): string =>
  typeof target === 'string' ? target : valueColumn(target.column)

/** Whether values of the field are sorted ignoring case. */
export const isFolded = (field: FieldKind): boolean => rulesOf(field).companion === 'folded'

const hasFoldedText = (target: IndexTarget): target is TypedField =>
  typeof target !== 'string' && isFolded(target)

/** The SQL expression that orders a list sorted by the target. */
export const sortExpression = (target: IndexTarget): string =>
  hasFoldedText(target) ? foldedText(target.column) : indexedColumn(target)

/** The name of an index on the targets in `auto_indexes`. */
export const indexName = (targets: readonly IndexTarget[]): string => targets.map(indexedColumn).join(',')

/** The targets of an index by its name; undefined if the definition does not have them. */
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

/** A column of an automatic index. Rows without a value come first, as NULL. */
export interface IndexedColumn {
  /** The column of the row table with its values. */
  readonly column: string
  /** The expression whose values the index holds in order. */
  readonly key: string
  /** The expression of text as written if it differs from the key; undefined if the key is the value itself. */
  readonly written: string | undefined
}

/** The columns of an automatic index on these targets. */
export const indexedColumns = (targets: readonly IndexTarget[]): IndexedColumn[] =>
  targets.map((target, at) => {
    const column = indexedColumn(target)
    if (!hasFoldedText(target) || at < targets.length - 1) return { column, key: column, written: undefined }
    const value = valueColumn(target.column)
    const written = `iif(${companionColumn(target.column)} IS NULL, NULL, ${value})`
    return { column, key: foldedText(target.column), written }
  })

/** The database name of an automatic index, by its name in `auto_indexes`. */
const nameInSchema = (structurePk: number, name: string): string =>
  `${rowTable(structurePk)}_by_${name.replaceAll(',', '_and_')}`

export function autoIndex(structurePk: number, targets: readonly IndexTarget[]): RowIndex {
  const columns = indexedColumns(targets)
  const written = columns.flatMap((column) => column.written ?? [])
  return {
    name: nameInSchema(structurePk, indexName(targets)),
    structurePk,
    // Without further expressions, SQLite itself adds the pk at the end of each entry.
    expressions: [...columns.map(({ key }) => key), ...(written.length > 0 ? ['pk', ...written] : [])],
  }
}

/** The names of the automatic indexes, including the text index. */
export const listAutoIndexes = ({ sql }: Reader, structurePk: number): string[] =>
  sql.column('SELECT "column" FROM auto_indexes WHERE structure = ?', structurePk)

/** The automatic indexes except the text index, resolved against the definition. */
export const listAutoRowIndexes = (reader: Reader, structurePk: number, definition: Definition): RowIndex[] =>
  listAutoIndexes(reader, structurePk).flatMap((name) => {
    const targets = indexTargets(definition, name)
    return targets ? [autoIndex(structurePk, targets)] : []
  })

export const markUsed = ({ sql }: Reader, { structurePk, column }: IndexPlace, now: number) =>
  sql.run(
    'UPDATE auto_indexes SET used_at = ? WHERE structure = ? AND "column" = ?',
    now,
    structurePk,
    column,
  )

export interface IndexPlace {
  readonly structurePk: number
  readonly column: string
}

const MAX_INDEXES = 8
/** Fields with a greater average text length are not indexed. */
const MAX_AVERAGE_LENGTH = 200
const SAMPLED_ROWS = 1_000

/** Builds an index that may be built. A text index is created empty and filled later. */
export const indexBuilding = defineLongJob<string, IndexPlace>(
  'structure.buildIndex',
  (tx, _, { structurePk, column }) => {
    const texts = findDefinitionTexts(tx, structurePk)
    const present = listAutoIndexes(tx, structurePk)
    if (!texts || present.includes(column)) return 'done'
    const definition = definitionOf(texts)
    const targets = column === TEXT_INDEX ? [] : indexTargets(definition, column)
    if (!targets || !isWorthwhile(tx, structurePk, targets, present)) return 'done'
    ensureOwnTable(tx, structurePk, definition)
    createIndex(tx, structurePk, targets)
    recordIndex(tx, { structurePk, column }, tx.now)
    return 'done'
  },
)

/** The key of the jobs of an index. */
const keyOf = ({ structurePk, column }: IndexPlace): string => `${structurePk} ${column}`

/**
 * Whether another index is within the limit and its texts are short. The text index does not count towards the limit.
 */
function isWorthwhile(
  reader: Reader,
  structurePk: number,
  targets: readonly IndexTarget[],
  present: readonly string[],
): boolean {
  if (targets.length === 0) return true
  if (present.filter((name) => name !== TEXT_INDEX).length >= MAX_INDEXES) return false
  return !targets.some((target) => hasLongTexts(reader, structurePk, indexedColumn(target)))
}

/** Without targets, the text index. */
function createIndex(reader: Reader, structurePk: number, targets: readonly IndexTarget[]): void {
  if (targets.length === 0) createTextIndex(reader, structurePk)
  else createRowIndex(reader, autoIndex(structurePk, targets))
}

export const recordIndex = ({ sql }: Reader, { structurePk, column }: IndexPlace, now: number) =>
  sql.run(
    'INSERT INTO auto_indexes (structure, "column", created_at, used_at) VALUES (?, ?, ?, ?)',
    structurePk,
    column,
    now,
    now,
  )

/**
 * Builds an index when no write is pending; returns whether it exists afterwards. Writes that arrive during the build
 * wait for its end.
 */
export async function buildAutoIndex(server: Server, place: IndexPlace): Promise<boolean> {
  const { db } = server
  const key = keyOf(place)
  await db.write((tx): void => enqueueOnce(tx, indexBuilding, key, place))
  await settle(server, indexBuilding, key)
  return listAutoIndexes(db, place.structurePk).includes(place.column)
}

const UNUSED_MS = 30 * DAY_MS

const UNUSED = 'SELECT structure AS structurePk, "column" FROM auto_indexes WHERE used_at < ?'

export function dropAutoIndex(reader: Reader, { structurePk, column }: IndexPlace): void {
  if (column === TEXT_INDEX) dropTextIndex(reader, structurePk)
  else dropRowIndex(reader, nameInSchema(structurePk, column))
  reader.sql.run('DELETE FROM auto_indexes WHERE structure = ? AND "column" = ?', structurePk, column)
}

/** Drops an index that has not been used in the meantime. */
export const indexRemoval = defineLongJob<string, IndexPlace>('structure.dropIndex', (tx, _, place) => {
  const ofPlace = `${UNUSED} AND structure = ? AND "column" = ?`
  const isUnused = tx.sql.get(ofPlace, tx.now - UNUSED_MS, place.structurePk, place.column) !== undefined
  if (isUnused) dropAutoIndex(tx, place)
  return 'done'
})

const UNUSED_AT_ONCE = 200

/** Finds the indexes of all structures that were not used for 30 days. */
export const unusedIndexRemoval = defineRecurringJob('structure.dropIndexes', HOUR_MS, (tx) => {
  const unused = tx.sql.all<IndexPlace>(
    `${UNUSED} AND structure || ' ' || "column" NOT IN (${keysOf(indexRemoval)}) LIMIT ${UNUSED_AT_ONCE}`,
    tx.now - UNUSED_MS,
  )
  for (const place of unused) enqueueOnce(tx, indexRemoval, keyOf(place), place)
  return unused.length === UNUSED_AT_ONCE
})

/** Builds an index by its name; returns false if the definition lacks its columns. */
export function createIndexNamed(
  reader: Reader,
  structurePk: number,
  definition: Definition,
  name: string,
): boolean {
  const targets = name === TEXT_INDEX ? [] : indexTargets(definition, name)
  if (targets) createIndex(reader, structurePk, targets)
  return targets !== undefined
}

const hasLongTexts = (reader: Reader, structurePk: number, column: string): boolean =>
  reader.sql.scalar<number>(
    `SELECT coalesce(avg(length(${column})), 0) > ${MAX_AVERAGE_LENGTH}
     FROM (SELECT ${column} FROM ${liveRows(placeOf(reader, structurePk))} LIMIT ${SAMPLED_ROWS})`,
  ) === 1

/*
 * An index is built once reads without it have cost twice its build cost. It is dropped after 30 days without use.
 */

/** The report of one read of a structure's rows to the policy. */
export interface ReadCosts {
  readonly structurePk: number
  readonly rows: number
  /** The names of the indexes that would have saved most of the cost. */
  readonly missing: readonly string[]
  readonly used: readonly string[]
}

const BUILD_MS_PER_ROW = 0.0015
const WORTH_BUILDS = 2
/** Cost per row of a text index. It is filled in the background and needs more rows to pay off. */
const TEXT_INDEX_MS_PER_ROW = 0.005
const TEXT_INDEX_MIN_ROWS_FACTOR = 10
const MAX_REPORTS = 10_000

/** This process's reports on reads that lacked an index. */
interface Report {
  /** Total duration of the reads that lacked it. */
  ms: number
  usedAt: number
}

/** Keyed by structure and index. */
const newReports = () => new BoundedCache<string, Report>(MAX_REPORTS)

const newBuilds = () => ({ count: 0, ms: 0 })

/** The automatic indexes built by this process, and their build times, including the wait for a quiet moment. */
export const indexBuildsOf = ({ db }: Pick<Server, 'db'>) => db.sql.state.of(newBuilds)

function reportOf({ db }: Pick<Server, 'db'>, { structurePk, column }: IndexPlace): Report {
  const reports = db.sql.state.of(newReports)
  const key = `${structurePk} ${column}`
  const report = reports.get(key) ?? { ms: 0, usedAt: 0 }
  reports.set(key, report)
  return report
}

/**
 * Adds up the time of reads that lacked an index, records the indexes they used, and starts to build an index that has
 * become worthwhile.
 */
export function recordReadCosts(
  server: Server,
  { structurePk, rows, missing, used }: ReadCosts,
  ms: number,
): void {
  for (const column of used) recordUse(server, { structurePk, column })
  const manyRows = manyRowsOf(server)
  for (const column of rows > manyRows ? missing : []) {
    const report = reportOf(server, { structurePk, column })
    report.ms += ms
    if (!isWorthBuilding(column, report.ms, rows, manyRows)) continue
    // Reads during the build, or of a column that cannot be indexed, must not request it again.
    report.ms = Number.NEGATIVE_INFINITY
    void build(server, { structurePk, column }, report)
  }
}

function isWorthBuilding(column: string, costMs: number, rows: number, manyRows: number): boolean {
  if (column !== TEXT_INDEX) return costMs > WORTH_BUILDS * BUILD_MS_PER_ROW * rows
  return rows >= TEXT_INDEX_MIN_ROWS_FACTOR * manyRows && costMs > WORTH_BUILDS * TEXT_INDEX_MS_PER_ROW * rows
}

async function build(server: Server, place: IndexPlace, report: Report): Promise<void> {
  const { structurePk: structure, column } = place
  try {
    const startedAt = server.clock.now()
    if (!(await buildAutoIndex(server, place))) return
    const ms = server.clock.now() - startedAt
    const builds = indexBuildsOf(server)
    builds.count += 1
    builds.ms += ms
    // A job fills a text index.
    if (column !== TEXT_INDEX) server.log.info('index built', { structure, column, ms })
  } catch (error) {
    server.log.warn('an index could not be built', { structure, column, error: String(error) })
  }
  report.ms = 0
}

/** Records the use of an index, at most once a day. */
function recordUse(server: Server, place: IndexPlace): void {
  const now = server.clock.now()
  const report = reportOf(server, place)
  if (now - report.usedAt < DAY_MS) return
  report.usedAt = now
  server.db
    .write((tx): void => void markUsed(tx, place, now))
    .catch((error) => server.log.warn('the use of an index could not be recorded', { error: String(error) }))
}
