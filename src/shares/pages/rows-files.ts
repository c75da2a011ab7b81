import type { AppContext } from '../../context.ts'
import { rulesOf, valueTypeOf } from '../../filter/record/field-types.ts'
import { attachment } from '../../http/download.ts'
import type { Exchange } from '../../http/exchange.ts'
import { partsResponse, tooManyUnread } from '../../http/responses.ts'
import { long, read } from '../../kernel/operation.ts'
import { addressGroup } from '../../lib/address-group.ts'
import type { Admission } from '../../lib/admission.ts'
import { csvCell, textCell } from '../../lib/csv-cells.ts'
import { DAY_MS, isoTimestamp } from '../../lib/dates.ts'
import type { RecordData } from '../../lib/record-data.ts'
import { notFound } from '../../lib/refusal.ts'
import { pksInOrder, rowsInList } from '../../records/rows/query/list.ts'
import { eachWithRollups } from '../../records/rows/query/rollups.ts'
import { parseRequest } from '../../records/rows/query/row-query.ts'
import { dataOf, type RecordRow } from '../../records/rows/store.ts'
import type { FieldDefinition } from '../../records/structures/store.ts'
import { optionsOf } from '../service.ts'
import { findVisit, type Visit } from '../visits.ts'
import { visitorOf } from './notes.ts'
import { SHARE_HEADERS, shownText } from './page.ts'
import { calendarFields, labelOf, nameOf, type SharedRows, sharedRows, shownValue, valueIn } from './rows.ts'

/*
 * The rows of a view as files: CSV (RFC 4180) of its visible columns, and a calendar as iCalendar (RFC 5545).
 */

/** The text of a file: per row, and before and after all rows. */
interface FileText {
  readonly before: string
  readonly of: (row: RecordRow) => string
  readonly after: string
}

const FILES = {
  csv: { type: 'text/csv', textOf: csvText },
  ics: { type: 'text/calendar', textOf: icsText },
} as const

interface PartInput {
  /** The id of the view. */
  readonly target: string
  readonly name: string
  readonly file: keyof typeof FILES
  /** The pks of the next rows, possibly the last ones; undefined for the first part. */
  readonly next: { readonly pks: readonly number[]; readonly areLast: boolean } | undefined
}

interface FilePart {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The number of next rows in the part. */
  readonly taken: number
  /** The pks of all rows of the file, with the first part. */
  readonly all: Float64Array | undefined
  /** Equal in all parts of a file. */
  readonly edition: string
}

/** A part ends with the row that makes it this long, in characters. */
const PART_LENGTH = 500_000
const ROWS_PER_PART = 2_000

/** The next rows of a file. */
export const sharedFilePart = long(
  read({
    name: 'shares.file-part',
    covers: 'several',
    run: (reader, caller, { target, name, file, next }: PartInput): FilePart => {
      const shared = sharedRows(reader, caller, target)
      const { before, of, after } = FILES[file].textOf(shared, name)
      // Row order does not matter in a calendar file.
      const order = file === 'ics' || shared.view.sort === null ? { sort: 'created_at' } : {}
      const input = { caller, request: parseRequest({ view: target, ...order }) }
      const all = next ? undefined : pksInOrder(reader, input)
      const pks = next?.pks ?? [...(all?.subarray(0, ROWS_PER_PART) ?? [])]
      const areLast = next?.areLast ?? pks.length === all?.length
      let text = next ? '' : before
      let taken = pks.length
      for (const row of eachWithRollups(reader, caller, shared.structure, rowsInList(reader, input, pks))) {
        text += of(row)
        if (text.length < PART_LENGTH) continue
        taken = pks.indexOf(row.pk) + 1
        break
      }
      if (areLast && taken === pks.length) text += after
      const edition = `${shared.view.updatedAt} ${before}`
      return { bytes: new TextEncoder().encode(text), taken, all, edition }
    },
  }),
)

/** The approximate maximum size of a part. */
const PART_BYTES = 1_048_576
/** How long a client may read nothing. */
const STALLED_MS = 60_000

