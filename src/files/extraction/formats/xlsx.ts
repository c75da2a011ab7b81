import { DAY_MS } from '../../../lib/dates.ts'
import { type ExtractedText, PageCollector, refuseTooMuch } from '../pages.ts'
import {
  attributeOf,
  openPackage,
  type Parts,
  partOf,
  readXml,
  relatedLabels,
  relationshipId,
  relationshipsOf,
} from './ooxml.ts'

const WORKBOOK = 'xl/workbook.xml'
const STRINGS = 'xl/sharedStrings.xml'
const STYLES = 'xl/styles.xml'
const WANTED =
  /^xl\/(?:workbook\.xml|_rels\/workbook\.xml\.rels|sharedStrings\.xml|styles\.xml|worksheets\/(?:[^/]+\.xml|_rels\/[^/]+\.rels)|comments[^/]*(?:\/[^/]+)?\.xml|drawings\/[^/]+\.xml)$/
const COMMENTS = /^xl\/comments/
/** Text boxes and shapes. */
const DRAWINGS = /^xl\/drawings\//

interface Workbook {
  sheets: { name: string; part: string }[]
  /** Whether dates count from 1904, as in workbooks of old Macintoshes. */
  from1904: boolean
}

function workbookOf(parts: Parts): Workbook {
  const targets = relationshipsOf(parts, WORKBOOK)
  const workbook: Workbook = { sheets: [], from1904: false }
  readXml(partOf(parts, WORKBOOK), {
    open: (element, attributes) => {
      if (element === 'workbookPr') workbook.from1904 = /^(?:1|true)$/.test(attributes.date1904 ?? '')
      const part = element === 'sheet' ? targets.get(relationshipId(attributes) ?? '') : undefined
      if (part !== undefined) workbook.sheets.push({ name: attributes.name ?? '', part })
    },
  })
  return workbook
}

/** The shared strings by their index, without phonetic hints. */
function sharedStrings(part: Uint8Array | undefined): string[] {
  const strings: string[] = []
  let text = ''
  let isText = false
  let isPhonetic = false
  if (!part) return strings
  readXml(part, {
    open: (name) => {
      if (name === 'si') text = ''
      else if (name === 't') isText = !isPhonetic
      else if (name === 'rPh') isPhonetic = true
    },
    close: (name) => {
      if (name === 'si') strings.push(text)
      else if (name === 't') isText = false
      else if (name === 'rPh') isPhonetic = false
    },
    text: (more) => {
      if (isText) text += more
    },
  })
  return strings
}

/** The meaning of a number in a cell. */
type CellFormat = 'number' | 'date' | 'time' | 'datetime' | 'duration'

/** The built-in formats by their ids (ECMA-376, part 1, 18.8.30). */
function builtIn(id: number): CellFormat {
  if (id === 22) return 'datetime'
  if (id === 46) return 'duration'
  if (id >= 14 && id <= 17) return 'date'
  return (id >= 18 && id <= 21) || id === 45 || id === 47 ? 'time' : 'number'
}

/** Excel's own limit. */
const MAX_FORMAT_LENGTH = 255

/** Counts hours, minutes or seconds beyond a whole day or hour. */
const COUNTED = /\[(?:h+|m+|s+)\]/i

/** Parses a format code. Quoted, escaped and bracketed text is literal, except for `[h]`, `[m]` and `[s]`. */
function formatOf(code: string): CellFormat {
  const bare = code.replace(/"[^"]*"|\\.|_.|\*./g, '').replace(/\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi, '')
  const [first = ''] = bare.split(';')
  const hasDay = /[yd]/i.test(first) || /(?<![hs:\]].?)m{3,}/i.test(first)
  const hasTime = /[hs]/i.test(first)
  if (COUNTED.test(first)) return 'duration'
  if (hasDay) return hasTime ? 'datetime' : 'date'
  return hasTime ? 'time' : 'number'
}

/** The formats of cells by the index of their style. */
function cellFormats(styles: Uint8Array | undefined): CellFormat[] {
  const custom = new Map<number, CellFormat>()
  const formats: CellFormat[] = []
  let inCells = false
  if (!styles) return formats
  readXml(styles, {
    open: (name, attributes) => {
      const id = Number(attributeOf(attributes, 'numFmtId') ?? 0)
      if (name === 'numFmt')
        custom.set(id, formatOf((attributes.formatCode ?? '').slice(0, MAX_FORMAT_LENGTH)))
      else if (name === 'cellXfs') inCells = true
      else if (name === 'xf' && inCells) formats.push(custom.get(id) ?? builtIn(id))
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false
    },
  })
  return formats
}

