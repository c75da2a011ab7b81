import type { InWorkspace } from '../../../context.ts'
import { valueTypeOf } from '../../../filter/record/field-types.ts'
import { may } from '../../../kernel/caller.ts'
import { memoize } from '../../../lib/bounded-cache.ts'
import { ExactSum } from '../../../lib/exact-sum.ts'
import type { RecordData } from '../../../lib/record-data.ts'
import { scanOf } from '../../../lib/scan.ts'
import type { Reader } from '../../../storage/reader.ts'
import { liveRows, valueColumn } from '../../../storage/row-table-names.ts'
import { type Rollup, suits } from '../../structures/rollups.ts'
import { listAutoIndexes } from '../../structures/storage/auto-index.ts'
import {
  definitionOf,
  type FieldDefinition,
  findStructureById,
  type StructureRow,
} from '../../structures/store.ts'
import type { RecordRow } from '../store.ts'

/*
 * Roll-ups of the rows of a page: one statement for those over the same link and values, whatever the number of rows.
 * Rows that the caller may not read do not count.
 */

type Cell = number | string | null

/** The rows whose values count, and the columns of the statement. */
interface Linked {
  readonly structure: StructureRow
  readonly link: FieldDefinition
  /** Undefined for `count`. */
  readonly values: FieldDefinition | undefined
}

type FindStructure = (id: string) => StructureRow | undefined

/** Finds structures whose rows the caller may read, each once. */
const readableStructures = (reader: Reader, caller: InWorkspace): FindStructure =>
  memoize((id) => {
    const structure = findStructureById(reader, caller, id)
    return structure && may(caller.rights, structure.id, 'read') ? structure : undefined
  })

/** The linked rows of a roll-up; undefined if the caller may not read them, or if an import brought no such fields. */
function linkedBy(find: FindStructure, { via, function: name, field }: Rollup): Linked | undefined {
  const structure = find(via.structure)
  if (!structure) return undefined
  const { byKey } = definitionOf(structure)
  const link = byKey.get(via.field)
  const values = field === undefined ? undefined : byKey.get(field)
  if (link?.type !== 'record' || (name !== 'count' && !suits(name, values))) return undefined
  return { structure, link, values }
}

/** `FROM … WHERE …` over the rows that point to one of the ids, and the expression of that id. */
function sourceOf({ structure, link }: Linked): { readonly id: string; readonly source: string } {
  const column = valueColumn(link.column)
  const [id, rows] = link.multiple
    ? ['link.value', `${liveRows(structure)} AS live, json_each(live.${column}) AS link`]
    : [column, `${liveRows(structure)} AS live`]
  return {
    id,
    source: `FROM ${rows} WHERE ${scanOf('live.pk').text} AND ${id} IN (SELECT value FROM json_each(?))`,
  }
}

/** A roll-up, and the rows that it counts. */
interface Linking {
  readonly key: string
  readonly rollup: Rollup
  readonly linked: Linked
}

/** The values of some roll-ups, in their order, by the id of the row. */
type Found = Map<string, Cell[]>

const isTotal = ({ rollup }: Linking): boolean => rollup.function === 'sum' || rollup.function === 'average'

/** Roll-ups over the same link and values, which one statement and one index serve; counts go with any values. */
const batchesOf = (all: readonly Linking[]): Linking[][] => {
  const isOfLink =
    ({ structure, link }: Linked) =>
    (other: Linking) =>
      other.linked.values && other.linked.structure === structure && other.linked.link === link
  const keyOf = ({ linked }: Linking): string => {
    const { values } = linked.values ? linked : (all.find(isOfLink(linked))?.linked ?? linked)
    return [linked.structure.pk, linked.link.column, values?.column].join()
  }
  return [...Map.groupBy(all, keyOf).values()]
}

/** Finds the values of one batch. */
function valuesOf(reader: Reader, batch: readonly Linking[], ids: string): Found {
  const total = batch.find(isTotal)
  const few = total && hasFractions(reader, total.linked) ? fewValues(reader, batch, ids) : undefined
  return few ?? groupedValues(reader, batch, ids)
}

const columnOf = ({ values }: Linked): string => (values ? valueColumn(values.column) : 'NULL')

const SAMPLED_ROWS = 20

/** Whether the first values are fractions, whose sums SQLite does not add up exactly. */
function hasFractions({ sql }: Reader, linked: Linked): boolean {
  const column = columnOf(linked)
  const sample = `SELECT ${column} AS value FROM ${liveRows(linked.structure)} LIMIT ${SAMPLED_ROWS}`
  return sql.scalar<number>(`SELECT total(value <> CAST(value AS INTEGER)) FROM (${sample})`) > 0
}

