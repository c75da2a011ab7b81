import type { Reader } from '../../db/reader.ts'
import { rowTable } from '../../db/row-table-names.ts'
import type { WorkerClient, WorkerTask } from '../../db/worker/client.ts'
import { forSomeMilliseconds } from '../../db/writes/chunks.ts'
import { hasTable } from '../../search/tables.ts'

/*
 * An index of a structure's rows is a table of its own in the order of its values, because that can be filled in
 * short steps: SQLite's `CREATE INDEX` would hold up all writes. Triggers on the row table keep it in step from the
 * moment it is created, empty. Then the rows are sorted into a temporary table and copied from there a few at a time,
 * except those that were changed in the meantime, which the triggers have written. So every row is in the index once,
 * as it is, when the last one is copied.
 */

export interface IndexColumn {
  readonly name: string
  readonly type: '' | 'INTEGER' | 'REAL'
  /** An expression over a row; `@` stands before the name of each of its columns. */
  readonly content: string
}

/** An index, so that it can be sent to the threads that build it. */
export interface IndexTable {
  readonly name: string
  readonly structurePk: number
  /** Its name among the automatic indexes, if it is one. */
  readonly automatic?: string
  readonly key: readonly IndexColumn[]
  /** What else it holds of a row. */
  readonly others: readonly IndexColumn[]
  /** The columns of the row table on which its content depends. */
  readonly sources: readonly string[]
  /** It holds only the rows that have a value in each of these columns of the row table. */
  readonly required: readonly string[]
}

export const PK: IndexColumn = { name: 'pk', type: 'INTEGER', content: '@pk' }

/** The content of a column for a row: `''`, `'old.'`, `'new.'` or the name of another source. */
const contentOf = ({ content }: IndexColumn, row: string): string => content.replaceAll('@', row)

type Named = Pick<IndexTable, 'name'>

/** Exists while the index is being filled. */
export const changedTable = ({ name }: Named) => `${name}_changed`
const sortedTable = ({ name }: Named) => `${name}_sorted`

const columnsOf = ({ key, others }: IndexTable) => [...key, ...others]
const namesOf = (table: IndexTable) =>
  columnsOf(table)
    .map(({ name }) => name)
    .join(', ')
/** The entries for rows as they should be; `from` names their source, if it is not the row at hand. */
function entriesOf(table: IndexTable, row: string, from = ''): string {
  const contents = columnsOf(table).map((column) => `${contentOf(column, row)} AS ${column.name}`)
  const tests = table.required.map((column) => `${row}${column} IS NOT NULL`)
  return `SELECT ${contents.join(', ')} ${from} ${tests.length > 0 ? `WHERE ${tests.join(' AND ')}` : ''}`
}

const rowsOf = ({ structurePk }: IndexTable) => `FROM ${rowTable(structurePk)}`

const keyNames = ({ key }: IndexTable) => key.map(({ name }) => name).join(', ')

function createTable({ sql }: Reader, table: IndexTable): void {
  const columns = [
    ...table.key.map(({ name, type }) => `${name} ${type} NOT NULL`),
    ...table.others.map(({ name, type }) => `${name} ${type}`),
  ]
  sql.script(
    `CREATE TABLE ${table.name} (${columns.join(', ')}, PRIMARY KEY (${keyNames(table)})) WITHOUT ROWID`,
  )
}

/** Creates the index, empty, and the triggers, which also record which rows change. */
export function startFilling(reader: Reader, table: IndexTable): void {
  createTable(reader, table)
  reader.sql.script(`CREATE TABLE ${changedTable(table)} (pk INTEGER PRIMARY KEY)`)
  const record = `INSERT OR IGNORE INTO ${changedTable(table)} (pk) VALUES (old.pk);`
  if (isUnique(table))
    reader.sql.script(`CREATE TABLE ${collisionTable(table)} (pk INTEGER PRIMARY KEY, other INTEGER)`)
  createTriggers(reader, table, record, !isUnique(table))
}

/** Creates the index over rows of which none belongs into it yet. */
export function createEmpty(reader: Reader, table: IndexTable): void {
  createTable(reader, table)
  keepInStep(reader, table)
}

