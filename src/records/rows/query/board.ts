import type { Static } from '@sinclair/typebox'
import type { InWorkspace } from '../../../context.ts'
import { rulesOf, valueTypeOf } from '../../../filter/record/field-types.ts'
import { read, type Snapshot } from '../../../kernel/operation.ts'
import { DEFAULT_LIMIT } from '../../../lib/pagination.ts'
import type { FieldValue } from '../../../lib/record-data.ts'
import { atPlace, fail, invalid, refused } from '../../../lib/refusal.ts'
import { withCommas } from '../../../lib/text.ts'
import { valueColumn } from '../../../storage/row-table-names.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import type { FieldDefinition, StructureRow } from '../../structures/store.ts'
import { boardResponse } from '../present.ts'
import type { BoardQuery, DaysQuery } from '../schema.ts'
import { loadPage, type RecordRow } from '../store.ts'
import { chooseIndex, missingForFilter, readCosts, scanPath } from './planner.ts'
import { withRollups } from './rollups.ts'
import {
  indexesFor,
  orderBy,
  type ParsedRequest,
  parseRequest,
  type RowQuery,
  rowQuery,
  scanSource,
  sortTarget,
  textIndexPath,
  withView,
} from './row-query.ts'
import { byValue, type Cell, compareValues, datedBy, valuesOfCell, withLength, zoneNamed } from './summary.ts'
import { cachedList, learnOfRows, reportRows, totalKeyText } from './total-cache.ts'

type BoardRequest = Static<typeof BoardQuery>

/** Columns for each day of a date or datetime field. The time zone, by default UTC, decides the day of an instant. */
interface ByDay {
  readonly date: string
  readonly tz?: string | undefined
}

interface BoardInput {
  readonly caller: InWorkspace
  readonly request: ParsedRequest<BoardRequest>
  readonly byDay?: ByDay | undefined
}

export interface BoardColumn {
  readonly value: FieldValue | null
  readonly total: number
  /** The first rows of the column, in board order. */
  readonly rows: readonly RecordRow[]
}

/** Maximum number of columns of a board by days. */
const MAX_DAYS = 1_000

/** The rows of one value or one day: their number, and the pks of the first ones. */
interface Stack {
  total: number
  readonly pks: number[]
}

interface Stacks {
  readonly byValue: ReadonlyMap<Cell, Stack>
  readonly total: number
}

/** `total` counts a row once, also if it is in several columns. */
export interface Board {
  readonly columns: readonly BoardColumn[]
  readonly total: number
}

/** The rows in columns by the values of a field, as JSON text. */
export const readBoard = read({
  name: 'records.board',
  covers: 'structures',
  run: (snapshot, caller, request: BoardRequest) =>
    boardResponse(boardColumns(snapshot, { caller, request: parseRequest(request) })),
  learn: learnOfRows,
})

/** The rows in columns by days, as JSON text. */
export const readDays = read({
  name: 'records.days',
  covers: 'structures',
  run: (snapshot, caller, { date, tz, ...request }: Static<typeof DaysQuery>) =>
    boardResponse(boardColumns(snapshot, { caller, request: parseRequest(request), byDay: { date, tz } })),
  learn: learnOfRows,
})

/** The columns by the values of a field, or by days; `learnOfRows` takes the reported findings. */
export function boardColumns(snapshot: Snapshot, { caller, request: sent, byDay }: BoardInput): Board {
  const request = withView(snapshot, caller, sent)
  const query = rowQuery(snapshot, caller, request)
  const field = byDay ? dateField(query, byDay.date) : groupField(query, request.group_by ?? request.groupBy)
  const dayOf = byDay && datedBy(query.definition, field.key).periodOf('day', zoneNamed(byDay.tz))
  const sort = sortTarget(query.definition, request.sort)
  const { direction, limit = DEFAULT_LIMIT } = request
  const order = orderBy(query.structure, sort, { direction, isReversed: false })
  const indexes = indexesFor(snapshot, query)
  const choice = chooseIndex(snapshot, query, indexes)
  const path = choice?.few === undefined ? textIndexPath(snapshot, query, indexes) : undefined
  const key = `${limit} ${field.column} ${byDay && `by day ${byDay.tz}`} ${order} ${totalKeyText(query)}`
  const stacks = cachedList(snapshot, key, () => {
    const { text, values } = scanSource(snapshot, query, path ?? scanPath(choice))
    const rows = snapshot.sql.rows<[Cell, number]>(
      `SELECT ${valueColumn(field.column)}, pk ${text} ${order}`,
      ...values,
    )
    return stacked(rows, limit, dayOf ? (cell) => [dayOf(cell)] : valuesOfCell(field))
  })
  const listMissing = () => (path ? [] : missingForFilter(query, choice))
  const used = [path ? TEXT_INDEX : choice?.index.name]
  const costs = readCosts(snapshot, query, indexes, { listMissing, used })
  const columns = columnsOf(snapshot, caller, query.structure, field, stacks.byValue)
  reportRows(snapshot, { costs, ordered: { key, rows: stacks } })
  return { columns, total: stacks.total }
}

