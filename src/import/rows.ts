import { statSync } from 'node:fs'
import { checkedName } from '../account/names.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Tx } from '../db/write-queue.ts'
import { writeRecords } from '../records/batch.ts'
import { refused } from '../refusal.ts'
import { definitionOf } from '../structures/definition.ts'
import { createStructure, findStructure } from '../structures/service.ts'
import type { StructureRow } from '../structures/store.ts'
import { type Attempts, type AttemptsReport, type ImportMode, importWhole } from './attempts.ts'
import { ColumnTypes, cellValue } from './column-types.ts'
import { type Column, columnsOf, fieldsFor } from './columns.ts'
import { readRows } from './table-file.ts'

export interface RowsImport extends ImportMode {
  readonly file: string
  /** The name or id of the structure; one that does not exist is made, its types told from all rows. */
  readonly structure: string
  readonly onConflict: 'refuse' | 'update'
  /** Told now and then how much is done, from 0 to 1. */
  onProgress(done: number): void
}

export interface RowsOutcome {
  readonly structure: { readonly id: string; readonly name: string; readonly isNew: boolean }
  readonly fields: readonly Column[]
  readonly inserted: number
  readonly updated: number
}

export type RowsReport = RowsOutcome & AttemptsReport

const BATCH = 500

/**
 * Writes the rows of a file into a structure in one transaction, checked as the API checks them. Throws Refusal for
 * what is wrong with the whole file.
 */
export const importRows = (
  ctx: Pick<AppContext, 'db' | 'bus'>,
  caller: Caller,
  request: RowsImport,
): Promise<RowsReport> =>
  importWhole(ctx.db, request, (attempts) => new RowsWriter(ctx, attempts, caller, request).run())

/** The rows of the file after its header; `share` is how much of it is read. */
function* dataRows(
  file: string,
): Generator<{ header: readonly string[]; rows: readonly (readonly string[])[]; share: number }> {
  const { size } = statSync(file)
  let header: readonly string[] | undefined
  for (const { rows, bytesRead } of readRows(file)) {
    const [first] = rows
    if (first === undefined) continue
    const isBeginning = header === undefined
    header ??= first
    yield { header, rows: isBeginning ? rows.slice(1) : rows, share: bytesRead / size }
  }
  if (!header) throw refused(`${file} is empty; its first line must name the columns.`)
}

/** Tells the types of all columns; `onShare` hears how much is read. */
function learnTypes(file: string, onShare: (share: number) => void) {
  let types: ColumnTypes | undefined
  let names: readonly string[] = []
  for (const { header, rows, share } of dataRows(file)) {
    names = header
    types ??= new ColumnTypes(header.length)
    for (const cells of rows) types.learn(cells)
    onShare(share)
  }
  return { header: names, types: types?.types() ?? [] }
}

const SHARE_OF_LEARNING = 0.25

/** Finds the structure or makes it with a field for every column; answers what each column fills. */
function prepare(tx: Tx, caller: Caller, { structure: nameOrId, file, onProgress }: RowsImport) {
  const known = findStructure(tx, caller, nameOrId)
  if (known) {
    const [first] = dataRows(file)
    return { structure: known, isNew: false, columns: columnsOf(first?.header ?? [], definitionOf(known)) }
  }
  const { header, types } = learnTypes(file, (share) => onProgress(share * SHARE_OF_LEARNING))
  const fields = fieldsFor(header, types)
  const name = checkedName(nameOrId, 'structure')
  return { structure: createStructure(tx, caller, { name, fields }), isNew: true, columns: fields }
}

/** What one import has come to. */
class RowsWriter {
  readonly #columns: readonly Column[]
  readonly #structure: StructureRow
  readonly #isNew: boolean
  #inserted = 0
  #updated = 0
  #rowsBefore = 0

  constructor(
    private readonly ctx: Pick<AppContext, 'bus'>,
    private readonly attempts: Attempts,
    private readonly caller: Caller,
    private readonly request: RowsImport,
  ) {
    const { structure, isNew, columns } = prepare(attempts.tx, caller, request)
    this.#columns = columns
    this.#structure = structure
    this.#isNew = isNew
  }

  run(): RowsOutcome {
    const before = this.#isNew ? SHARE_OF_LEARNING : 0
    for (const { rows, share } of dataRows(this.request.file)) {
      for (let at = 0; at < rows.length; at += BATCH) this.#writeBatch(rows.slice(at, at + BATCH))
      this.request.onProgress(before + share * (1 - before))
    }
    const { id, name } = this.#structure
    return {
      structure: { id, name, isNew: this.#isNew },
      fields: this.#columns.map(({ key, type }) => ({ key, type })),
      inserted: this.#inserted,
      updated: this.#updated,
    }
  }

  /** Whole, or, when a row of it is refused, row by row, so that each refusal is known. */
  #writeBatch(rows: readonly (readonly string[])[]): void {
    if (!this.attempts.refusalOf(() => this.#write(rows))) {
      this.#rowsBefore += rows.length
      return
    }
    for (const cells of rows) {
      const refusal = this.attempts.refusalOf(() => this.#write([cells]))
      this.#rowsBefore += 1
      if (refusal) this.attempts.note(`row ${this.#rowsBefore}`, refusal.message.replace(/^Row 1: /, ''))
    }
  }

  #write(rows: readonly (readonly string[])[]): void {
    if (this.#structure.maxRows === 1 && this.#rowsBefore > 0)
      throw refused(`"${this.#structure.name}" holds one row; a file with one row can replace it.`)
    const { inserted, updated } = writeRecords(this.ctx, this.attempts.tx, this.caller, {
      structure: this.#structure.id,
      rows: rows.map((cells) => ({ data: this.#dataOf(cells) })),
      on_conflict: this.request.onConflict,
    })
    this.#inserted += inserted
    this.#updated += updated
  }

  #dataOf(cells: readonly string[]): Record<string, unknown> {
    if (cells.length > this.#columns.length)
      throw refused(`the row has ${cells.length} cells, and the file ${this.#columns.length} columns.`)
    const data: Record<string, unknown> = {}
    for (const [at, cell] of cells.entries()) {
      const column = this.#columns[at]
      if (column && cell !== '') data[column.key] = checkedCell(column, cell)
    }
    return data
  }
}

function checkedCell({ key, type }: Column, cell: string): string | number | boolean {
  if (cell.includes('\0')) throw refused(`The column "${key}" holds a NUL character, which no text may.`)
  return cellValue(type, cell)
}
