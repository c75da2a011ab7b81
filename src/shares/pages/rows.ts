import type { RecordData } from '../../changes/record-data.ts'
import { type AppContext, wholeWorkspace } from '../../context.ts'
import { type Html, html } from '../../lib/html.ts'
import { boardBody } from '../../records/query/board.ts'
import { listRecords } from '../../records/query/list.ts'
import { dataOf, type RecordRow } from '../../records/store.ts'
import { fail, notFound, refused } from '../../refusal.ts'
import { columnsOf } from '../../row-views/fields.ts'
import { type RowViewRow, rowViewKind } from '../../row-views/service.ts'
import {
  type Definition,
  definitionOf,
  type FieldDefinition,
  findStructureById,
  type StructureRow,
} from '../../structures/store.ts'
import { optionsOf } from '../service.ts'
import type { Visit } from '../visits.ts'
import { pageLinks, visitorOf } from './notes.ts'
import { pageResponse } from './page.ts'

/** A view of rows with what of it is shown. */
export interface SharedRows {
  readonly view: RowViewRow
  readonly structure: StructureRow
  readonly definition: Definition
  /** The columns that visitors see; no other is named to them, sorted by or sent. */
  readonly columns: readonly FieldDefinition[]
}

export function sharedRows({ db }: AppContext, { share }: Visit): SharedRows {
  const view = rowViewKind.findById(db, share.workspace, share.target) ?? fail(notFound('view of rows'))
  const structure =
    findStructureById(db, wholeWorkspace(share.workspace), view.structureId) ?? fail(notFound('view of rows'))
  const definition = definitionOf(structure)
  const chosen = columnsOf(view)
  const columns = chosen
    ? chosen.flatMap(({ key }) => definition.byKey.get(key) ?? [])
    : definition.fields.filter(({ hidden }) => !hidden)
  return { view, structure, definition, columns }
}

/** The caller of a visit, under whose key its queries take turns. */
export const readerOf = (visit: Visit) => ({
  ...visit.caller,
  ...visitorOf(visit),
  surface: visit.caller.surface,
})

/** A field may be called `constructor`. */
export const valueIn = (data: RecordData, { key }: FieldDefinition): RecordData[string] | undefined =>
  Object.hasOwn(data, key) ? data[key] : undefined

const REFERENCES: Readonly<Record<string, string>> = { note: 'a note', record: 'a row', file: 'a file' }

/** A value as visitors see it: nothing of other objects but that there is one. */
export function shownValue({ type }: FieldDefinition, value: RecordData[string] | undefined): string {
  if (value === undefined || value === null) return ''
  const reference = REFERENCES[type]
  if (reference !== undefined) return reference
  if (type === 'bool') return value === true ? 'yes' : 'no'
  if (type === 'datetime') return `${String(value).slice(0, 16).replace('T', ' ')} UTC`
  return String(value)
}

export const labelOf = ({ label, key }: FieldDefinition): string => label ?? key

/** What a row is called: its label field where that is shown, else its first column. */
export function nameOf({ structure, columns }: SharedRows, data: RecordData): string {
  const field = columns.find(({ key }) => key === structure.labelField) ?? columns[0]
  const name = field ? shownValue(field, valueIn(data, field)) : ''
  return name === '' ? 'Untitled' : name
}

const PAGE_SIZE = 50

/** What the address of a page of rows may ask for. */
export interface RowsAsked {
  readonly page: number
  readonly sort: string | null
  readonly direction: string | null
  readonly month: string | null
}

/** The page of a view of rows, as its kind is read. */
export async function rowsPage(ctx: AppContext, visit: Visit, asked: RowsAsked): Promise<Response> {
  const shared = sharedRows(ctx, visit)
  const { view } = shared
  const { share, base } = visit
  const main =
    view.kind === 'board'
      ? await board(ctx, visit, shared)
      : view.kind === 'calendar'
        ? await month(ctx, visit, shared, asked.month)
        : await table(ctx, visit, shared, asked)
  const isOpen = share.passwordHash === null
  const extras = [
    optionsOf(share).csv === true && html`<a href="${base}.csv">As CSV</a>`,
    view.kind === 'calendar' && isOpen && html`<a href="${base}.ics">As a calendar (ics)</a>`,
  ].filter((one) => one !== false)
  const title = share.name ?? view.name
  return pageResponse({
    title,
    isBroad: true,
    main: html`<h1 dir="auto">${title}</h1>${main}${extras.length > 0 && html`<p class="pages">${extras}</p>`}`,
  })
}

async function table(
  ctx: AppContext,
  visit: Visit,
  { view, columns }: SharedRows,
  { page, sort, direction }: RowsAsked,
): Promise<Html> {
  if (sort !== null && !columns.some(({ key }) => key === sort))
    throw refused('This table is not sorted by that; choose one of its columns.')
  const isDescending = direction === 'desc'
  const ordered =
    sort === null ? {} : { sort, direction: isDescending ? ('desc' as const) : ('asc' as const) }
  const request = { view: view.id, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE, ...ordered }
  const { rows, total } = await listRecords(ctx, readerOf(visit), request)
  const sortedBy = sort ?? view.sort
  const descends = sort === null ? view.direction !== 'asc' : isDescending
  const heads = columns.map((field) => {
    const isSorted = field.key === sortedBy
    const next = isSorted && !descends ? 'desc' : 'asc'
    const order = isSorted && html` aria-sort="${descends ? 'descending' : 'ascending'}"`
    return html`<th scope="col"${order}><a href="${visit.base}?sort=${field.key}&direction=${next}">${labelOf(field)}</a>${isSorted && (descends ? ' ↓' : ' ↑')}</th>`
  })
  const lines = rows.map((row) => html`<tr>${cells(columns, dataOf(row))}</tr>`)
  const ofSort = sort === null ? '' : `sort=${sort}&direction=${isDescending ? 'desc' : 'asc'}&`
  return html`<p class="by">${total === 1 ? '1 row' : `${total} rows`}</p>
<div class="wide" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>
${pageLinks(page, Math.ceil(total / PAGE_SIZE), (other) => `${visit.base}?${ofSort}page=${other}`)}`
}