/** The values of this many rows are held together. */
const MAX_FEW = 2_000

/** Adds up the values of the linked rows here; undefined if they are many. */
function fewValues({ sql }: Reader, batch: readonly Linking[], ids: string): Found | undefined {
  const [{ linked }] = batch as [Linking]
  const { id, source } = sourceOf(linked)
  const column = columnOf((batch.find(isTotal) as Linking).linked)
  const rows = sql.rows<[string, Cell]>(`SELECT ${id}, ${column} ${source} LIMIT ${MAX_FEW + 1}`, ids)
  if (rows.length > MAX_FEW) return undefined
  const cells = new Map<string, Cell[]>()
  for (const [row, cell] of rows) {
    const known = cells.get(row)
    if (known) known.push(cell)
    else cells.set(row, [cell])
  }
  const found: Found = new Map()
  for (const [row, all] of cells) {
    const values = all.filter((cell) => cell !== null)
    found.set(
      row,
      batch.map(({ rollup }) => (rollup.function === 'count' ? all.length : VALUE[rollup.function](values))),
    )
  }
  return found
}

type Values = readonly (number | string)[]

const sumOf = (values: Values): number => {
  const sum = new ExactSum()
  for (const value of values) sum.add(Number(value))
  return sum.value()
}

/** The value of each function over some values; null without any. */
const VALUE: Readonly<Record<Exclude<Rollup['function'], 'count'>, (values: Values) => Cell>> = {
  sum: (values) => (values.length === 0 ? null : sumOf(values)),
  average: (values) => (values.length === 0 ? null : sumOf(values) / values.length),
  min: (values) =>
    values.reduce<Cell>((least, value) => (least === null || value < least ? value : least), null),
  max: (values) => values.reduce<Cell>((most, value) => (most === null || value > most ? value : most), null),
}

/** Whether every partial sum of a group is a whole number that a double holds exactly. */
const isSafe = (column: string): string =>
  `total(${column} <> CAST(${column} AS INTEGER)) = 0 AND max(abs(${column})) * count(${column}) <= ${Number.MAX_SAFE_INTEGER}`

/** Groups the linked rows in SQLite, which adds up only whole numbers: sums do not depend on the order of the rows. */
function groupedValues(reader: Reader, batch: readonly Linking[], ids: string): Found {
  const [{ linked }] = batch as [Linking]
  const { id, source } = sourceOf(linked)
  const total = batch.find(isTotal)
  const column = total ? columnOf(total.linked) : 'NULL'
  const sums = total ? `count(${column}), total(${column}), ${isSafe(column)}` : '0, 0, 1'
  const aggregates = batch.map((one) => AGGREGATES[one.rollup.function](columnOf(one.linked)))
  const rows = reader.sql.rows<[string, number, number, number, ...Cell[]]>(
    `SELECT ${id}, ${sums}, ${aggregates.join(', ')} ${source} GROUP BY ${id}`,
    ids,
  )
  const inexact = rows.filter(([, count, , isExact]) => count > 0 && isExact !== 1).map(([row]) => row)
  const exact = exactSums(reader, linked, column, inexact)
  return new Map(
    rows.map(([row, count, sum, , ...cells]) => {
      const value = exact.get(row)?.value() ?? sum
      const average = count === 0 ? null : value / count
      const totals: Partial<Record<Rollup['function'], Cell>> = { sum: value, average }
      return [row, batch.map(({ rollup }, at) => totals[rollup.function] ?? cells[at] ?? null)]
    }),
  )
}

const AGGREGATES: Readonly<Record<Rollup['function'], (column: string) => string>> = {
  count: () => 'count(*)',
  min: (column) => `min(${column})`,
  max: (column) => `max(${column})`,
  sum: () => 'NULL',
  average: () => 'NULL',
}

/** Sums that SQLite cannot add up, of the rows with these ids. */
function exactSums(
  { sql }: Reader,
  linked: Linked,
  column: string,
  ids: readonly string[],
): Map<string, ExactSum> {
  const sums = new Map(ids.map((id) => [id, new ExactSum()]))
  if (ids.length === 0) return sums
  const { id, source } = sourceOf(linked)
  const values = sql.each<{ row: string; value: number }>(
    `SELECT ${id} AS row, ${column} AS value ${source} AND ${column} IS NOT NULL`,
    JSON.stringify(ids),
  )
  for (const { row, value } of values) sums.get(row)?.add(value)
  return sums
}

/** A reader that may report findings (`total-cache.ts`). */
interface Reporter extends Reader {
  report?(finding: unknown): void
}

