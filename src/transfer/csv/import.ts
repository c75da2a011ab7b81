import { statSync } from 'node:fs'
import Papa from 'papaparse'
import type { Caller } from '../../context.ts'
import { CellFormat, type CellOptions } from '../../filter/record/cell-format.ts'
import { isComputed } from '../../filter/record/field-types.ts'
import { plainHeading } from '../../lib/field-headings.ts'
import type { FieldValue } from '../../lib/record-data.ts'
import { refuseDotName, refused } from '../../lib/refusal.ts'
import { counted } from '../../lib/text.ts'
import { checkedName } from '../../people/accounts/names.ts'
import { type WriteRequest, writeRecords } from '../../records/rows/writing/write-records.ts'
import { createStructure } from '../../records/structures/service.ts'
import { definitionOf, findStructure } from '../../records/structures/store.ts'
import type { Db } from '../../storage/database.ts'
import { type ImportMode, type ImportRun, runImport } from '../import-run.ts'
import { textChunks } from '../read-file.ts'
import {
  type Column,
  columnsOf,
  type DemotedColumn,
  fieldsFor,
  type InferredType,
  TypeInference,
  typesByColumn,
  unnamedHeader,
} from './columns.ts'

interface RowsImport extends ImportMode, CellOptions {
  readonly file: string
  /** Whether the first line names the columns. */
  readonly hasHeader: boolean
  /** The types of columns of a new structure, by heading or field key. The types of other columns are inferred. */
  readonly types: ReadonlyMap<string, InferredType>
  /** The name or id of the structure. A new structure gets types inferred from all rows. */
  readonly structure: string
  readonly onConflict: 'refuse' | 'update'
  /** Receives the completed fraction, from 0 to 1. */
  onProgress(done: number): void
}

const BATCH_SIZE = 500
const SHARE_OF_INFERENCE = 0.25

/**
 * Writes the rows of a file into a structure in one transaction, with the checks of the API. Throws Refusal for an
 * error in the file as a whole.
 */
export const importRows = (db: Db, caller: Caller, request: RowsImport) =>
  runImport(db, caller, request, (run) => new RowsWriter(run, request).write())

/** The rows after the header; `share` is the fraction of the file that was read. */
function* dataRows({ file, hasHeader }: Pick<RowsImport, 'file' | 'hasHeader'>): Generator<{
  header: readonly string[]
  rows: readonly (readonly string[])[]
  share: number
}> {
  const { size } = statSync(file)
  let header: readonly string[] | undefined
  for (const { rows, bytesRead } of readRows(file)) {
    const [first] = rows
    if (first === undefined) continue
    const isBeginning = header === undefined
    header ??= hasHeader ? first.map(plainHeading) : unnamedHeader(first.length)
    yield { header, rows: isBeginning && hasHeader ? rows.slice(1) : rows, share: bytesRead / size }
  }
  if (!header) throw refused(`${file} is empty; it must have a line of cells at least.`)
}

/** The types that fit all rows of the file. */
function infer(request: RowsImport) {
  let inference: TypeInference | undefined
  let header: readonly string[] = []
  for (const { header: names, rows, share } of dataRows(request)) {
    header = names
    inference ??= new TypeInference(names, new CellFormat(request))
    for (const cells of rows) inference.addRow(cells)
    request.onProgress(share * SHARE_OF_INFERENCE)
  }
  return { header, types: inference?.types() ?? [], demoted: inference?.demoted() ?? [] }
}

/** Finds the structure, or creates it with a field for each column. `columns` are the fields that the columns fill. */
function prepareStructure({ tx, caller }: ImportRun, request: RowsImport) {
  const { structure: nameOrId, types: given, hasHeader } = request
  const known = findStructure(tx, caller, nameOrId)
  if (known) {
    if (given.size > 0)
      throw refused(
        `"${known.name}" exists and its fields have types; leave --type out, or name a new structure.`,
      )
    const [first] = dataRows(request)
    const columns = columnsOf(first?.header ?? [], definitionOf(known), hasHeader)
    return { structure: known, isNew: false, columns, demoted: [] }
  }
  const { header, types, demoted } = infer(request)
  const byColumn = typesByColumn(header, given)
  const fields = fieldsFor(
    header,
    types.map((type, at) => byColumn[at] ?? type),
  )
  const name = checkedName(nameOrId, 'structure')
  refuseDotName(name, 'structure')
  const structure = createStructure(tx, caller, { name, fields })
  const columns = fields.map((field, at) => ({ ...field, isGiven: byColumn[at] !== undefined }))
  const isFree = ({ column }: DemotedColumn) => byColumn[header.indexOf(column)] === undefined
  return { structure, isNew: true, columns, demoted: demoted.filter(isFree) }
}

interface NumberedRow {
  readonly cells: readonly string[]
  readonly number: number
}

class RowsWriter {
  readonly #target: ReturnType<typeof prepareStructure>
  readonly #format: CellFormat
  #inserted = 0
  #updated = 0
  #rowsBefore = 0

  constructor(
    private readonly run: ImportRun,
    private readonly request: RowsImport,
  ) {
    this.#target = prepareStructure(run, request)
    this.#format = new CellFormat(request)
  }

