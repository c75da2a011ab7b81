import type { Caller } from '../../context.ts'
import { CellFormat, type CellOptions } from '../../filter/record/cell-format.ts'
import { isComputed } from '../../filter/record/field-types.ts'
import { ReadingFinder } from '../../filter/record/readings.ts'
import { type InferredType, TypeInference, unclearDates } from '../../filter/record/type-inference.ts'
import type { FoundEncoding } from '../../lib/encoding-finder.ts'
import type { FieldValue } from '../../lib/record-data.ts'
import { fail, refuseDotName, refused } from '../../lib/refusal.ts'
import { counted } from '../../lib/text.ts'
import { checkedName } from '../../people/accounts/names.ts'
import { type WriteRequest, writeRecords } from '../../records/rows/writing/write-records.ts'
import { createStructure } from '../../records/structures/service.ts'
import { definitionOf, findStructure } from '../../records/structures/store.ts'
import type { Db } from '../../storage/database.ts'
import { type ImportMode, type ImportRun, runImport } from '../import-run.ts'
import { type Column, columnsOf, fieldsFor, typesByColumn } from './columns.ts'
import { encodingOf } from './encoding.ts'
import { dataRows, type FileFormat } from './rows.ts'

interface RowsImport extends ImportMode, CellOptions, Omit<FileFormat, 'encoding'> {
  /** Undefined: UTF-8, else the one that a byte order mark names or that is guessed. */
  readonly encoding: string | undefined
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
export async function importRows(db: Db, caller: Caller, request: RowsImport) {
  const found: FoundEncoding & { readonly encoding: string } =
    request.encoding === undefined ? encodingOf(request.file) : { encoding: request.encoding }
  const attempt = (findsReadings: boolean) =>
    runImport(db, caller, request, (run) => ({
      ...new RowsWriter(run, { ...request, encoding: found.encoding, findsReadings }).write(),
      ...shownEncoding(found),
    }))
  if (request.skipsBad) return attempt(true)
  // Most files need no other notation, so an existing structure's columns are searched for one only after a refusal.
  const outcome = await attempt(false)
  return outcome.refused.length === 0 || outcome.structure.is_new ? outcome : attempt(true)
}

/** The encoding in the report; nothing for UTF-8. */
const shownEncoding = ({
  encoding,
  guess,
}: FoundEncoding): { encoding?: string; encoding_guess?: 'clear' | 'weak' } =>
  encoding === 'utf-8' ? {} : { encoding, ...(guess && { encoding_guess: guess }) }

/** A request whose encoding is known. `findsReadings`: whether the notations of an existing structure's columns are found. */
type Reading = RowsImport & FileFormat & { readonly findsReadings: boolean }

/** The types that fit all rows of the file. */
function infer(request: Reading) {
  let inference: TypeInference | undefined
  let header: readonly string[] = []
  let ignored: readonly string[] = []
  for (const { rows, share, ...table } of dataRows(request)) {
    ;({ header, ignored } = table)
    inference ??= new TypeInference(header, request)
    for (const cells of rows) inference.addRow(cells)
    request.onProgress(share * SHARE_OF_INFERENCE)
  }
  return { header, ignored, inference }
}

/** Columns of known types with the notation that their cells allow. */
function withFormats(request: Reading, columns: readonly Column[]): Column[] {
  const finders = columns.map(({ type, multiple, isGiven }) =>
    multiple || isGiven === false ? undefined : new ReadingFinder(type, request, isGiven === true),
  )
  if (!finders.some((finder) => finder?.isOpen)) return [...columns]
  const format = new CellFormat(request)
  for (const { rows } of dataRows(request))
    for (const cells of rows)
      for (const [at, cell] of cells.entries()) if (!format.isEmpty(cell)) finders[at]?.add(cell)
  return columns.map((column, at) => {
    const finder = finders[at]
    if (!finder?.isOpen) return column
    return { ...column, cellFormat: finder.format() ?? fail(unclearDates(column.key)) }
  })
}

/** Finds the structure, or creates it with a field for each column. `columns` are the fields that the columns fill. */
function prepareStructure({ tx, caller }: ImportRun, request: Reading) {
  const { structure: nameOrId, types: given, hasHeader } = request
  const known = findStructure(tx, caller, nameOrId)
  if (known) {
    if (given.size > 0)
      throw refused(
        `"${known.name}" exists and its fields have types; leave --type out, or name a new structure.`,
      )
    const [first] = dataRows(request)
    const columns = columnsOf(first?.header ?? [], definitionOf(known), hasHeader)
    const read = request.findsReadings ? withFormats(request, columns) : columns
    const ignored = first?.ignored ?? []
    return { structure: known, isNew: false, columns: read, demoted: [], hints: [], ignored }
  }
  const { header, ignored, inference } = infer(request)
  const types = inference?.types() ?? []
  const demoted = inference?.demoted() ?? []
  const byColumn = typesByColumn(header, given)
  const formats = inference?.formats((at) => byColumn[at] !== undefined) ?? []
  const fields = fieldsFor(
    header,
    types.map((type, at) => byColumn[at] ?? type),
  )
  const name = checkedName(nameOrId, 'structure')
  refuseDotName(name, 'structure')
  const structure = createStructure(tx, caller, { name, fields })
  const inferred = fields.map((field, at) => ({
    ...{ key: field.key, type: field.type, cellFormat: formats[at] },
    isGiven: byColumn[at] !== undefined,
  }))
  const columns = given.size > 0 ? withFormats(request, inferred) : inferred
  const isFree = ({ column }: { readonly column: string }) => byColumn[header.indexOf(column)] === undefined
  const hints = inference?.hints() ?? []
  return {
    ...{ structure, isNew: true, columns, ignored },
    demoted: demoted.filter(isFree),
    hints: hints.filter(isFree),
  }
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
    private readonly request: Reading,
  ) {
    this.#target = prepareStructure(run, request)
    this.#format = new CellFormat(request)
  }

  /** `demoted` are the columns with a wider type than their first cells need; `ignored` have no field. */
  write() {
    const { structure, isNew, columns, demoted, hints, ignored } = this.#target
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
      ...(hints.length > 0 && { hints }),
      ...(ignored.length > 0 && { ignored }),
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
    if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell !== ''))
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
    const { key, isGiven, cellFormat = this.#format } = column
    if (cell.includes('\0')) throw refused(`The column "${key}" contains a NUL character, which no text may.`)
    return cellFormat.valueOf(column, cell, isGiven)
  }
}
