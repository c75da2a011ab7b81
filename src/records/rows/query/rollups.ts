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
 * Roll-ups of the rows of a page: one statement for each roll-up, whatever the number of rows. Rows that the caller may
 * not read do not count.
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

const AGGREGATES = { count: 'count(*)', min: 'min', max: 'max' } as const

/** The value of a roll-up for each id that has one. */
function valuesOf(reader: Reader, rollup: Rollup, linked: Linked, ids: string): Map<string, Cell> {
  const { id, source } = sourceOf(linked)
  const column = linked.values && valueColumn(linked.values.column)
  const { function: name } = rollup
  if (name === 'sum' || name === 'average') {
    const totals = totalsOf(reader, { id, column: String(column), source }, ids)
    return new Map(Array.from(totals, ([row, { sum, count }]) => [row, name === 'sum' ? sum : sum / count]))
  }
  const aggregate = name === 'count' ? AGGREGATES.count : `${AGGREGATES[name]}(${column})`
  return new Map(reader.sql.rows<[string, Cell]>(`SELECT ${id}, ${aggregate} ${source} GROUP BY ${id}`, ids))
}

interface Total {
  readonly sum: number
  readonly count: number
}

/** Whether every partial sum of a group is a whole number that a double holds exactly. */
const isSafe = (column: string): string =>
  `total(${column} <> CAST(${column} AS INTEGER)) = 0 AND max(abs(${column})) * count(*) <= ${Number.MAX_SAFE_INTEGER}`

/** Sums of values that do not depend on the order of the rows: SQLite adds up only whole numbers. */
function totalsOf(
  { sql }: Reader,
  { id, column, source }: { readonly id: string; readonly column: string; readonly source: string },
  ids: string,
): Map<string, Total> {
  const rows = `${source} AND ${column} IS NOT NULL`
  const totals = new Map<string, Total>()
  const inexact = new Map<string, ExactSum>()
  const groups = sql.rows<[string, number, number, number]>(
    `SELECT ${id}, count(*), total(${column}), ${isSafe(column)} ${rows} GROUP BY ${id}`,
    ids,
  )
  for (const [row, count, sum, isExact] of groups) {
    totals.set(row, { sum, count })
    if (isExact !== 1) inexact.set(row, new ExactSum())
  }
  if (inexact.size === 0) return totals
  const values = sql.each<{ row: string; value: number }>(
    `SELECT ${id} AS row, ${column} AS value ${rows}`,
    JSON.stringify([...inexact.keys()]),
  )
  for (const { row, value } of values) inexact.get(row)?.add(value)
  for (const [row, exact] of inexact)
    totals.set(row, { sum: exact.value(), count: totals.get(row)?.count ?? 0 })
  return totals
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
  const all: Linked[] = []
  const values = new Map(
    definitionOf(structure).rollups.map(({ key, rollup }): [string, (id: string) => Cell] => {
      if (!rollup) return [key, () => null]
      const linked = linkedBy(find, rollup)
      if (linked) all.push(linked)
      const found = linked && valuesOf(snapshot, rollup, linked, ids)
      return [key, (id) => finite(found?.get(id) ?? overNothing(rollup, linked))]
    }),
  )
  report(snapshot, all)
  return values
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