const isDated = (field: FieldDefinition): boolean =>
  valueTypeOf(field) === 'date' || valueTypeOf(field) === 'datetime'

function dateField({ definition: { byKey } }: RowQuery, key: string): FieldDefinition {
  const field = byKey.get(key)
  if (field && isDated(field)) return field
  throw refused(`"date" names "${key}"; it takes a field of type date or datetime.`, atPlace('date'))
}

function groupField({ definition: { byKey } }: RowQuery, key: string | undefined): FieldDefinition {
  if (key === undefined)
    throw invalid(
      'The query parameter "group_by" is required: a select, bool or user field, whose values are the columns.',
      atPlace('group_by'),
    )
  const field =
    byKey.get(key) ??
    fail(refused(`"group_by" names "${key}", and the structure has no such field.`, atPlace('group_by')))
  if (rulesOf(field).groups) return field
  throw refused(
    `"group_by" names "${key}", of type ${valueTypeOf(field)}; it takes a field of type select, bool or user.`,
    atPlace('group_by'),
  )
}

function stacked(
  rows: readonly (readonly [Cell, number])[],
  limit: number,
  columnsIn: (cell: Cell) => readonly Cell[],
): Stacks {
  const stacks = new Map<Cell, Stack>()
  let length = 0
  const add = (cell: Cell, pk: number) => {
    const stack = stacks.get(cell) ?? { total: 0, pks: [] }
    if (stack.total === 0) {
      length = withLength(length, cell)
      stacks.set(cell, stack)
    }
    stack.total += 1
    if (stack.pks.length < limit) stack.pks.push(pk)
  }
  for (const [value, pk] of rows) for (const cell of columnsIn(value)) add(cell, pk)
  return { byValue: stacks, total: rows.length }
}

/** Column values: the options in their order, then other values and days in use, ascending, then none. */
function valuesOf(field: FieldDefinition, used: Iterable<Cell>): Cell[] {
  if (valueTypeOf(field) === 'bool') return [0, 1, null]
  const known = field.options ?? []
  const isOther = (cell: Cell) => cell !== null && !known.includes(String(cell))
  const others = [...used].filter(isOther).map(String)
  if (!isDated(field)) return [...known, ...others.sort(compareValues), null]
  if (others.length <= MAX_DAYS) return [...others.sort(), null]
  throw refused(
    `The rows have more than ${withCommas(MAX_DAYS)} different days in "${field.key}"; narrow them with a filter on it.`,
  )
}

/** Omits rows from the end if the response would be too long; their columns then report more rows. */
function columnsOf(
  snapshot: Snapshot,
  caller: InWorkspace,
  structure: StructureRow,
  field: FieldDefinition,
  stacks: ReadonlyMap<Cell, Stack>,
): BoardColumn[] {
  const columns = valuesOf(field, stacks.keys()).map((cell) => ({
    value: byValue(cell, field),
    ...(stacks.get(cell) ?? { total: 0, pks: [] }),
  }))
  const shown = columns.flatMap(({ pks }) => pks)
  const loaded = withRollups(snapshot, caller, structure, loadPage(snapshot, shown))
  const byPk = new Map(loaded.map((row) => [row.pk, row]))
  return columns.map(({ pks, ...column }) => ({ ...column, rows: pks.flatMap((pk) => byPk.get(pk) ?? []) }))
}
