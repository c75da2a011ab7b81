import type { AppContext, InWorkspace } from '../../context.ts'
import { isSortable, valueTypeOf } from '../../filter/record/field-types.ts'
import { long, read, type Snapshot } from '../../kernel/operation.ts'
import { utcDay } from '../../lib/dates.ts'
import { type Html, html } from '../../lib/html.ts'
import type { RecordData } from '../../lib/record-data.ts'
import { fail, notFound, refused } from '../../lib/refusal.ts'
import { boardColumns } from '../../records/rows/query/board.ts'
import { type ListRequest, listPage, type RecordPage } from '../../records/rows/query/list.ts'
import { parseRequest } from '../../records/rows/query/row-query.ts'
import { learnOfRows } from '../../records/rows/query/total-cache.ts'
import { dataOf, type RecordRow } from '../../records/rows/store.ts'
import {
  type Definition,
  definitionOf,
  type FieldDefinition,
  getStructure,
  type StructureRow,
} from '../../records/structures/store.ts'
import { columnsOf, getRowView, type RowViewRow } from '../../records/views/service.ts'
import type { Reader } from '../../storage/reader.ts'
import { optionsOf } from '../service.ts'
import type { Visit, VisitedShare } from '../visits.ts'
import { pageLinks, visitorOf } from './notes.ts'
import { pageText, shownText, textResponse } from './page.ts'

/** A view of rows with its shown parts. */
export interface SharedRows {
  readonly view: RowViewRow
  readonly structure: StructureRow
  readonly definition: Definition
  /** The columns that visitors see; other columns are never named, sorted by or sent. */
  readonly columns: readonly FieldDefinition[]
}

export function sharedRows(reader: Reader, caller: InWorkspace, target: string): SharedRows {
  const view = getRowView(reader, caller, target)
  const structure = getStructure(reader, caller, view.structureId, 'read')
  const definition = definitionOf(structure)
  const chosen = columnsOf(view)
  const columns = chosen
    ? chosen.flatMap(({ key }) => definition.byKey.get(key) ?? [])
    : definition.fields.filter(({ hidden }) => !hidden)
  return { view, structure, definition, columns }
}

/** A field may be called `constructor`. */
export const valueIn = (data: RecordData, { key }: FieldDefinition): RecordData[string] | undefined =>
  Object.hasOwn(data, key) ? data[key] : undefined

const REFERENCES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  note: ['a note', 'notes'],
  record: ['a row', 'rows'],
  file: ['a file', 'files'],
  user: ['a member', 'members'],
}

/** A value as visitors see it; a reference to another object shows only that there is one. */
export function shownValue(field: FieldDefinition, value: RecordData[string] | undefined): string {
  if (value === undefined || value === null) return ''
  const type = valueTypeOf(field)
  const reference = REFERENCES[type]
  const several = typeof value === 'object' ? value : undefined
  if (reference) return several && several.length > 1 ? `${several.length} ${reference[1]}` : reference[0]
  if (several) return shownText(several.join(', '))
  if (type === 'bool') return value === true ? 'yes' : 'no'
  const isInstant = type === 'datetime' || (type === 'rollup' && String(value).includes('T'))
  if (isInstant) return `${String(value).slice(0, 16).replace('T', ' ')} UTC`
  return shownText(String(value))
}

export const labelOf = ({ label, key }: FieldDefinition): string => (label === null ? key : shownText(label))

/** The name of a row: its label field if shown, else its first column. */
export function nameOf({ structure, columns }: SharedRows, data: RecordData): string {
  const field = columns.find(({ key }) => key === structure.labelField) ?? columns[0]
  const name = field ? shownValue(field, valueIn(data, field)) : ''
  return name === '' ? 'Untitled' : name
}

const PAGE_SIZE = 50

/** The parameters in the address of a page of rows. */
export interface RowsParameters {
  readonly page: number
  readonly sort: string | null
  readonly direction: string | null
  readonly month: string | null
}

interface RowsInput extends Pick<VisitedShare, 'name'> {
  /** The id of the view. */
  readonly target: string
  readonly base: string
  readonly parameters: RowsParameters
  /** The files in which the rows can be downloaded. */
  readonly offers: { readonly csv: boolean; readonly ics: boolean }
}

/** A visit to rows while its page is rendered. */
interface Reading extends Omit<RowsInput, 'target'>, SharedRows {
  readonly snapshot: Snapshot
  readonly caller: InWorkspace
}

const BODIES = { table, board, calendar: month } as const