/** The index that serves a roll-up: on the link, and on the values, so that no row is read. */
const indexFor = ({ link, values }: Linked): string =>
  [link, ...(values ? [values] : [])].map(({ column }) => valueColumn(column)).join(',')

/** Reports the time of the read to the policy of automatic indexes. An index with values serves counts, too. */
function report(snapshot: Reporter, all: readonly Linked[]): void {
  const single = all.filter(({ link }) => !link.multiple)
  const names = Map.groupBy(single, ({ structure }) => structure)
  for (const [structure, linked] of names) {
    const present = listAutoIndexes(snapshot, structure.pk)
    const wanted = new Set(linked.map(indexFor))
    const needed = [...wanted].filter((name) => ![...wanted].some((other) => other.startsWith(`${name},`)))
    const costs = {
      ...{ structurePk: structure.pk, rows: structure.live },
      ...{
        missing: needed.filter((name) => !present.includes(name)),
        used: needed.filter((name) => present.includes(name)),
      },
    }
    snapshot.report?.({ costs })
  }
}

/** The value without any linked row; null for none. */
const overNothing = (rollup: Rollup, linked: Linked | undefined): number | null =>
  rollup.function === 'count' || (rollup.function === 'sum' && linked) ? 0 : null

/** The values of a structure's roll-ups for these rows, by key of the field and id of the row; null for none. */
export function rollupValues(
  snapshot: Reporter,
  caller: InWorkspace,
  structure: StructureRow,
  rows: readonly string[],
): Map<string, (id: string) => Cell> {
  const ids = JSON.stringify(rows)
  const find = readableStructures(snapshot, caller)
  const resolved = definitionOf(structure).rollups.flatMap(({ key, rollup }) =>
    rollup ? [{ key, rollup, linked: linkedBy(find, rollup) }] : [],
  )
  const all = resolved.filter((one): one is Linking => one.linked !== undefined)
  const found = new Map<string, (id: string) => Cell | undefined>()
  for (const batch of batchesOf(all)) {
    const cells = valuesOf(snapshot, batch, ids)
    for (const [at, { key }] of batch.entries()) found.set(key, (id) => cells.get(id)?.[at])
  }
  report(
    snapshot,
    all.map(({ linked }) => linked),
  )
  return new Map(
    resolved.map(({ key, rollup, linked }) => [
      key,
      (id) => finite(found.get(key)?.(id) ?? overNothing(rollup, linked)),
    ]),
  )
}

const finite = (value: Cell): Cell => (typeof value === 'number' && !Number.isFinite(value) ? null : value)

/** The type of a roll-up's values; undefined if it has none. */
export function rollupType(
  reader: Reader,
  caller: InWorkspace,
  { rollup }: FieldDefinition,
): 'number' | 'date' | 'datetime' | undefined {
  const linked = rollup && linkedBy(readableStructures(reader, caller), rollup)
  if (!linked) return undefined
  const type = linked.values && valueTypeOf(linked.values)
  return type === 'date' || type === 'datetime' ? type : 'number'
}

/** The rows with the values of the structure's roll-ups in their data, which keeps the order of the fields. */
export function withRollups<Row extends { readonly id: string; readonly data: string }>(
  snapshot: Reporter,
  caller: InWorkspace,
  structure: StructureRow,
  rows: Row[],
): Row[] {
  const { fields, rollups } = definitionOf(structure)
  if (rollups.length === 0 || rows.length === 0) return rows
  const values = rollupValues(
    snapshot,
    caller,
    structure,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => {
    const stored = JSON.parse(row.data) as RecordData
    const data: Record<string, unknown> = {}
    for (const { key } of fields) {
      const value = values.get(key)?.(row.id) ?? (Object.hasOwn(stored, key) ? stored[key] : null)
      if (value !== null) data[key] = value
    }
    return { ...row, data: JSON.stringify(data) }
  })
}

const ROWS_AT_ONCE = 100
/** In characters. */
const LENGTH_AT_ONCE = 1_000_000

/** The same for rows that are too long to be held together. */
export function* eachWithRollups(
  snapshot: Reporter,
  caller: InWorkspace,
  structure: StructureRow,
  rows: Iterable<RecordRow>,
): Generator<RecordRow> {
  if (definitionOf(structure).rollups.length === 0) {
    yield* rows
    return
  }
  let batch: RecordRow[] = []
  let length = 0
  for (const row of rows) {
    batch.push(row)
    length += row.data.length
    if (batch.length < ROWS_AT_ONCE && length < LENGTH_AT_ONCE) continue
    yield* withRollups(snapshot, caller, structure, batch)
    batch = []
    length = 0
  }
  yield* withRollups(snapshot, caller, structure, batch)
}
