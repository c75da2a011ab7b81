import type { FieldValue } from '../../changes/record-change.ts'
import type { InWorkspace } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { valueColumn } from '../../db/row-tables.ts'
import type { SqlPart } from '../../db/sql-part.ts'
import type { QueryPlan, WorkerQuery } from '../../db/worker/client.ts'
import { compareNames } from '../../lib/text.ts'
import { findTimeZone } from '../../lib/time-zones.ts'
import { fail, invalid, refused } from '../../refusal.ts'
import type { Definition, FieldDefinition } from '../../structures/definition.ts'
import type { ReadCosts } from '../../structures/storage/index-policy.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import { chooseDriver, type Driver, FEW, type Indexes, scanEntry, usableIndexes } from './index-choice.ts'
import { rowQuery } from './list.ts'
import { comparePeriods, type Period, periodOfDate, periodOfInstant } from './periods.ts'
import { weighRow } from './row-cost.ts'
import { type RowQuery, rowSource } from './row-query.ts'
import { filterScans, lessonOf } from './scan-costs.ts'
import { searchEntry } from './text-search.ts'

export interface SummaryRequest {
  structure: string
  field?: string
  period?: Period
  by?: string
  date?: string
  tz?: string
  filter?: string
}

/** What one group of rows comes to. */
export interface Bucket {
  readonly period: string | null
  readonly value: FieldValue | null
  count: number
  /** Of rows with a value in the field. */
  valued: number
  sum: number
  /** What rounding took from `sum` so far, so that many small parts are not lost. */
  lost: number
  min: number
  max: number
}

export interface Summary {
  readonly buckets: Bucket[]
  /** False when no field is added up. */
  readonly hasField: boolean
}

type Cell = string | number | null
/** What is not asked for, and nothing after it is, is left out. */
type Row = [number?: number | null, by?: Cell, date?: Cell]

/** A group's key made of a cell. */
type Grouping = (cell: Cell) => string | null

const MAX_BUCKETS = 10_000

const emptyBucket = (period: string | null, value: FieldValue | null): Bucket => ({
  period,
  value,
  count: 0,
  valued: 0,
  sum: 0,
  lost: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
})

/** Who asks, and for which sums. */
export interface SummaryInput {
  caller: InWorkspace
  request: SummaryRequest
}

interface SummaryPlan extends QueryPlan {
  readonly query: RowQuery
  readonly indexes: Indexes
  readonly driver: Driver | undefined
  /** What makes a `Row`. */
  readonly columns: readonly string[]
  readonly periodOf: Grouping
  readonly field: FieldDefinition | undefined
  readonly by: FieldDefinition | undefined
  readonly isGrouped: boolean
}

export interface SummaryOutcome {
  readonly summary: Summary
  readonly lesson: ReadCosts
}

/**
 * Adds up rows: all in one bucket, per period, per value of a field, or per pair of both. Ordered by period,
 * then value, those without one last (contract, section 5). More than 10,000 buckets are refused.
 */
export const summaryRead: WorkerQuery<SummaryInput, SummaryPlan, SummaryOutcome> = {
  name: 'records.summary',
  plan: planSummary,
  run: (reader, plan) => {
    const { query, indexes, driver, columns, periodOf, field, by } = plan
    const started = performance.now()
    const searched = driver?.few === undefined ? searchEntry(reader, query, indexes) : undefined
    const { text, values } = rowSource(query, searched ?? scanEntry(driver))
    const buckets = plan.isGrouped
      ? grouped(reader.sql.rows<Row>(`SELECT ${columns.join(', ')} ${text}`, ...values), periodOf, by)
      : [whole(reader, columns[0] ?? 'NULL', { text, values })]
    const scans = filterScans(query.conditions, driver, performance.now() - started)
    return {
      summary: { buckets: buckets.sort(compareBuckets), hasField: field !== undefined },
      lesson: searched
        ? lessonOf(query, indexes, [], [TEXT_INDEX])
        : lessonOf(query, indexes, scans, [driver?.index.column]),
    }
  },
}

function planSummary(reader: Reader, { caller, request }: SummaryInput): SummaryPlan {
  const zone = findTimeZone(request.tz ?? 'UTC') ?? fail(unknownZone())
  const query = rowQuery(reader, caller, request)
  const { definition } = query
  const dated = datedBy(definition, request.date ?? 'created_at')
  const field = request.field === undefined ? undefined : numberField(definition, request.field)
  const by = request.by === undefined ? undefined : byField(definition, request.by)
  const indexes = usableIndexes(reader, query)
  const driver = chooseDriver(reader, query, indexes)
  const date = request.period && dated.column
  const scanned = driver?.few === undefined ? query.structure.live : FEW
  return {
    query,
    indexes,
    driver,
    columns: rowColumns(field && valueColumn(field.column), by && valueColumn(by.column), date),
    periodOf: request.period ? dated.grouping(request.period, zone) : () => null,
    field,
    by,
    isGrouped: request.period !== undefined || by !== undefined,
    rows: scanned * weighRow(reader, query),
  }
}