/** The page of a view of rows, by its kind. */
export const sharedRowsPage = long(
  read({
    name: 'shares.rows',
    covers: 'several',
    run: (snapshot, caller, { target, ...input }: RowsInput) => {
      const reading: Reading = {
        ...input,
        ...sharedRows(snapshot, caller, target),
        snapshot,
        caller,
      }
      const { view, base, offers } = reading
      const title = shownText(input.name ?? view.name)
      const files = [
        offers.csv && html`<a href="${base}.csv">As CSV</a> `,
        offers.ics && view.kind === 'calendar' && html`<a href="${base}.ics">As a calendar (ics)</a>`,
      ].filter((one) => one !== false)
      const main = html`<h1 dir="auto">${title}</h1>${BODIES[view.kind](reading)}${files.length > 0 && html`<p class="pages">${files}</p>`}`
      return pageText({ title, isBroad: true, main })
    },
    learn: learnOfRows,
  }),
)

const listed = ({ snapshot, caller, view }: Reading, request: Omit<ListRequest, 'view'>): RecordPage =>
  listPage(snapshot, { caller, request: parseRequest({ ...request, view: view.id }) }).page

export async function rowsPage(ctx: AppContext, visit: Visit, parameters: RowsParameters): Promise<Response> {
  const { share, base } = visit
  const { name, target } = share
  const visitor = visitorOf(visit)
  const offers = { csv: optionsOf(share).csv === true, ics: share.passwordHash === null }
  const input = { name, target, base, parameters, offers }
  return textResponse(await ctx.kernel.callAs(visitor, sharedRowsPage, input))
}

function table(reading: Reading): Html {
  const { view, columns, base, parameters } = reading
  const { page, sort, direction } = parameters
  if (sort !== null && !columns.some(({ key }) => key === sort))
    throw refused('This table is not sorted by that; choose one of its columns.')
  const isDescending = direction === 'desc'
  const ordered =
    sort === null ? {} : { sort, direction: isDescending ? ('desc' as const) : ('asc' as const) }
  const { rows, total } = listed(reading, { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE, ...ordered })
  const sortedBy = sort ?? view.sort
  const descends = sort === null ? view.direction !== 'asc' : isDescending
  const heads = columns.map((field) => {
    if (!isSortable(field)) return html`<th scope="col">${labelOf(field)}</th>`
    const isSorted = field.key === sortedBy
    const next = isSorted && !descends ? 'desc' : 'asc'
    const order = isSorted && html` aria-sort="${descends ? 'descending' : 'ascending'}"`
    const align = valueTypeOf(field) === 'number' && html` class="number"`
    return html`<th scope="col"${align}${order}><a href="${base}?sort=${field.key}&direction=${next}">${labelOf(field)}</a>${isSorted && (descends ? ' ↓' : ' ↑')}</th>`
  })
  const lines = rows.map((row) => html`<tr>${cells(columns, dataOf(row))}</tr>`)
  const ofSort = sort === null ? '' : `sort=${sort}&direction=${isDescending ? 'desc' : 'asc'}&`
  return html`<p class="by">${total === 1 ? '1 row' : `${total} rows`}</p>
<div class="wide" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>
${pageLinks(page, Math.ceil(total / PAGE_SIZE), (other) => `${base}?${ofSort}page=${other}`)}`
}

const cells = (columns: readonly FieldDefinition[], data: RecordData): Html[] =>
  columns.map((field) => {
    const value = shownValue(field, valueIn(data, field))
    return valueTypeOf(field) === 'number'
      ? html`<td class="number">${value}</td>`
      : html`<td dir="auto">${value}</td>`
  })

function board(reading: Reading): Html {
  const { snapshot, caller, view, definition } = reading
  const request = parseRequest({ view: view.id, limit: PAGE_SIZE })
  const { columns } = boardColumns(snapshot, { caller, request })
  const field = definition.byKey.get(view.groupBy ?? '') ?? fail(notFound('view of rows'))
  const sections = columns.map(({ value, total, rows }) => {
    const cards = rows.map((row) => card(reading, dataOf(row), field))
    const name = value === null ? 'None' : shownValue(field, value)
    const more = total - rows.length
    return html`<section aria-label="${name}"><h2 dir="auto">${name} <span class="dim">${total}</span></h2>${cards}${more > 0 && html`<p class="dim">${more} more</p>`}</section>`
  })
  return html`<div class="board" tabindex="0">${sections}</div>`
}

function card(shared: SharedRows, data: RecordData, group: FieldDefinition): Html {
  const name = nameOf(shared, data)
  const facts = shared.columns
    .filter((field) => field !== group && field.key !== shared.structure.labelField)
    .map((field) => [labelOf(field), shownValue(field, valueIn(data, field))] as const)
    .filter(([, value]) => value !== '' && value !== name)
    .map(([label, value]) => html`<dt>${label}</dt><dd dir="auto">${value}</dd>`)
  return html`<div class="card"><b dir="auto">${name}</b>${facts.length > 0 && html`<dl>${facts}</dl>`}</div>`
}

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/
const MONTH_NAMES =
  'January February March April May June July August September October November December'.split(' ')
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
/** The maximum number of rows that a month shows. */
const MONTH_ROWS = 500

