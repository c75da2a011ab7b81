import type { Caller } from '../../context.ts'
import { CellFormat, type CellOptions } from '../../filter/record/cell-format.ts'
import { isComputed } from '../../filter/record/field-types.ts'
import { ReadingFinder } from '../../filter/record/readings.ts'
import {
  type ColumnHint,
  type DemotedColumn,
  type InferredType,
  TypeInference,
  unclearDates,
} from '../../filter/record/type-inference.ts'
import type { FoundEncoding } from '../../lib/encoding-finder.ts'
import type { FieldValue } from '../../lib/record-data.ts'
import { fail, refuseDotName, refused } from '../../lib/refusal.ts'
import { counted } from '../../lib/text.ts'
import { checkedName } from '../../people/accounts/names.ts'
import { type WriteRequest, writeRecords } from '../../records/rows/writing/write-records.ts'
import { createStructure } from '../../records/structures/service.ts'
import { definitionOf, findStructure, type StructureRow } from '../../records/structures/store.ts'
import type { Db } from '../../storage/database.ts'
import { type ImportMode, type ImportRun, runImport } from '../import-run.ts'
import { type Column, columnsOf, fieldsFor, typesByColumn } from './columns.ts'
import { encodingOf } from './encoding.ts'
import { dataRows, type FileFormat, type RowChunk } from './rows.ts'

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
  let shown = 0
  const onProgress = (done: number) => {
    shown = Math.max(shown, done)
    request.onProgress(shown)
  }
  const attempt = (findsReadings: boolean) =>
    runImport(db, caller, request, (run) => ({
      ...writeFile(run, { ...request, onProgress, encoding: found.encoding, findsReadings }),
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

/** The structure with the fields that the columns fill. */
interface Target {
  readonly structure: Pick<StructureRow, 'id' | 'name' | 'maxRows'>
  readonly isNew: boolean
  readonly columns: readonly Column[]
  /** Columns with a wider type than their first cells need. */
  readonly demoted: readonly DemotedColumn[]
  readonly hints: readonly ColumnHint[]
  /** Columns without a field. */
  readonly ignored: readonly string[]
}

function knownTarget(request: Reading, structure: StructureRow): Target {
  const { types: given, hasHeader } = request
  if (given.size > 0)
    throw refused(
      `"${structure.name}" exists and its fields have types; leave --type out, or name a new structure.`,
    )
  const [first] = dataRows(request)
  const columns = columnsOf(first?.header ?? [], definitionOf(structure), hasHeader)
  const read = request.findsReadings ? withFormats(request, columns) : columns
  return { structure, isNew: false, columns: read, demoted: [], hints: [], ignored: first?.ignored ?? [] }
}

/** The columns of a file, and the types that fit the rows read so far. */
interface Inferred extends Pick<RowChunk, 'header' | 'ignored'> {
  readonly inference: TypeInference
}

/** Creates the structure with a field for each column. */
function newTarget(
  { tx, caller }: ImportRun,
  request: Reading,
  { header, ignored, inference }: Inferred,
): Target {
  const byColumn = typesByColumn(header, request.types)
  const formats = inference.formats((at) => byColumn[at] !== undefined)
  const fields = fieldsFor(
    header,
    inference.types().map((type, at) => byColumn[at] ?? type),
  )
  const name = checkedName(request.structure, 'structure')
  refuseDotName(name, 'structure')
  const structure = createStructure(tx, caller, { name, fields })
  const inferred = fields.map((field, at) => ({
    ...{ key: field.key, type: field.type, cellFormat: formats[at] },
    isGiven: byColumn[at] !== undefined,
  }))
  const columns = request.types.size > 0 ? withFormats(request, inferred) : inferred
  return { structure, isNew: true, columns, ignored, ...findings(inference, header, byColumn) }
}

/** Remarks on the types that the caller did not specify. */
function findings(inference: TypeInference, header: readonly string[], byColumn: readonly unknown[]) {
  const isFree = ({ column }: { readonly column: string }) => byColumn[header.indexOf(column)] === undefined
  return { demoted: inference.demoted().filter(isFree), hints: inference.hints().filter(isFree) }
}

/** Writes the rows of the file into the structure, which is created if there is none of the name. */
function writeFile(run: ImportRun, request: Reading) {
  const known = findStructure(run.tx, run.caller, request.structure)
  if (known) return new RowsWriter(run, request, knownTarget(request, known)).writeAll(0)
  const early = new EarlyRows(run, request)
  let inferred: Inferred | undefined
  for (const { header, ignored, rows, share } of dataRows(request)) {
    inferred ??= { header, ignored, inference: new TypeInference(header, request) }
    for (const cells of rows) inferred.inference.addRow(cells)
    early.add(rows, inferred)
    request.onProgress(early.isOpen ? share : share * SHARE_OF_INFERENCE)
  }
  if (!inferred) throw new Error('a file without rows was not refused')
  return (
    early.outcome(inferred) ??
    new RowsWriter(run, request, newTarget(run, request, inferred)).writeAll(SHARE_OF_INFERENCE)
  )
}

const SAMPLE_ROWS = 10_000

/**
 * Writes rows into a new structure while the file is read for the first time, with the types of the first rows, so that
 * most files are parsed once. If a later row needs other types, everything is discarded, and the file is read again.
 */
class EarlyRows {
  #sample: (readonly string[])[] | undefined
  #written: { readonly writer: RowsWriter; discard(): void } | undefined
  #types = ''
  readonly #refusedBefore: number

  constructor(
    private readonly run: ImportRun,
    private readonly request: Reading,
  ) {
    this.#sample = request.types.size === 0 ? [] : undefined
    this.#refusedBefore = run.refused.length
  }

  /** Whether everything read so far is written or kept. */
  get isOpen(): boolean {
    return this.#sample !== undefined || this.#written !== undefined
  }

  /** The rows count in `inferred` already. */
  add(rows: readonly (readonly string[])[], inferred: Inferred): void {
    if (this.#written && inferred.inference.key() !== this.#types) this.#discard()
    this.#written?.writer.add(rows)
    if (!this.#sample) return
    this.#sample = [...this.#sample, ...rows]
    if (this.#sample.length < SAMPLE_ROWS) return
    if (inferred.inference.isSettled) this.#begin(inferred)
    this.#sample = undefined
  }

  /** Undefined if the rows must be read again. */
  outcome(inferred: Inferred) {
    if (this.#sample) this.#begin(inferred)
    const { inference, header } = inferred
    return this.#written?.writer.outcome(findings(inference, header, []))
  }

  #begin(inferred: Inferred): void {
    const { discard } = this.run.savepoint('early_rows')
    this.#types = inferred.inference.key()
    const writer = new RowsWriter(this.run, this.request, newTarget(this.run, this.request, inferred))
    writer.add(this.#sample ?? [])
    this.#written = { writer, discard }
    this.#sample = undefined
  }

  #discard(): void {
    this.#written?.discard()
    this.run.refused.splice(this.#refusedBefore)
    this.#written = undefined
  }
}

interface NumberedRow {
  readonly cells: readonly string[]
  readonly number: number
}

class RowsWriter {
  readonly #format: CellFormat
  #inserted = 0
  #updated = 0
  #rowsBefore = 0

  constructor(
    private readonly run: ImportRun,
    private readonly request: Reading,
    private readonly target: Target,
  ) {
    this.#format = new CellFormat(request)
  }

  /** Reads the file and writes its rows; `before` is the completed fraction of the import. */
  writeAll(before: number) {
    for (const { rows, share } of dataRows(this.request)) {
      this.add(rows)
      this.request.onProgress(before + share * (1 - before))
    }
    return this.outcome()
  }

  add(rows: readonly (readonly string[])[]): void {
    for (let at = 0; at < rows.length; at += BATCH_SIZE) this.#writeBatch(rows.slice(at, at + BATCH_SIZE))
  }

  outcome({ demoted, hints }: Pick<Target, 'demoted' | 'hints'> = this.target) {
    const { structure, isNew, columns, ignored } = this.target
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
    const { structure } = this.target
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
    const { columns } = this.target
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