/** As few as can be: a million rows are read twice as fast with one column as with three. */
function rowColumns(...wanted: readonly (string | undefined)[]): string[] {
  const last = wanted.findLastIndex((column) => column !== undefined)
  return wanted.slice(0, Math.max(1, last + 1)).map((column) => column ?? 'NULL')
}

const unknownZone = () =>
  invalid('The query parameter "tz" must be the IANA name of a time zone, such as Europe/Berlin.')

function getField({ byKey }: Definition, parameter: string, key: string): FieldDefinition {
  return (
    byKey.get(key) ?? fail(refused(`"${parameter}" names "${key}", and the structure has no such field.`))
  )
}

function numberField(definition: Definition, key: string): FieldDefinition {
  const field = getField(definition, 'field', key)
  if (field.type === 'number') return field
  throw refused(`"field" names "${key}", of type ${field.type}; only a number field can be added up.`)
}

const byField = (definition: Definition, key: string): FieldDefinition => getField(definition, 'by', key)

interface Dating {
  readonly column: string
  grouping(period: Period, zone: NonNullable<ReturnType<typeof findTimeZone>>): Grouping
}

/** What dates a row for a period: instants are placed by the zone, calendar dates are not shifted. */
function datedBy(definition: Definition, key: string): Dating {
  if (key === 'created_at' || key === 'updated_at') return byInstant(key, Number)
  const { type, column } = getField(definition, 'date', key)
  if (type === 'datetime') return byInstant(valueColumn(column), (cell) => Date.parse(String(cell)))
  if (type !== 'date')
    throw refused(`"date" names "${key}", of type ${type}; only a date or datetime field dates a row.`)
  return {
    column: valueColumn(column),
    grouping: (period) => {
      const firstDay = periodOfDate(period)
      return (cell) => (cell === null ? null : firstDay(String(cell)))
    },
  }
}

const byInstant = (column: string, instantOf: (cell: string | number) => number): Dating => ({
  column,
  grouping: (period, zone) => {
    const firstDay = periodOfInstant(period, zone)
    return (cell) => (cell === null ? null : firstDay(instantOf(cell)))
  },
})

/**
 * Everything in one bucket. SQLite adds up as exactly as `add` does; groups it would sort by, which takes longer
 * than reading them out.
 */
function whole({ sql }: Reader, column: string, { text, values }: SqlPart): Bucket {
  const aggregates = `count(*), count(${column}), sum(${column}), min(${column}), max(${column})`
  const [[count, valued, sum, min, max] = [0, 0, null, null, null]] = sql.rows<
    [number, number, number | null, number | null, number | null]
  >(`SELECT ${aggregates} ${text}`, ...values)
  const empty = emptyBucket(null, null)
  if (valued === 0) return { ...empty, count }
  // Without a number only where infinities of both signs met.
  return { ...empty, count, valued, sum: sum ?? Number.NaN, min: min ?? empty.min, max: max ?? empty.max }
}

function grouped(rows: readonly Row[], periodOf: Grouping, by: FieldDefinition | undefined): Bucket[] {
  const periods = new Map<string | null, Map<Cell, Bucket>>()
  let count = 0
  for (const row of rows) {
    const number = row[0] ?? null
    const cell = row[1] ?? null
    const period = periodOf(row[2] ?? null)
    const buckets = periods.get(period) ?? new Map<Cell, Bucket>()
    const bucket = buckets.get(cell) ?? emptyBucket(period, byValue(cell, by))
    if (bucket.count === 0) {
      if (++count > MAX_BUCKETS) throw tooMany()
      periods.set(period, buckets.set(cell, bucket))
    }
    bucket.count += 1
    if (number !== null) add(bucket, number)
  }
  return [...periods.values()].flatMap((buckets) => [...buckets.values()])
}

const byValue = (cell: Cell, by: FieldDefinition | undefined): FieldValue | null =>
  cell !== null && by?.type === 'bool' ? cell === 1 : cell

const tooMany = () =>
  refused(
    `The summary has more than ${MAX_BUCKETS.toLocaleString('en-US')} buckets; choose a longer period or narrow it with a filter.`,
  )

/** Adds a number exactly enough: the rounding error of each step is kept and given back at the end. */
function add(bucket: Bucket, number: number): void {
  const { sum } = bucket
  const next = sum + number
  bucket.lost += Math.abs(sum) >= Math.abs(number) ? sum - next + number : number - next + sum
  bucket.sum = next
  bucket.valued += 1
  if (number < bucket.min) bucket.min = number
  if (number > bucket.max) bucket.max = number
}

const nullsLast = <Value>(
  left: Value | null,
  right: Value | null,
  compare: (left: Value, right: Value) => number,
): number => {
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  return compare(left, right)
}

const compareValues = (left: FieldValue, right: FieldValue): number =>
  typeof left === 'string' || typeof right === 'string'
    ? compareNames(String(left), String(right))
    : Number(left) - Number(right)

const compareBuckets = (left: Bucket, right: Bucket): number =>
  nullsLast(left.period, right.period, comparePeriods) || nullsLast(left.value, right.value, compareValues)