/** A name without characters that file names cannot contain. */
const fileNameOf = (name: string): string => name.replace(/[\p{Cc}\p{Cf}/\\:*?"<>|]/gu, '_').trim() || 'rows'

/**
 * A file in parts; it breaks off if the share ends or its view changes meanwhile. The pks of unsent rows stay in
 * memory. They count, with a part, as bytes that the client has not read.
 */
async function fileResponse(
  ctx: AppContext,
  exchange: Exchange,
  visit: Visit,
  untaken: Admission,
  file: keyof typeof FILES,
): Promise<Response> {
  const { share } = visit
  const visitor = visitorOf(visit)
  const { view } = sharedRows(ctx.db, visitor, share.target)
  const about = {
    target: share.target,
    name: shownText(share.name ?? view.name),
    file,
  }
  const readPart = async (next: PartInput['next']): Promise<FilePart> =>
    ctx.kernel.callAs(visitor, sharedFilePart, { ...about, next })
  const address = addressGroup(exchange.address)
  if (!untaken.hasRoom(address, PART_BYTES)) throw tooManyUnread()
  const { bytes, taken, edition, all = new Float64Array() } = await readPart(undefined)
  const close = untaken.hold(address, all.byteLength + PART_BYTES)
  let first: Uint8Array | undefined = bytes
  let left = all.subarray(taken)
  const next = async () => {
    if (first) {
      const part = first
      first = undefined
      return part
    }
    if (left.length === 0) return undefined
    if (!findVisit(ctx, share.token, false)) throw notFound('share')
    const part = await readPart({
      pks: [...left.subarray(0, ROWS_PER_PART)],
      areLast: left.length <= ROWS_PER_PART,
    })
    if (part.edition !== edition) throw new Error('the view has changed')
    left = left.subarray(part.taken)
    return part.bytes
  }
  const headers = {
    ...SHARE_HEADERS,
    'Content-Type': `${FILES[file].type}; charset=utf-8`,
    'Content-Disposition': attachment(`${fileNameOf(about.name)}.${file}`),
    'Content-Security-Policy': "default-src 'none'",
  }
  return partsResponse(exchange, { next, close }, { headers }, { clock: ctx.clock, ms: STALLED_MS })
}

/** A value as visitors see it; instants, numbers and booleans match other exports. */
function cellOf(field: FieldDefinition, value: RecordData[string] | undefined): string {
  const type = valueTypeOf(field)
  const isReference = rulesOf(field).references !== undefined
  const isExact = ['datetime', 'bool', 'number'].includes(type) || (field.multiple && !isReference)
  return csvCell(type, isExact || value === null || value === undefined ? value : shownValue(field, value))
}

/** The rows as CSV, if the share offers it. */
export function csvResponse(
  ctx: AppContext,
  exchange: Exchange,
  visit: Visit,
  untaken: Admission,
): Promise<Response> {
  if (optionsOf(visit.share).csv !== true) throw notFound('file')
  return fileResponse(ctx, exchange, visit, untaken, 'csv')
}

function csvText({ columns }: SharedRows): FileText {
  const lineOf = (cells: readonly string[]) => `${cells.join(',')}\r\n`
  return {
    before: lineOf(columns.map((field) => textCell(labelOf(field)))),
    of: (row) => {
      const data = dataOf(row)
      return lineOf(columns.map((field) => cellOf(field, valueIn(data, field))))
    },
    after: '',
  }
}

/** A line of at most 75 bytes; longer lines continue on following lines that start with a space. */
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
/** The last day that RFC 5545 can write, because its years have four digits. The end of an event on it is not the day after. */
const LAST_DAY = '99991231'
const dayAfter = (value: unknown): string =>
  day(value) === LAST_DAY ? LAST_DAY : day(isoTimestamp(Date.parse(String(value).slice(0, 10)) + DAY_MS))

export function icsResponse(
  ctx: AppContext,
  exchange: Exchange,
  visit: Visit,
  untaken: Admission,
): Promise<Response> {
  const { view } = sharedRows(ctx.db, visitorOf(visit), visit.share.target)
  if (view.kind !== 'calendar') throw notFound('file')
  return fileResponse(ctx, exchange, visit, untaken, 'ics')
}

function icsText(shared: SharedRows, name: string): FileText {
  const { start, end } = calendarFields(shared)
  const times = (data: RecordData): string[] => {
    const from = valueIn(data, start)
    const last =
      end && valueIn(data, end) !== undefined && String(valueIn(data, end)) > String(from)
        ? valueIn(data, end)
        : undefined
    if (valueTypeOf(start) === 'date') {
      const [first, after] = [day(from), dayAfter(last ?? from)]
      return [`DTSTART;VALUE=DATE:${first}`, ...(after > first ? [`DTEND;VALUE=DATE:${after}`] : [])]
    }
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
  const head = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//daybook//share//EN',
    `X-WR-CALNAME:${escaped(name)}`,
  ]
  return { before: head.map(folded).join(''), of: event, after: 'END:VCALENDAR\r\n' }
}
