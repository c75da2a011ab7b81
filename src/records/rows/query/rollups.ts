import type { InWorkspace } from '../../../context.ts'
import { may } from '../../../kernel/caller.ts'
import { ExactSum } from '../../../lib/exact-sum.ts'
import type { RecordData } from '../../../lib/record-data.ts'
import { scanOf } from '../../../lib/scan.ts'
import type { Reader } from '../../../storage/reader.ts'
import { liveRows, valueColumn } from '../../../storage/row-table-names.ts'
import type { Rollup } from '../../structures/rollups.ts'
import { listAutoIndexes } from '../../structures/storage/auto-index.ts'
import {
  definitionOf,
  type FieldDefinition,
  findStructureById,
  type StructureRow,
} from '../../structures/store.ts'

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

/** The linked rows of a roll-up; undefined if the caller may not read them, or if they do not exist any more. */
function linkedBy(reader: Reader, caller: InWorkspace, { via, field }: Rollup): Linked | undefined {
  const structure = findStructureById(reader, caller, via.structure)
  if (!structure || !may(caller.rights, structure.id, 'read')) return undefined
  const { byKey } = definitionOf(structure)
  const link = byKey.get(via.field)
  const values = field === undefined ? undefined : byKey.get(field)
  if (!link || (field !== undefined && !values)) return undefined
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
    const rows = reader.sql.rows<[string, number]>(
      `SELECT ${id}, ${column} ${source} AND ${column} IS NOT NULL`,
      ids,
    )
    return summed(rows, name === 'average')
  }
  const aggregate = name === 'count' ? AGGREGATES.count : `${AGGREGATES[name]}(${column})`
  return new Map(reader.sql.rows<[string, Cell]>(`SELECT ${id}, ${aggregate} ${source} GROUP BY ${id}`, ids))
}

/** The values of one row's roll-up, added up. Whole numbers need no exact sum while their sums are safe. */
class Total {
  count = 0
  #whole = 0
  #exact: ExactSum | undefined

  add(value: number): void {
    this.count += 1
    const whole = this.#whole + value
    if (!this.#exact && Number.isSafeInteger(value) && Number.isSafeInteger(whole)) {
      this.#whole = whole
      return
    }
    if (!this.#exact) {
      this.#exact = new ExactSum()
      this.#exact.add(this.#whole)
    }
    this.#exact.add(value)
  }

  get sum(): number {
    return this.#exact ? this.#exact.value() : this.#whole
  }
}

/** Sums do not depend on the order of the rows. */
function summed(rows: readonly (readonly [string, number])[], isAverage: boolean): Map<string, number> {
  const totals = new Map<string, Total>()
  for (const [id, value] of rows) {
    const total = totals.get(id) ?? new Total()
    totals.set(id, total)
    total.add(value)
  }
  return new Map(Array.from(totals, ([id, { sum, count }]) => [id, isAverage ? sum / count : sum]))
}

/** A reader that may report findings (`total-cache.ts`). */
interface Reporter extends Reader {
  report?(finding: unknown): void
}

/** Reports the time of the statement to the policy of automatic indexes. */
function report(snapshot: Reporter, { structure, link }: Linked): void {
  const column = valueColumn(link.column)
  const isIndexed = listAutoIndexes(snapshot, structure.pk).includes(column)
  if (link.multiple) return
  const costs = {
    ...{ structurePk: structure.pk, rows: structure.live },
    ...{ missing: isIndexed ? [] : [column], used: isIndexed ? [column] : [] },
  }
  snapshot.report?.({ costs })
}

/** The value without any linked row; null for none. */
const overNothing = (rollup: Rollup, linked: Linked | undefined): number | null =>
  rollup.function === 'count' || (rollup.function === 'sum' && linked) ? 0 : null

/** The rows with the values of the structure's roll-ups in their data, which keeps the order of the fields. */
export function withRollups<Row extends { readonly id: string; readonly data: string }>(
  snapshot: Reporter,
  caller: InWorkspace,
  structure: StructureRow,
  rows: Row[],
): Row[] {
  const { fields, rollups } = definitionOf(structure)
  if (rollups.length === 0 || rows.length === 0) return rows
  const ids = JSON.stringify(rows.map(({ id }) => id))
  const values = new Map(
    rollups.map(({ key, rollup }) => {
      if (!rollup) return [key, () => null]
      const linked = linkedBy(snapshot, caller, rollup)
      const found = linked && valuesOf(snapshot, rollup, linked, ids)
      if (linked) report(snapshot, linked)
      return [key, (id: string) => found?.get(id) ?? overNothing(rollup, linked)]
    }),
  )
  return rows.map((row) => {
    const stored = JSON.parse(row.data) as RecordData
    const data: Record<string, unknown> = {}
    for (const { key } of fields) {
      const value = values.get(key)?.(row.id) ?? (Object.hasOwn(stored, key) ? stored[key] : null)
      if (value !== null && Number.isFinite(typeof value === 'number' ? value : 0)) data[key] = value
    }
    return { ...row, data: JSON.stringify(data) }
  })
}
