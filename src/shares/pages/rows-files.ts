import type { RecordData } from '../../changes/record-data.ts'
import type { AppContext } from '../../context.ts'
import { byteStream } from '../../http/byte-stream.ts'
import type { Exchange } from '../../http/exchange.ts'
import { markStreamed } from '../../http/streamed.ts'
import { DAY_MS, isoTimestamp } from '../../lib/dates.ts'
import { listRecords } from '../../records/query/list.ts'
import { dataOf, type RecordRow } from '../../records/store.ts'
import { notFound } from '../../refusal.ts'
import type { FieldDefinition } from '../../structures/store.ts'
import { optionsOf } from '../service.ts'
import { findVisit, type Visit } from '../visits.ts'
import { visitorOf } from './notes.ts'
import { SHARE_HEADERS } from './page.ts'
import { calendarFields, labelOf, nameOf, type SharedRows, sharedRows, shownValue, valueIn } from './rows.ts'

/*
 * The rows of a view as files: CSV (RFC 4180) of its visible columns, and a calendar as iCalendar (RFC 5545).
 */

const AT_ONCE = 500

/** A file of lines that come from the rows, some hundred at a time; it breaks off when the share ends meanwhile. */
function streamed(
  ctx: AppContext,
  exchange: Exchange,
  visit: Visit,
  { view }: SharedRows,
  parts: { type: string; before: string; of: (row: RecordRow) => string; after: string },
): Response {
  const encoder = new TextEncoder()
  let offset = 0
  let isOver = false
  const next = async () => {
    if (isOver) return undefined
    if (!findVisit(ctx, visit.share.token, false)) throw notFound('share')
    const request = {
      view: view.id,
      limit: AT_ONCE,
      offset,
      ...(view.sort === null && { sort: 'created_at' }),
    }
    const { rows, hasMore } = await listRecords(ctx, visitorOf(visit), request)
    const before = offset === 0 ? parts.before : ''
    offset += rows.length
    isOver = !hasMore
    return encoder.encode(before + rows.map(parts.of).join('') + (isOver ? parts.after : ''))
  }
  const body = byteStream(exchange, { next, close: () => {} })
  const headers = {
    ...SHARE_HEADERS,
    'Content-Type': `${parts.type}; charset=utf-8`,
    'Content-Security-Policy': "default-src 'none'",
  }
  return markStreamed(new Response(body, { headers }))
}

const LOOKS_LIKE_FORMULA = /^[=+\-@]/
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/

/** A cell: one that a spreadsheet would take for a formula begins with an apostrophe. */
function cellOf(text: string): string {
  const cell = LOOKS_LIKE_FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

const csvValue = (field: FieldDefinition, value: RecordData[string] | undefined): string =>
  field.type === 'datetime' || field.type === 'bool' ? String(value ?? '') : shownValue(field, value)

/** The rows as CSV, where the share offers it. */
export function csvResponse(ctx: AppContext, exchange: Exchange, visit: Visit): Response {
  const shared = sharedRows(ctx.db, visitorOf(visit), visit.share.target)
  if (optionsOf(visit.share).csv !== true) throw notFound('file')
  const { columns } = shared
  const lineOf = (cells: readonly string[]) => `${cells.map(cellOf).join(',')}\r\n`
  return streamed(ctx, exchange, visit, shared, {
    type: 'text/csv',
    before: lineOf(columns.map(labelOf)),
    of: (row) => {
      const data = dataOf(row)
      return lineOf(columns.map((field) => csvValue(field, valueIn(data, field))))
    },
    after: '',
  })
}

/** A line of at most 75 bytes; what is longer goes on in the next ones, which begin with a blank. */
function folded(line: string): string {
  let text = ''
  let length = 0
  for (const character of line) {
    const bytes = Buffer.byteLength(character)
    if (length + bytes > 75) {
      text += '\r\n '
      length = 1
    }
    text += character
    length += bytes
  }
  return `${text}\r\n`
}

const escaped = (text: string): string =>
  text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n?|\n/g, '\\n')
    .replace(/[\p{Cc}]/gu, ' ')

const stamp = (instant: number): string => isoTimestamp(instant).replace(/[-:]|\.\d+/g, '')
const day = (value: unknown): string => String(value).slice(0, 10).replaceAll('-', '')
const dayAfter = (value: unknown): string =>
  day(isoTimestamp(Date.parse(String(value).slice(0, 10)) + DAY_MS))

/** The rows as a calendar. */
export function icsResponse(ctx: AppContext, exchange: Exchange, visit: Visit): Response {
  const shared = sharedRows(ctx.db, visitorOf(visit), visit.share.target)
  const { view } = shared
  if (view.kind !== 'calendar') throw notFound('file')
  const { start, end } = calendarFields(shared)
  const times = (data: RecordData): string[] => {
    const from = valueIn(data, start)
    const last =
      end && valueIn(data, end) !== undefined && String(valueIn(data, end)) > String(from)
        ? valueIn(data, end)
        : undefined
    if (start.type === 'date')
      return [`DTSTART;VALUE=DATE:${day(from)}`, `DTEND;VALUE=DATE:${dayAfter(last ?? from)}`]
    const instant = (value: unknown) => stamp(Date.parse(String(value)))
    return [`DTSTART:${instant(from)}`, ...(last === undefined ? [] : [`DTEND:${instant(last)}`])]
  }
  const event = (row: RecordRow): string => {
    const data = dataOf(row)
    if (valueIn(data, start) === undefined || valueIn(data, start) === null) return ''
    const lines = [
      'BEGIN:VEVENT',
      `UID:${row.id}@daybook`,
      `DTSTAMP:${stamp(row.updatedAt)}`,
      `LAST-MODIFIED:${stamp(row.updatedAt)}`,
      ...times(data),
      `SUMMARY:${escaped(nameOf(shared, data))}`,
      'END:VEVENT',
    ]
    return lines.map(folded).join('')
  }
  const name = visit.share.name ?? view.name
  const head = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//daybook//share//EN',
    `X-WR-CALNAME:${escaped(name)}`,
  ]
  return streamed(ctx, exchange, visit, shared, {
    type: 'text/calendar',
    before: head.map(folded).join(''),
    of: event,
    after: 'END:VCALENDAR\r\n',
  })
}