const dayOf = (value: RecordData[string] | undefined): string => String(value ?? '').slice(0, 10)
const utcDate = (year: number, monthIndex: number, day: number): string =>
  new Date(Date.UTC(year, monthIndex, day)).toISOString().slice(0, 10)

export function calendarFields({ view, definition }: SharedRows) {
  const start = definition.byKey.get(view.dateField ?? '') ?? fail(notFound('view of rows'))
  const end = view.endField === null ? undefined : definition.byKey.get(view.endField)
  return { start, end }
}

/** Rows whose days overlap a period, both ends included, and the number of further matches that are not shown. */
function rowsBetween(
  reading: Reading,
  [first, last]: readonly [string, string],
): { rows: RecordRow[]; more: number } {
  const { start, end } = calendarFields(reading)
  const instant = (day: string, isEnd: boolean) =>
    valueTypeOf(start) === 'date' ? day : `${day}T${isEnd ? '23:59:59.999' : '00:00:00'}Z`
  const find = (...filter: readonly object[]) => {
    const order = { limit: MONTH_ROWS, sort: start.key, direction: 'asc' as const }
    const { rows, total } = listed(reading, { filter: JSON.stringify(filter), ...order })
    return { rows, more: total - rows.length }
  }
  const [from, to] = [instant(first, false), instant(last, true)]
  const beginning = find(
    { field: start.key, op: 'gte', value: from },
    { field: start.key, op: 'lte', value: to },
  )
  if (!end) return beginning
  const earlier = find(
    { field: start.key, op: 'lt', value: from },
    { field: end.key, op: 'gte', value: from },
  )
  return { rows: [...earlier.rows, ...beginning.rows], more: earlier.more + beginning.more }
}

/** The names of the rows on each day of a period, and the number of omitted rows. */
function namesByDay(
  reading: Reading,
  days: readonly string[],
): { byDay: Map<string, string[]>; more: number } {
  const { start, end } = calendarFields(reading)
  const byDay = new Map(days.map((day) => [day, [] as string[]]))
  const { rows, more } = rowsBetween(reading, [days[0] ?? '', days.at(-1) ?? ''])
  for (const row of rows) {
    const data = dataOf(row)
    const name = nameOf(reading, data)
    const first = dayOf(valueIn(data, start))
    const last = end ? dayOf(valueIn(data, end) ?? valueIn(data, start)) : first
    if (last <= first) byDay.get(first)?.push(name)
    else for (const [day, names] of byDay) if (first <= day && day <= last) names.push(name)
  }
  return { byDay, more }
}

function month(reading: Reading): Html {
  const { base, parameters, snapshot } = reading
  const thisMonth = utcDay(snapshot.now).slice(0, 7)
  const [, year = '', number = ''] = MONTH.exec(parameters.month ?? '') ?? MONTH.exec(thisMonth) ?? []
  const [y, m] = [Number(year), Number(number) - 1]
  const offset = (new Date(Date.UTC(y, m, 1)).getUTCDay() + 6) % 7
  const weeks = Math.ceil((offset + new Date(Date.UTC(y, m + 1, 0)).getUTCDate()) / 7)
  const days = Array.from({ length: weeks * 7 }, (_, at) => utcDate(y, m, 1 - offset + at))
  const { byDay, more } = namesByDay(reading, days)
  const isOutside = (day: string) => Number(day.slice(5, 7)) !== m + 1
  const cell = (day: string, weekday: number) =>
    html`<td${isOutside(day) && html` class="out"`}><b><time datetime="${day}"><i>${WEEKDAYS[weekday]} </i>${Number(day.slice(8))}</time></b>${byDay.get(day)?.map((name) => html`<p dir="auto">${name}</p>`)}</td>`
  const lines = Array.from(
    { length: weeks },
    (_, at) => html`<tr>${days.slice(at * 7, at * 7 + 7).map(cell)}</tr>`,
  )
  const link = (other: number, text: string) =>
    html`<a href="${base}?month=${utcDate(y, other, 1).slice(0, 7)}">${text}</a>`
  return html`<nav class="pages" aria-label="Months">${link(m - 1, 'Previous month')} ${link(m + 1, 'Next month')}</nav>
<div class="wide" tabindex="0"><table class="month"><caption>${MONTH_NAMES[m]} ${y}</caption><thead><tr>${WEEKDAYS.map((day) => html`<th scope="col">${day}</th>`)}</tr></thead><tbody>${lines}</tbody></table></div>${more > 0 && html`<p class="dim">${more} more</p>`}`
}