const DAYS_BEFORE_1970 = { since1900: 25_569, since1904: 24_107 }
const LAST_DAY = 2_958_465

/** Days since 1970-01-01. Excel counts 29 February 1900, which did not exist. */
const dayNumber = (value: number, from1904: boolean) =>
  from1904
    ? value - DAYS_BEFORE_1970.since1904
    : value - DAYS_BEFORE_1970.since1900 + (value < 60 && value >= 1 ? 1 : 0)

/** Shows a binary fraction as the decimal that was typed. */
const plain = (value: number) => String(Number(value.toPrecision(15)))

/** Formats a number of days as hours, minutes and seconds; the hours may exceed 24. */
function shownDuration(days: number): string {
  const seconds = Math.round((days * DAY_MS) / 1_000)
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** A number as a sheet would show it, dates as `YYYY-MM-DD`, times and durations as `HH:MM:SS`. */
function shownNumber(text: string, format: CellFormat, from1904: boolean): string {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return text
  if (format === 'number' || value < 0 || value > LAST_DAY) return plain(value)
  if (format === 'duration') return shownDuration(value)
  const instant = Math.round((dayNumber(value, from1904) * DAY_MS) / 1_000) * 1_000
  const [day = '', time = ''] = new Date(instant).toISOString().slice(0, -'.000Z'.length).split('T')
  if (format === 'date') return day
  return format === 'time' ? time : `${day} ${time}`
}

/** At most this many empty cells in a row are shown. */
const MAX_EMPTY = 10

/** `C7` is in column 3; 0 without a reference. */
function columnOf(reference: string | undefined): number {
  const [letters = ''] = /^[A-Z]{1,3}/.exec(reference ?? '') ?? []
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0)
}

interface Cell {
  type: string
  format: CellFormat
  value: string
}

interface SheetContext {
  readonly strings: readonly string[]
  readonly formats: readonly CellFormat[]
  readonly from1904: boolean
}

function shownValue({ type, format, value }: Cell, { strings, from1904 }: SheetContext): string {
  if (type === 's') return strings[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type === 'n') return shownNumber(value, format, from1904)
  return value
}

/** The rows of a sheet as lines, with tabs between cells. Cells are shown by their values, not their formulas. */
function readSheet(part: Uint8Array, context: SheetContext): string {
  const lines: string[] = []
  let characters = 0
  let line = ''
  let column = 0
  let cell: Cell | undefined
  let isValue = false
  const endCell = () => {
    if (cell && cell.value !== '') {
      line += shownValue(cell, context).replace(/[\t\r\n]+/g, ' ')
      refuseTooMuch(characters + line.length)
    }
    cell = undefined
  }
  readXml(part, {
    open: (name, attributes) => {
      if (name === 'c') {
        const next = columnOf(attributes.r) || column + 1
        line += '\t'.repeat(Math.min(Math.max(next - Math.max(column, 1), 0), MAX_EMPTY))
        column = next
        const format = context.formats[Number(attributes.s ?? 0)] ?? 'number'
        cell = { type: attributes.t ?? 'n', format, value: '' }
      } else if (name === 'v' || name === 't') isValue = true
    },
    close: (name) => {
      if (name === 'v' || name === 't') isValue = false
      else if (name === 'c') endCell()
      else if (name === 'row') {
        const row = line.trimEnd()
        if (row !== '') lines.push(row)
        characters += row.length
        line = ''
        column = 0
      }
    },
    text: (text) => {
      if (isValue && cell) cell.value += text
    },
  })
  return lines.join('\n')
}

/** The text of a workbook with one page for each sheet and its comments; the names of the sheets are the outline. */
export function readXlsx(bytes: Uint8Array): ExtractedText {
  const parts = openPackage(bytes, WANTED)
  const { sheets, from1904 } = workbookOf(parts)
  const strings = sharedStrings(parts.get(STRINGS))
  const context = { strings, formats: cellFormats(parts.get(STYLES)), from1904 }
  const collector = new PageCollector()
  for (const { name, part } of sheets) {
    const bytesOfSheet = parts.get(part)
    if (!bytesOfSheet) continue
    const comments = relatedLabels(parts, part, COMMENTS)
    const drawn = relatedLabels(parts, part, DRAWINGS)
    const text = [readSheet(bytesOfSheet, context), drawn.join('\n'), comments.join('\n')]
      .filter((block) => block !== '')
      .join('\n\n')
    collector.addSection(name, 1, collector.add(text))
  }
  return collector.finish()
}
