import type { Static } from '@sinclair/typebox'
import type { InWorkspace } from '../../../context.ts'
import { valueTypeOf } from '../../../filter/record/field-types.ts'
import { read, type Snapshot } from '../../../kernel/operation.ts'
import { memoize } from '../../../lib/bounded-cache.ts'
import { DAY_MS } from '../../../lib/dates.ts'
import { ExactSum } from '../../../lib/exact-sum.ts'
import type { FieldValue } from '../../../lib/record-data.ts'
import { atPlace, fail, invalid, refused } from '../../../lib/refusal.ts'
import { compareNames, withCommas } from '../../../lib/text.ts'
import { findTimeZone, type TimeZone } from '../../../lib/time-zones.ts'
import type { Reader } from '../../../storage/reader.ts'
import { valueColumn } from '../../../storage/row-table-names.ts'
import type { SqlPart } from '../../../storage/sql.ts'
import { indexName } from '../../structures/storage/auto-index.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import type { Definition, FieldDefinition } from '../../structures/store.ts'
import { presentBuckets } from '../present.ts'
import type { PERIODS, SummaryQuery } from '../schema.ts'
import { chooseIndex, missingForFilter, readCosts, scanPath } from './planner.ts'
import {
  indexesFor,
  isPresent,
  type ParsedRequest,
  parseRequest,
  pkSource,
  type RowQuery,
  rowQuery,
  scanSource,
  textIndexPath,
  withView,
} from './row-query.ts'
import { learnOfRows, reportRows } from './total-cache.ts'
import type { UsableIndex } from './usable-indexes.ts'

type SummaryRequest = Static<typeof SummaryQuery>

type Period = (typeof PERIODS)[number]

export interface Bucket {
  readonly period: string | null
  readonly value: FieldValue | null
  readonly count: number
  /** The number of rows with a value in the field; the members below cover these rows. */
  readonly valued: number
  /** Computed exactly and rounded once, so it does not depend on the order of rows; may be infinite. */
  readonly sum: number
  readonly min: number
  readonly max: number
}

export interface Summary {
  readonly buckets: Bucket[]
  /** Whether the request names a field; without one there are only counts. */
  readonly hasField: boolean
}

export type Cell = string | number | null
/** Unneeded columns are omitted from the end. */
type Row = [number?: number | null, by?: Cell, date?: Cell]

/** Returns the period of the value that dates a row. */
type PeriodOf = (cell: Cell) => string | null

const MAX_BUCKETS = 10_000

/** A bucket while rows are added to it. */
class Tally {
  count = 0
  #valued = 0
  #sum: ExactSum | undefined
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY

  constructor(
    readonly period: string | null,
    readonly value: FieldValue | null,
  ) {}

