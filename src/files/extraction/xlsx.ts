import { type Extracted, PageCollector, refuseTooMuch } from './document.ts'
import { openPackage, type Parts, partOf, readXml, relationshipId, relationshipsOf } from './package.ts'
import { type CellFormat, cellFormats, shownNumber } from './xlsx-numbers.ts'

const WORKBOOK = 'xl/workbook.xml'
const STRINGS = 'xl/sharedStrings.xml'
const STYLES = 'xl/styles.xml'
const WANTED =
  /^xl\/(?:workbook\.xml|_rels\/workbook\.xml\.rels|sharedStrings\.xml|styles\.xml|worksheets\/[^/]+\.xml)$/

interface Workbook {
  sheets: { name: string; part: string }[]
  /** Days are counted from 1904, as on old Macintoshes. */
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

/** The texts that cells share, by their number. What is there only to be pronounced is left out. */
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

/** More empty cells in a row than this are shown as so many. */
const MOST_EMPTY = 10

/** `C7` is in column 3; 0 when the cell does not say. */
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

/** The rows of a sheet as lines, their cells parted by tabs; what cells show, not their formulas. */
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
        line += '\t'.repeat(Math.min(Math.max(next - Math.max(column, 1), 0), MOST_EMPTY))
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

/** The text of a workbook, one page a sheet; the names of the sheets are the outline. */
export function readXlsx(bytes: Uint8Array): Extracted {
  const parts = openPackage(bytes, WANTED)
  const { sheets, from1904 } = workbookOf(parts)
  const strings = sharedStrings(parts.get(STRINGS))
  const context = { strings, formats: cellFormats(parts.get(STYLES)), from1904 }
  const collector = new PageCollector()
  for (const { name, part } of sheets) {
    const bytesOfSheet = parts.get(part)
    if (!bytesOfSheet) continue
    collector.addSection(name, 1, collector.add(readSheet(bytesOfSheet, context)))
  }
  return collector.finish()
}