  /** `demoted` are the columns with a wider type than their first cells need. */
  write() {
    const { structure, isNew, columns, demoted } = this.#target
    const before = isNew ? SHARE_OF_INFERENCE : 0
    for (const { rows, share } of dataRows(this.request)) {
      for (let at = 0; at < rows.length; at += BATCH_SIZE) this.#writeBatch(rows.slice(at, at + BATCH_SIZE))
      this.request.onProgress(before + share * (1 - before))
    }
    const { id, name } = structure
    return {
      structure: { id, name, is_new: isNew },
      fields: columns.map(({ key, type }) => ({ key, type })),
      demoted,
      inserted: this.#inserted,
      updated: this.#updated,
    }
  }

  #writeBatch(rows: readonly (readonly string[])[]): void {
    const numbered = rows.map((cells, at) => ({ cells, number: this.#rowsBefore + at + 1 }))
    this.run.tryEach(
      numbered,
      ({ number }) => `row ${number}`,
      (some) => this.#write(some),
    )
    this.#rowsBefore += rows.length
  }

  #write(numbered: readonly NumberedRow[]): void {
    const { structure } = this.#target
    const data = numbered.map(({ cells }) => ({ data: this.#dataOf(cells) }))
    const [only] = data
    const rows: Pick<WriteRequest, 'data' | 'rows'> = only && data.length === 1 ? only : { rows: data }
    if (structure.maxRows === 1 && (numbered[0]?.number ?? 1) > 1)
      throw refused(`"${structure.name}" holds one row; a file with one row can replace it.`)
    const { inserted, updated } = writeRecords(this.run.tx, this.run.caller, {
      structure: structure.id,
      ...rows,
      on_conflict: this.request.onConflict,
    })
    this.#inserted += inserted
    this.#updated += updated
  }

  #dataOf(cells: readonly string[]): Record<string, unknown> {
    const { columns } = this.#target
    if (cells.length > columns.length)
      throw refused(
        `the row has ${counted(cells.length, 'cell')}, and the file has ${counted(columns.length, 'column')}.`,
      )
    const data: Record<string, unknown> = {}
    for (let at = 0; at < cells.length; at++) {
      const column: Column | undefined = columns[at]
      const cell = cells[at] ?? ''
      if (column && !isComputed(column) && !this.#format.isEmpty(cell))
        data[column.key] = this.#checkedCell(column, cell)
    }
    return data
  }

  #checkedCell(column: Column, cell: string): FieldValue {
    const { key, isGiven } = column
    if (cell.includes('\0')) throw refused(`The column "${key}" contains a NUL character, which no text may.`)
    return this.#format.valueOf(column, cell, isGiven)
  }
}

const SAMPLE_CHARACTERS = 65_536
const DELIMITERS = [',', ';', '\t', '|']
/** Longer than any row that can be stored. An unclosed quote would turn the rest of the file into one row. */
const MAX_ROW_LENGTH = 16_777_216

function parserFor(sample: string): Papa.Parser {
  const options = { preview: 50, skipEmptyLines: 'greedy', delimitersToGuess: DELIMITERS } as const
  const { delimiter, linebreak } = Papa.parse<string[]>(sample, options).meta
  return new Papa.Parser({ delimiter, newline: linebreak as '\n' | '\r' | '\r\n' })
}

interface Parsed {
  data: string[][]
  errors: { type: string; message: string; row?: number }[]
  meta: { cursor: number }
}

/**
 * The rows of a CSV file (RFC 4180), the header first, in batches. Semicolons, tabs and bars also count as delimiters;
 * a byte order mark and empty lines are dropped. Refuses a malformed file, naming the row: the first one after the
 * header is row 1. `bytesRead` is how far the file has been read.
 */
function* readRows(file: string) {
  let parser: Papa.Parser | undefined
  let rest = ''
  let rowsBefore = 0
  let last = 0
  const parse = (text: string, bytesRead: number, isPart: boolean) => {
    const { data, errors, meta } = (parser as Papa.Parser).parse(text, 0, isPart) as Parsed
    const [fault] = errors
    if (fault) throw refused(`${file}, row ${rowsBefore + (fault.row ?? 0)}: ${faultSentence(fault)}`)
    rest = isPart ? text.slice(meta.cursor) : ''
    if (rest.length > MAX_ROW_LENGTH)
      throw refused(`${file}, row ${rowsBefore + data.length}: a quote is never closed.`)
    rowsBefore += data.length
    return { rows: data.filter((cells) => cells.length > 1 || cells[0] !== ''), bytesRead }
  }
  for (const { text, bytesRead } of textChunks(file)) {
    parser ??= parserFor(text.slice(0, SAMPLE_CHARACTERS))
    last = bytesRead
    yield parse(rest + text, bytesRead, true)
  }
  if (parser && rest !== '') yield parse(rest, last, false)
}

const faultSentence = ({ type, message }: Parsed['errors'][number]) =>
  type === 'Quotes' ? 'a quote is misplaced or never closed.' : `${message}.`