  add(number: number | null): void {
    this.count += 1
    if (number === null) return
    this.#sum ??= new ExactSum()
    this.#sum.add(number)
    this.#valued += 1
    if (number < this.#min) this.#min = number
    if (number > this.#max) this.#max = number
  }

  bucket(): Bucket {
    const { period, value, count } = this
    const sum = this.#sum?.value() ?? 0
    return { period, value, count, valued: this.#valued, sum, min: this.#min, max: this.#max }
  }
}

interface SummaryInput {
  caller: InWorkspace
  request: ParsedRequest<SummaryRequest>
}

type SummaryPlan = ReturnType<typeof planSummary>

/**
 * Aggregates rows: all in one bucket, per period, per value of a field, or per pair of both. Buckets are ordered by
 * period, then value; missing ones come last. More than 10,000 buckets are refused.
 */
export const summariseRecords = read({
  name: 'records.summary',
  covers: 'structures',
  run: (snapshot, caller, request: SummaryRequest) => ({
    buckets: presentBuckets(summarise(snapshot, { caller, request: parseRequest(request) })),
  }),
  learn: learnOfRows,
})

/** The summary of a request; `learnOfRows` takes the reported findings. */
export function summarise(snapshot: Snapshot, input: SummaryInput): Summary {
  const plan = planSummary(snapshot, input)
  const { query, indexes, choice, columns, periodOf, field, by } = plan
  const report = (name: string | undefined, listMissing: () => readonly string[] = () => []) =>
    reportRows(snapshot, { costs: readCosts(snapshot, query, indexes, { listMissing, used: [name] }) })
  const index = wholeIndex(plan)
  if (index) {
    const buckets = [wholeOfIndex(snapshot, query, index)]
    report(index.name)
    return { buckets, hasField: true }
  }
  const textPath = choice?.few === undefined ? textIndexPath(snapshot, query, indexes) : undefined
  const { text, values } = scanSource(snapshot, query, textPath ?? scanPath(choice))
  const buckets = plan.isGrouped
    ? grouped(snapshot.sql.rows<Row>(`SELECT ${columns.join(', ')} ${text}`, ...values), periodOf, by)
    : [whole(snapshot, field && columns[0], { text, values })]
  buckets.sort(compareBuckets)
  if (textPath) report(TEXT_INDEX)
  else report(choice?.index.name, () => missingForFilter(query, choice))
  return { buckets, hasField: field !== undefined }
}

function planSummary(reader: Reader, { caller, request }: SummaryInput) {
  const zone = zoneNamed(request.tz)
  const query = rowQuery(reader, caller, withView(reader, caller, request))
  const { definition } = query
  const dated = datedBy(definition, request.date ?? 'created_at')
  const field = request.field === undefined ? undefined : numberField(definition, request.field)
  const by = request.by === undefined ? undefined : byField(definition, request.by)
  const indexes = indexesFor(reader, query)
  const choice = chooseIndex(reader, query, indexes)
  const date = request.period && dated.column
  return {
    query,
    indexes,
    choice,
    columns: rowColumns(field && valueColumn(field.column), by && valueColumn(by.column), date),
    periodOf: request.period ? dated.periodOf(request.period, zone) : (): null => null,
    field,
    by,
    isGrouped: request.period !== undefined || by !== undefined,
  }
}

/** The fewest possible columns: a million rows are read twice as fast with one column as with three. */
function rowColumns(...wanted: readonly (string | undefined)[]): string[] {
  const last = wanted.findLastIndex((column) => column !== undefined)
  return wanted.slice(0, Math.max(1, last + 1)).map((column) => column ?? 'NULL')
}

/** The requested time zone, by default UTC. */
export const zoneNamed = (tz = 'UTC'): TimeZone =>
  findTimeZone(tz) ??
  fail(
    invalid(
      'The query parameter "tz" must be the IANA name of a time zone, such as Europe/Berlin.',
      atPlace('tz'),
    ),
  )

function getField({ byKey }: Definition, parameter: string, key: string): FieldDefinition {
  return (
    byKey.get(key) ??
    fail(refused(`"${parameter}" names "${key}", and the structure has no such field.`, atPlace(parameter)))
  )
}

function numberField(definition: Definition, key: string): FieldDefinition {
  const field = getField(definition, 'field', key)
  if (valueTypeOf(field) === 'number') return field
  throw refused(
    `"field" names "${key}", of type ${field.type}; only a number field can be added up.`,
    atPlace('field'),
  )
}

function byField(definition: Definition, key: string): FieldDefinition {
  const field = getField(definition, 'by', key)
  if (field.type !== 'rollup') return field
  throw refused(`"by" names "${key}", a roll-up; rows cannot be grouped by it.`, atPlace('by'))
}

interface Dating {
  readonly column: string
  periodOf(period: Period, zone: TimeZone): PeriodOf
}

/** The value that dates a row. The time zone decides the day of an instant; it does not shift a calendar date. */
export function datedBy(definition: Definition, key: string): Dating {
  if (key === 'created_at' || key === 'updated_at') return byInstant(key, Number)
  const field = getField(definition, 'date', key)
  const { column } = field
  const type = valueTypeOf(field)
  if (type === 'datetime') return byInstant(valueColumn(column), (cell) => Date.parse(String(cell)))
  if (type !== 'date')
    throw refused(
      `"date" names "${key}", of type ${type}; only a date or datetime field dates a row.`,
      atPlace('date'),
    )
  return {
    column: valueColumn(column),
    periodOf: (period) => {
      const firstDay = periodOfDate(period)
      return (cell) => (cell === null ? null : firstDay(String(cell)))
    },
  }
}

const byInstant = (column: string, instantOf: (cell: string | number) => number): Dating => ({
  column,
  periodOf: (period, zone) => {
    const firstDay = periodOfInstant(period, zone)
    return (cell) => (cell === null ? null : firstDay(instantOf(cell)))
  },
})

/**
 * All rows in one bucket. SQLite counts them only if nothing is summed, because its sums depend on the order of rows.
 */
function whole({ sql }: Reader, column: string | undefined, { text, values }: SqlPart): Bucket {
  const tally = new Tally(null, null)
  if (column === undefined) tally.count = sql.scalar(`SELECT count(*) ${text}`, ...values)
  else
    for (const [number] of sql.rows<[number | null]>(`SELECT ${column} ${text}`, ...values)) tally.add(number)
  return tally.bucket()
}

/** The index with all summed values, if the summary covers all rows. */
const wholeIndex = ({ query, indexes, field, isGrouped }: SummaryPlan): UsableIndex | undefined =>
  field && !isGrouped && query.conditions.length === 0 ? indexes.get(indexName([field])) : undefined

/** An index holds fewer bytes than the rows. */
function wholeOfIndex(reader: Reader, query: RowQuery, index: UsableIndex): Bucket {
  const [column] = index.columns
  if (!column) throw new Error('an index has no column')
  const values = pkSource(reader, query, { by: 'index', index }, [isPresent(column)])
  return { ...whole(reader, column.key, values), count: query.structure.live }
}

function grouped(rows: readonly Row[], periodOf: PeriodOf, by: FieldDefinition | undefined): Bucket[] {
  const periods = new Map<string | null, Map<Cell, Tally>>()
  let count = 0
  let length = 0
  const add = (period: string | null, cell: Cell, number: number | null) => {
    const buckets = periods.get(period) ?? new Map<Cell, Tally>()
    const tally = buckets.get(cell) ?? new Tally(period, byValue(cell, by))
    if (tally.count === 0) {
      if (++count > MAX_BUCKETS) throw tooMany()
      length = withLength(length, cell)
      periods.set(period, buckets.set(cell, tally))
    }
    tally.add(number)
  }
  const cellsOf = valuesOfCell(by)
  for (const row of rows) {
    const period = periodOf(row[2] ?? null)
    for (const cell of cellsOf(row[1] ?? null)) add(period, cell, row[0] ?? null)
  }
  return [...periods.values()].flatMap((buckets) => Array.from(buckets.values(), (tally) => tally.bucket()))
}

/** The values in a cell of a field: the cell itself, or each of several values. */
export const valuesOfCell = (field: FieldDefinition | undefined): ((cell: Cell) => readonly Cell[]) =>
  field?.multiple
    ? (cell) => (cell === null ? [cell] : (JSON.parse(String(cell)) as string[]))
    : (cell) => [cell]

/** Maximum total length of the grouped values, in characters: nobody reads more. */
const MAX_LENGTH = 16_000_000

/** The total length with one more value; refuses too long a total. */
export function withLength(length: number, cell: Cell): number {
  const sum = length + (typeof cell === 'string' ? cell.length : 0)
  if (sum <= MAX_LENGTH) return sum
  throw refused(
    `The values by which the rows are grouped are longer than ${withCommas(MAX_LENGTH)} characters; narrow them with a filter, or name another field.`,
  )
}

export const byValue = (cell: Cell, by: FieldDefinition | undefined): FieldValue | null =>
  cell !== null && by && valueTypeOf(by) === 'bool' ? cell === 1 : cell

const tooMany = () =>
  refused(
    `The summary has more than ${withCommas(MAX_BUCKETS)} buckets; choose a longer period or narrow it with a filter.`,
  )

const nullsLast = <Value>(
  left: Value | null,
  right: Value | null,
  compare: (left: Value, right: Value) => number,
): number => {
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  return compare(left, right)
}

export const compareValues = (left: FieldValue, right: FieldValue): number =>
  typeof left === 'string' || typeof right === 'string'
    ? compareNames(String(left), String(right))
    : Number(left) - Number(right)

const compareBuckets = (left: Bucket, right: Bucket): number =>
  nullsLast(left.period, right.period, comparePeriods) || nullsLast(left.value, right.value, compareValues)

/** All years have four digits. */
const comparePeriods = (left: string, right: string): number => (left < right ? -1 : Number(left > right))

/* Periods: a day, counted from 1 January 1970, is written as `YYYY-MM-DD`. */

/** 1 January 1970, day 0, was a Thursday. */
const MONDAYS_OFFSET = 3
/** Number of cached days per period; more than a summary usually needs. */
const DAYS_KNOWN = 10_000

/** The first and last day that a filter accepts: 0001-01-01 and 9999-12-31. */
const FIRST_DAY = Date.parse('0001-01-01T00:00:00.000Z') / DAY_MS
const LAST_DAY = Date.parse('9999-12-31T00:00:00.000Z') / DAY_MS

const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

const FIRST_DAYS: Record<Period, (day: number) => string> = {
  day: dayText,
  week: (day) => dayText(day - ((((day + MONDAYS_OFFSET) % 7) + 7) % 7)),
  month: (day) => dayText(day).replace(/\d\d$/, '01'),
  year: (day) => dayText(day).replace(/\d\d-\d\d$/, '01-01'),
}

/** The first day of the period of a day. Null outside the years 0001 to 9999, which a time zone can lead to. */
const firstDayOf = (period: Period, day: number): string | null =>
  day < FIRST_DAY || day > LAST_DAY ? null : FIRST_DAYS[period](day)

/** The first day of the period of a calendar date; no time zone shifts it. */
const periodOfDate = (period: Period): ((date: string) => string | null) =>
  memoize((date) => firstDayOf(period, Date.parse(`${date}T00:00:00.000Z`) / DAY_MS), DAYS_KNOWN)

/** The first day of the period of an instant in a time zone. */
function periodOfInstant(period: Period, zone: TimeZone): (instant: number) => string | null {
  const firstDay = memoize((day: number) => firstDayOf(period, day), DAYS_KNOWN)
  return (instant) => firstDay(Math.floor((instant + zone.offsetAt(instant)) / DAY_MS))
}