/** Creates the index and fills it at once, in the caller's transaction. */
export function buildAtOnce(reader: Reader, table: IndexTable): void {
  fillAtOnce(reader, table)
  keepInStep(reader, table)
}

/** The same, but until `keepInStep` no row may be written. */
export function fillAtOnce(reader: Reader, table: IndexTable): void {
  createTable(reader, table)
  const entries = entriesOf(table, '', rowsOf(table))
  reader.sql.script(`INSERT INTO ${table.name} (${namesOf(table)}) ${entries} ORDER BY ${keyNames(table)}`)
}

export const keepInStep = (reader: Reader, table: IndexTable): void => createTriggers(reader, table, '')

const isUnique = ({ key }: IndexTable) => key.every(({ name }) => name !== PK.name)

/** Exists until a unique index that was filled in steps is enforced: pairs of rows that collided in the meantime. */
export const collisionTable = ({ name }: Named) => `${name}_collisions`

/**
 * Records a collision of the row `source` with a row that has its entry already. Without `+` SQLite would not find a
 * number by the primary key, and would compare each row with all others.
 */
function recordCollisions(table: IndexTable, source: string, from: string): string {
  const isSame = table.key.map(
    (column) => `held.${column.name} = ${from ? `+${source}${column.name}` : contentOf(column, source)}`,
  )
  return `INSERT OR IGNORE INTO ${collisionTable(table)} (pk, other)
    SELECT ${source}pk, held.pk FROM ${from} ${table.name} AS held WHERE ${isSame.join(' AND ')} AND held.pk <> ${source}pk`
}

/**
 * `whileFilling` is added to what happens when a row changes or is deleted. A unique index that is not enforced yet
 * records collisions instead of refusing them.
 */
function createTriggers({ sql }: Reader, table: IndexTable, whileFilling: string, isEnforced = true): void {
  const { name, key, sources, structurePk } = table
  const into = `INTO ${name} (${namesOf(table)}) ${entriesOf(table, 'new.')};`
  const insert = isEnforced
    ? `INSERT ${into}`
    : `${recordCollisions(table, 'new.', '')}; INSERT OR IGNORE ${into}`
  const isOld = key.map((column) => `${column.name} = ${contentOf(column, 'old.')}`)
  const remove = `DELETE FROM ${name} WHERE ${[...isOld, ...(isUnique(table) ? ['pk = old.pk'] : [])].join(' AND ')};`
  const record = whileFilling
  const rows = rowTable(structurePk)
  sql.script(`CREATE TRIGGER ${name}_insert AFTER INSERT ON ${rows} BEGIN ${insert} END`)
  sql.script(`CREATE TRIGGER ${name}_delete AFTER DELETE ON ${rows} BEGIN ${remove} ${record} END`)
  // An update may write columns that stay as they are.
  const isChanged = sources.map((column) => `new.${column} IS NOT old.${column}`)
  sql.script(
    `CREATE TRIGGER ${name}_update AFTER UPDATE OF ${sources.join(', ')} ON ${rows} WHEN ${isChanged.join(' OR ')}
     BEGIN ${remove} ${insert} ${record} END`,
  )
}

function dropTriggers({ sql }: Reader, { name }: Named): void {
  for (const event of ['insert', 'delete', 'update']) sql.script(`DROP TRIGGER IF EXISTS ${name}_${event}`)
}

const isFilling = (reader: Reader, table: IndexTable) => hasTable(reader, changedTable(table))

/**
 * Sorts all rows into a temporary table, from which `indexFill` copies; returns its name. Undefined when the index, or its
 * structure, was deleted in the meantime.
 */
export const indexSort: WorkerTask<IndexTable, string | undefined> = {
  name: 'structures.sortForIndex',
  isBackground: true,
  isPreparation: true,
  run: (reader, table) => {
    if (!isFilling(reader, table)) return undefined
    const sorted = `temp.${sortedTable(table)}`
    const entries = entriesOf(table, '', rowsOf(table))
    reader.sql.script(`DROP TABLE IF EXISTS ${sorted}`)
    reader.sql.script(`CREATE TABLE ${sorted} AS ${entries} ORDER BY ${keyNames(table)}`)
    return sorted
  },
}

