import { statSync } from 'node:fs'
import { MisplacedQuote } from '../../lib/csv-parser.ts'
import { type CsvFileFormat, CsvReader } from '../../lib/csv-reader.ts'
import { plainHeading } from '../../lib/field-headings.ts'
import { isId } from '../../lib/ids.ts'
import { refused } from '../../lib/refusal.ts'
import { counted } from '../../lib/text.ts'
import { textChunks } from '../read-file.ts'
import { chosenColumns } from './choice.ts'
import { unnamedHeader } from './columns.ts'

/** How a file of rows is written. */
export interface FileFormat extends CsvFileFormat {
  readonly file: string
  readonly encoding: string
  /** The decoded text, if it is not read from the disk. */
  readonly text?: string
  /** Whether the first line names the columns. */
  readonly hasHeader: boolean
  /** The names, numbers and ranges of the columns to read; empty for all. */
  readonly columns: string
}

/** Some rows of a file, without the header. */
export interface RowChunk {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** The fraction of the file that was read. */
  readonly share: number
  /** Columns that every row has by itself, in a file that the application exported. */
  readonly ignored: readonly string[]
}

/** Otherwise the garbage of a large file takes more memory than the database. */
const CHUNKS_PER_COLLECTION = 24

/** The rows of a file with values, in chunks. The header is that of the chosen columns. */
export function* dataRows(format: FileFormat): Generator<RowChunk> {
  const { file, hasHeader } = format
  const size = format.text?.length ?? statSync(file).size
  let table:
    | (Pick<RowChunk, 'header' | 'ignored'> & { pick: readonly number[] | undefined; width: number })
    | undefined
  let chunks = 0
  for (const { rows, bytesRead } of readRows(format)) {
    if (++chunks % CHUNKS_PER_COLLECTION === 0) Bun.gc(true)
    const [first] = rows
    if (first === undefined) continue
    const isBeginning = table === undefined
    if (table === undefined) {
      const all = hasHeader ? first.map(plainHeading) : unnamedHeader(first.length)
      if (hasHeader && format.skipLines === undefined) refuseTitle(all, rows[1])
      table = { ...columnsToRead(format, all, rows[1]), width: all.length }
    }
    const { header, ignored, pick, width } = table
    const data = isBeginning && hasHeader ? rows.slice(1) : rows
    const picked = pick ? data.map((cells) => pickCells(cells, pick, width)) : data
    yield { header, ignored, rows: pick ? picked.filter(hasValue) : picked, share: bytesRead / size }
  }
  if (!table) throw refused(`${file} is empty; it must have a line of cells at least.`)
}

const hasValue = (cells: readonly string[]): boolean => {
  for (const cell of cells) if (cell !== '') return true
  return false
}

/** The chosen cells; those beyond the columns of the file stay, so that they are refused. */
const pickCells = (cells: readonly string[], pick: readonly number[], width: number): string[] => [
  ...pick.map((at) => cells[at] ?? ''),
  ...cells.slice(width),
]

function columnsToRead(
  { columns, hasHeader }: FileFormat,
  all: readonly string[],
  first: readonly string[] | undefined,
) {
  if (columns !== '') {
    const pick = chosenColumns(columns, all)
    return { header: pick.map((at) => all[at] ?? ''), pick, ignored: [] }
  }
  if (!hasHeader || !isDownload(all, first)) return { header: all, pick: undefined, ignored: [] }
  const pick = all.keys().toArray().slice(1, -2)
  return { header: pick.map((at) => all[at] ?? ''), pick, ignored: ['id', 'created_at', 'updated_at'] }
}

/** Whether the application exported the file, which then has the ids and times of rows. */
const isDownload = (header: readonly string[], first: readonly string[] | undefined): boolean =>
  header[0] === 'id' &&
  header.length > 3 &&
  header.at(-2) === 'created_at' &&
  header.at(-1) === 'updated_at' &&
  first !== undefined &&
  isId(first[0] ?? '')

const COMMENT_SIGNS = /^[#%;!*'](?=\s|\w)/

/** Refuses a first line that cannot be the header of the next one. */
function refuseTitle(header: readonly string[], next: readonly string[] | undefined): void {
  const named = header.filter((heading) => heading !== '').length
  if (next === undefined || named !== 1 || header[0] === '') return
  const filled = next.filter((cell) => cell !== '').length
  if (filled < 2 || filled < header.length) return
  const [sign] = COMMENT_SIGNS.exec(header[0] ?? '') ?? []
  const advice = sign === undefined ? '' : `, or lines of comments with --comment "${sign}"`
  throw refused(
    `The first line has one heading, "${header[0]}", and the next ${counted(filled, 'cell')}. Skip lines above the headings with --skip-lines, such as --skip-lines 1${advice}; --skip-lines 0 takes the first line as the headings.`,
  )
}

/** Longer than any row that can be stored. An unclosed quote would turn the rest of the file into one row. */
const MAX_ROW_LENGTH = 16_777_216

/**
 * The rows of a file, the header first, in batches; the first batch has the first row too. Refuses a malformed file,
 * naming the row: the first one after the header is row 1. `bytesRead` is how far the file has been read.
 */
function* readRows(format: FileFormat): Generator<{ rows: string[][]; bytesRead: number }> {
  const reader = new CsvReader(format)
  let last = 0
  let beginning: string[][] | undefined = []
  const { file, encoding, text: whole } = format
  const chunks = whole === undefined ? textChunks(file, encoding) : [{ text: whole, bytesRead: whole.length }]
  for (const { text, bytesRead } of chunks) {
    last = bytesRead
    const rows = parsed(format, reader, text, false)
    if (beginning) rows.unshift(...beginning)
    beginning = rows.length < 2 && beginning ? rows : undefined
    if (!beginning) yield { rows, bytesRead }
  }
  const rows = parsed(format, reader, '', true)
  yield { rows: beginning ? [...beginning, ...rows] : rows, bytesRead: last }
}

function parsed(
  { file, escapeCharacter }: FileFormat,
  reader: CsvReader,
  text: string,
  isLast: boolean,
): string[][] {
  try {
    const rows = reader.push(text, isLast)
    if (reader.rest.length > MAX_ROW_LENGTH)
      throw refused(`${file}, row ${reader.rows}: a quote is never closed.`)
    return rows
  } catch (error) {
    if (!(error instanceof MisplacedQuote)) throw error
    const isEscaped = escapeCharacter === undefined && reader.rest.includes('\\"')
    const advice = isEscaped ? ` Quotes within cells that are written as \\" need --escape '\\'.` : ''
    throw refused(`${file}, row ${error.row}: ${error.message}${advice}`)
  }
}
