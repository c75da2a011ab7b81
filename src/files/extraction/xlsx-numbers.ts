import { DAY_MS } from '../../lib/dates.ts'
import { attributeOf, readXml } from './package.ts'

/** How a number in a cell is meant. */
export type CellFormat = 'number' | 'date' | 'time' | 'datetime' | 'duration'

/** The formats that every workbook has, by their numbers (ECMA-376, part 1, 18.8.30). */
const BUILT_IN: Record<number, CellFormat> = {
  14: 'date',
  15: 'date',
  16: 'date',
  17: 'date',
  18: 'time',
  19: 'time',
  20: 'time',
  21: 'time',
  22: 'datetime',
  45: 'time',
  46: 'duration',
  47: 'time',
}

/** Excel's own limit. */
const LONGEST_FORMAT = 255

/** Counts hours, minutes or seconds beyond a whole day or hour. */
const COUNTED = /\[(?:h+|m+|s+)\]/i

/** Reads a format code: what is quoted, escaped or in brackets are words of the format, but for `[h]`. */
function formatOf(code: string): CellFormat {
  const bare = code.replace(/"[^"]*"|\\.|_.|\*./g, '').replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '')
  const [first = ''] = bare.split(';')
  const hasDay = /[yd]/i.test(first) || /(?<![hs:\]].?)m{3,}/i.test(first)
  const hasTime = /[hs]/i.test(first)
  if (COUNTED.test(first)) return 'duration'
  if (hasDay) return hasTime ? 'datetime' : 'date'
  return hasTime ? 'time' : 'number'
}

/** The format of a cell by the number of its style. */
export function cellFormats(styles: Uint8Array | undefined): CellFormat[] {
  const custom = new Map<number, CellFormat>()
  const formats: CellFormat[] = []
  let inCells = false
  if (!styles) return formats
  readXml(styles, {
    open: (name, attributes) => {
      const id = Number(attributeOf(attributes, 'numFmtId') ?? 0)
      if (name === 'numFmt') custom.set(id, formatOf((attributes.formatCode ?? '').slice(0, LONGEST_FORMAT)))
      else if (name === 'cellXfs') inCells = true
      else if (name === 'xf' && inCells) formats.push(custom.get(id) ?? BUILT_IN[id] ?? 'number')
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false
    },
  })
  return formats
}

const DAYS_BEFORE_1970 = { since1900: 25_569, since1904: 24_107 }
const LAST_DAY = 2_958_465

/** Excel counts 29 February 1900, a day that never was. */
const dayNumber = (value: number, from1904: boolean) =>
  from1904
    ? value - DAYS_BEFORE_1970.since1904
    : value - DAYS_BEFORE_1970.since1900 + (value < 60 && value >= 1 ? 1 : 0)

/** Binary fractions are shown as the decimal they were typed as. */
const plain = (value: number) => String(Number(value.toPrecision(15)))

/** A number of days as hours, minutes and seconds, however many hours these are. */
function shownDuration(days: number): string {
  const seconds = Math.round((days * DAY_MS) / 1_000)
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** A number as a sheet would show it, days as `YYYY-MM-DD`, times and durations as `HH:MM:SS`. */
export function shownNumber(text: string, format: CellFormat, from1904: boolean): string {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return text
  if (format === 'number' || value < 0 || value > LAST_DAY) return plain(value)
  if (format === 'duration') return shownDuration(value)
  const instant = Math.round((dayNumber(value, from1904) * DAY_MS) / 1_000) * 1_000
  const [day = '', time = ''] = new Date(instant).toISOString().slice(0, -'.000Z'.length).split('T')
  if (format === 'date') return day
  return format === 'time' ? time : `${day} ${time}`
}
