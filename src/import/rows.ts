import { statSync } from 'node:fs'
import { checkedName } from '../account/names.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Tx } from '../db/write-queue.ts'
import { writeRecords } from '../records/batch.ts'
import { Refusal, refused } from '../refusal.ts'
import { definitionOf } from '../structures/definition.ts'
import { createStructure, findStructure } from '../structures/service.ts'
import type { StructureRow } from '../structures/store.ts'
import { ColumnTypes, cellValue } from './column-types.ts'
import { type Column, columnsOf, fieldsFor } from './columns.ts'
import { readRows } from './table-file.ts'

export interface RowsImport {
  readonly file: string
  /** The name or id of the structure; one that does not exist is made, its types told from all rows. */
  readonly structure: string
  readonly onConflict: 'refuse' | 'update'
  /** Finds out everything and writes nothing. */
  readonly isDryRun: boolean
  /** Leaves out rows that are refused, instead of writing nothing. */
  readonly skipsBad: boolean
  /** Told now and then how much is done, from 0 to 1. */
  onProgress(done: number): void
}

export interface RefusedRow {
  /** From 1, the first one after the header. */
  readonly row: number
  readonly reason: string
}

export interface RowsReport {
  readonly structure: { readonly id: string; readonly name: string; readonly isNew: boolean }
  readonly fields: readonly Column[]
  inserted: number
  updated: number
  refusedCount: number
  /** The first of them. */
  readonly refused: RefusedRow[]
  /** Whether anything was written. */
  isWritten: boolean
}

const BATCH = 500
const REFUSALS_TOLD = 20

/** Thrown out of a transaction to take everything in it back. */
class TakenBack extends Error {
  constructor(readonly report: RowsReport) {
    super('nothing is written')
  }
}

/**
 * Writes the rows of a file into a structure in one transaction, checked as the API checks them. When any row is
 * refused nothing is written, unless those are to be skipped. Throws Refusal for what is wrong with the whole file.
 */
export async function importRows(
  ctx: Pick<AppContext, 'db' | 'bus'>,
  caller: Caller,
  request: RowsImport,
): Promise<RowsReport> {
  try {
    return await ctx.db.write((tx) => {
      // Nobody listens in this process, and a million reports of changes would fill its memory.
      const quiet: Tx = { ...tx, afterCommit: () => {} }
      const report = new RowsWriter(ctx, quiet, caller, request).run()
      if (request.isDryRun || (report.refusedCount > 0 && !request.skipsBad)) throw new TakenBack(report)
      report.isWritten = true
      return report
    })
  } catch (error) {
    if (error instanceof TakenBack) return error.report
    throw error
  }
}

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
  readonly #report: RowsReport
  #rowsBefore = 0

  constructor(
    private readonly ctx: Pick<AppContext, 'bus'>,
    private readonly tx: Tx,
    private readonly caller: Caller,
    private readonly request: RowsImport,
  ) {
    const { structure, isNew, columns } = prepare(tx, caller, request)
    this.#columns = columns
    this.#structure = structure
    this.#report = {
      structure: { id: structure.id, name: structure.name, isNew },
      fields: columns.map(({ key, type }) => ({ key, type })),
      inserted: 0,
      updated: 0,
      refusedCount: 0,
      refused: [],
      isWritten: false,
    }
  }

  run(): RowsReport {
    const before = this.#report.structure.isNew ? SHARE_OF_LEARNING : 0
    for (const { rows, share } of dataRows(this.request.file)) {
      for (let at = 0; at < rows.length; at += BATCH) this.#writeBatch(rows.slice(at, at + BATCH))
      this.request.onProgress(before + share * (1 - before))
    }
    return this.#report
  }

  /** Whole, or, when a row of it is refused, row by row, so that each refusal is known. */
  #writeBatch(rows: readonly (readonly string[])[]): void {
    if (!this.#isRefused(() => this.#write(rows))) {
      this.#rowsBefore += rows.length
      return
    }
    for (const cells of rows) {
      const refusal = this.#isRefused(() => this.#write([cells]))
      this.#rowsBefore += 1
      if (refusal) this.#note(refusal)
    }
  }

  #isRefused(write: () => void): Refusal | undefined {
    const { sql } = this.tx
    sql.run('SAVEPOINT import_rows')
    try {
      write()
      sql.run('RELEASE import_rows')
      return undefined
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      sql.run('ROLLBACK TO import_rows')
      sql.run('RELEASE import_rows')
      return error
    }
  }

  #write(rows: readonly (readonly string[])[]): void {
    if (this.#structure.maxRows === 1 && this.#rowsBefore > 0)
      throw refused(`"${this.#structure.name}" holds one row; a file with one row can replace it.`)
    const { inserted, updated } = writeRecords(this.ctx, this.tx, this.caller, {
      structure: this.#structure.id,
      rows: rows.map((cells) => ({ data: this.#dataOf(cells) })),
      on_conflict: this.request.onConflict,
    })
    this.#report.inserted += inserted
    this.#report.updated += updated
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

  #note({ message }: Refusal): void {
    this.#report.refusedCount += 1
    if (this.#report.refused.length >= REFUSALS_TOLD) return
    this.#report.refused.push({ row: this.#rowsBefore, reason: message.replace(/^Row 1: /, '') })
  }
}

function checkedCell({ key, type }: Column, cell: string): string | number | boolean {
  if (cell.includes('\0')) throw refused(`The column "${key}" holds a NUL character, which no text may.`)
  return cellValue(type, cell)
}