/** Removes what `indexSort` has made, which takes long enough that other writes should not wait for it. */
export const discardSortedRows: WorkerTask<string, void> = {
  name: 'structures.discardSortedRows',
  isBackground: true,
  isPreparation: true,
  run: ({ sql }, sorted) => sql.script(`DROP TABLE IF EXISTS ${sorted}`),
}

const STEP_MS = 10
const VALUES_PER_BATCH = 1_000

interface FillStep {
  readonly table: IndexTable
  readonly from: number
  readonly maxRows?: number
}

/** How far a fill step came: a position in the sorted rows, or the end; lost if they have to be sorted again. */
type FillState = number | 'done' | 'lost'

/** One step of filling an index; ends at the first collision. With the last one the index is ready. */
export const indexFill: WorkerTask<FillStep, FillState> = {
  name: 'structures.fillIndex',
  isBackground: true,
  run: (reader, step) => {
    const { table } = step
    if (!isFilling(reader, table)) return 'done'
    const state = fillSome(reader, step)
    if (state === 'lost' || (state !== 'done' && !hasCollisions(reader, table))) return state
    finishFilling(reader, table)
    return 'done'
  },
}

const hasCollisions = (reader: Reader, table: IndexTable): boolean =>
  isUnique(table) && reader.sql.get(`SELECT 1 FROM ${collisionTable(table)} LIMIT 1`) !== undefined

/** Copies sorted rows from the position, however busy the machine is, and returns the next one. */
function fillSome({ sql }: Reader, { table, from, maxRows = Number.POSITIVE_INFINITY }: FillStep): FillState {
  const sorted = sortedTable(table)
  if (!sql.get('SELECT 1 FROM sqlite_temp_schema WHERE name = ?', sorted)) return 'lost'
  const count = sql.scalar<number>(`SELECT coalesce(max(rowid), 0) FROM temp.${sorted}`)
  const names = namesOf(table)
  const batch = Math.min(Math.ceil(VALUES_PER_BATCH / table.key.length), maxRows)
  let at = from
  forSomeMilliseconds(() => {
    sql.run(
      `INSERT OR IGNORE INTO ${table.name} (${names}) SELECT ${names} FROM temp.${sorted}
       WHERE rowid > ? AND rowid <= ? AND pk NOT IN (SELECT pk FROM ${changedTable(table)}) ORDER BY rowid`,
      at,
      at + batch,
    )
    if (isUnique(table)) recordBatchCollisions({ sql }, table, at, at + batch)
    at += batch
    return at < count && at - from < maxRows
  }, STEP_MS)
  return at < count ? at : 'done'
}

/** Records which of the sorted rows have no entry because another row has it. */
const recordBatchCollisions = ({ sql }: Reader, table: IndexTable, after: number, to: number) =>
  sql.run(
    `${recordCollisions(table, 'sorted.', `temp.${sortedTable(table)} AS sorted CROSS JOIN`)}
     AND sorted.rowid > ? AND sorted.rowid <= ? AND sorted.pk NOT IN (SELECT pk FROM ${changedTable(table)})`,
    after,
    to,
  )

/** Fills an index that was begun (`startFilling`), in short steps between which others write. */
export async function fillIndex(worker: WorkerClient, table: IndexTable): Promise<void> {
  let sorted: string | undefined
  for (let state: FillState = 'lost'; state !== 'done'; ) {
    if (state === 'lost') sorted = await worker.write(indexSort, table)
    state = await worker.write(indexFill, { table, from: state === 'lost' ? 0 : state })
  }
  if (sorted !== undefined) await worker.write(discardSortedRows, sorted)
}

/** Ends the recording of changed rows; the index is complete, but one that is unique is not enforced yet. */
function finishFilling({ sql }: Reader, table: IndexTable): void {
  sql.script(`DROP TABLE ${changedTable(table)}`)
  dropTriggers({ sql }, table)
  createTriggers({ sql }, table, '', !isUnique(table))
  if (table.automatic === undefined) return
  sql.run(
    'UPDATE auto_indexes SET is_ready = 1 WHERE structure = ? AND "column" = ?',
    table.structurePk,
    table.automatic,
  )
}