const cells = (columns: readonly FieldDefinition[], data: RecordData): Html[] =>
  columns.map((field) => {
    const value = shownValue(field, valueIn(data, field))
    return field.type === 'number'
      ? html`<td class="number">${value}</td>`
      : html`<td dir="auto">${value}</td>`
  })

interface Board {
  readonly columns: readonly {
    readonly value: string | boolean | null
    readonly total: number
    readonly records: readonly { readonly data: RecordData }[]
    readonly has_more: boolean
  }[]
}

async function board(ctx: AppContext, visit: Visit, shared: SharedRows): Promise<Html> {
  const { view, definition } = shared
  const body = await boardBody(ctx, readerOf(visit), { view: view.id, limit: PAGE_SIZE })
  const { columns: stacks }: Board = JSON.parse(
    typeof body === 'string' ? body : new TextDecoder().decode(body),
  )
  const field = definition.byKey.get(view.groupBy ?? '') ?? fail(notFound('view of rows'))
  const sections = stacks.map(({ value, total, records, has_more }) => {
    const cards = records.map((record) => card(shared, record.data, field))
    const name = value === null ? 'None' : shownValue(field, value)
    return html`<section aria-label="${name}"><h2 dir="auto">${name} <span class="dim">${total}</span></h2>${cards}${has_more && html`<p class="dim">${total - records.length} more</p>`}</section>`
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
/** The most rows that a month shows. */
const MONTH_ROWS = 500

const dayOf = (value: RecordData[string] | undefined): string => String(value ?? '').slice(0, 10)
const utcDate = (year: number, monthIndex: number, day: number): string =>
  new Date(Date.UTC(year, monthIndex, day)).toISOString().slice(0, 10)

/** The fields of a calendar. */
export function calendarFields({ view, definition }: SharedRows) {
  const start = definition.byKey.get(view.dateField ?? '') ?? fail(notFound('view of rows'))
  const end = view.endField === null ? undefined : definition.byKey.get(view.endField)
  return { start, end }
}

/** Rows whose days meet a period, both ends included. */
async function rowsBetween(
  ctx: AppContext,
  visit: Visit,
  shared: SharedRows,
  [first, last]: readonly [string, string],
): Promise<RecordRow[]> {
  const { start, end } = calendarFields(shared)
  const instant = (day: string, isEnd: boolean) =>
    start.type === 'date' ? day : `${day}T${isEnd ? '23:59:59.999' : '00:00:00'}Z`
  const find = async (...filter: readonly object[]) => {
    const request = {
      view: shared.view.id,
      filter: JSON.stringify(filter),
      limit: MONTH_ROWS,
      sort: start.key,
    }
    const { rows } = await listRecords(ctx, readerOf(visit), { ...request, direction: 'asc' })
    return rows
  }
  const [from, to] = [instant(first, false), instant(last, true)]
  const beginning = await find(
    { field: start.key, op: 'gte', value: from },
    { field: start.key, op: 'lte', value: to },
  )
  if (!end) return beginning
  const earlier = await find(
    { field: start.key, op: 'lt', value: from },
    { field: end.key, op: 'gte', value: from },
  )
  return [...earlier, ...beginning]
}

async function month(ctx: AppContext, visit: Visit, shared: SharedRows, asked: string | null): Promise<Html> {
  const now = new Date(ctx.clock.now())
  const [, year = String(now.getUTCFullYear()), number = String(now.getUTCMonth() + 1)] =
    MONTH.exec(asked ?? '') ?? []
  const [y, m] = [Number(year), Number(number) - 1]
  const offset = (new Date(Date.UTC(y, m, 1)).getUTCDay() + 6) % 7
  const weeks = Math.ceil((offset + new Date(Date.UTC(y, m + 1, 0)).getUTCDate()) / 7)
  const days = Array.from({ length: weeks * 7 }, (_, at) => utcDate(y, m, 1 - offset + at))
  const rows = await rowsBetween(ctx, visit, shared, [days[0] ?? '', days.at(-1) ?? ''])
  const { start, end } = calendarFields(shared)
  const entries = rows.map((row) => {
    const data = dataOf(row)
    const first = dayOf(valueIn(data, start))
    const last = end ? dayOf(valueIn(data, end) ?? valueIn(data, start)) : first
    const days = [first, last].sort()
    return { name: nameOf(shared, data), first, last: days[1] ?? first }
  })
  const cell = (day: string) =>
    html`<td><b><time datetime="${day}">${Number(day.slice(8))}</time></b>${entries
      .filter(({ first, last }) => first <= day && day <= last)
      .map(({ name }) => html`<p dir="auto">${name}</p>`)}</td>`
  const lines = Array.from(
    { length: weeks },
    (_, at) => html`<tr>${days.slice(at * 7, at * 7 + 7).map(cell)}</tr>`,
  )
  const link = (other: number, text: string) =>
    html`<a href="${visit.base}?month=${utcDate(y, other, 1).slice(0, 7)}">${text}</a>`
  return html`<nav class="pages" aria-label="Months">${link(m - 1, 'Previous month')}${link(m + 1, 'Next month')}</nav>
<div class="wide" tabindex="0"><table class="month"><caption>${MONTH_NAMES[m]} ${y}</caption><thead><tr>${WEEKDAYS.map((day) => html`<th scope="col">${day}</th>`)}</tr></thead><tbody>${lines}</tbody></table></div>`
}