/** `done` settles when the index that was begun last is built, or given up. */
const newLast = (): { done: Promise<unknown> } => ({ done: Promise.resolve() })

export function oneAtATime<T>({ state }: WorkerClient, build: () => Promise<T>): Promise<T> {
  const last = state.of(newLast)
  const done = last.done.then(build, build)
  last.done = done
  return done
}

/** From now on a unique index that was filled in steps refuses collisions. There must be none. */
export function enforceUnique(reader: Reader, table: IndexTable): void {
  reader.sql.script(`DROP TABLE ${collisionTable(table)}`)
  dropTriggers(reader, table)
  createTriggers(reader, table, '')
}

export function dropIndexTable({ sql }: Reader, table: Named): void {
  dropTriggers({ sql }, table)
  for (const name of [sortedTable(table), changedTable(table), collisionTable(table), table.name])
    sql.script(`DROP TABLE IF EXISTS ${name}`)
}

/** The names of the structure's index tables, and of the tables that are made while one is filled. */
export const listIndexTables = ({ sql }: Reader, structurePk: number): string[] =>
  sql.column(
    `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND (name GLOB ? OR name GLOB ?)`,
    `${rowTable(structurePk)}_by_*`,
    `${rowTable(structurePk)}_unique_*`,
  )

/** Drops every trigger of the row table: its indexes are no longer kept in step. Only for a table that is to be dropped. */
export function dropIndexTriggers({ sql }: Reader, structurePk: number): void {
  const triggers = sql.column<string>(
    `SELECT name FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = ?`,
    rowTable(structurePk),
  )
  for (const name of triggers) sql.script(`DROP TRIGGER ${name}`)
}

/** Drops one of the structure's index tables, whose triggers are gone; returns whether there was one. */
export function dropNextIndexTable(reader: Reader, structurePk: number): boolean {
  const [name] = listIndexTables(reader, structurePk)
  if (name === undefined) return false
  reader.sql.script(`DROP TABLE ${name}`)
  return true
}

export const isIntact = ({ sql }: Reader, { name }: IndexTable): boolean =>
  sql.scalar<number>(
    'SELECT count(*) FROM main.sqlite_schema WHERE name IN (?, ?, ?, ?)',
    name,
    `${name}_insert`,
    `${name}_delete`,
    `${name}_update`,
  ) === 4

/**
 * Whether every row has its entry, and every entry its row: an entry is found for each row, and there are no others. With
 * `+` a comparison converts no types; without it on the right, SQLite would not find numbers by the primary key.
 */
export function isCorrect({ sql }: Reader, table: IndexTable): boolean {
  const expected = `(${entriesOf(table, '', rowsOf(table))}) AS expected`
  const isFound = table.key.map(({ name }) => `held.${name} = +expected.${name}`)
  const isSame = columnsOf(table).map(({ name }) => `+held.${name} IS +expected.${name}`)
  const held = `SELECT 1 FROM main.${table.name} AS held WHERE ${[...isFound, ...isSame].join(' AND ')}`
  const missing = sql.get(`SELECT 1 FROM ${expected} WHERE NOT EXISTS (${held}) LIMIT 1`)
  if (missing !== undefined) return false
  const counts = `SELECT (SELECT count(*) FROM ${expected}) = (SELECT count(*) FROM main.${table.name})`
  return sql.scalar<number>(counts) === 1
}

/** The unique indexes, of one structure or of all, that are not enforced yet. */
export const listUnfinishedUnique = ({ sql }: Reader, structurePk?: number): string[] => {
  const end = '_collisions'
  const pattern = `${structurePk === undefined ? 'rows_[0-9]*' : rowTable(structurePk)}_unique_*${end}`
  const names = sql.column<string>('SELECT name FROM main.sqlite_schema WHERE name GLOB ?', pattern)
  return names.map((name) => name.slice(0, -end.length))
}
