import { statSync } from 'node:fs'
import { checkedName } from '../../account/names.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { writeRecords } from '../../records/writing/create.ts'
import { refused } from '../../refusal.ts'
import { definitionOf } from '../../structures/definition.ts'
import { createStructure, findStructure } from '../../structures/service.ts'
import type { StructureRow } from '../../structures/store.ts'
import { type Attempts, type AttemptsReport, type ImportMode, importWhole } from '../import-run.ts'
import { ColumnTypes, cellValue } from './column-types.ts'
import { type Column, columnsOf, fieldsFor } from './columns.ts'
import { readRows } from './read.ts'

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
  importWhole(
    ctx.db,
    request,
    (attempts) =>
      writeGuessed(ctx, attempts, caller, request) ??
      new RowsWriter(ctx, attempts, caller, request, learnTypes).run(),
  )

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

interface Learnt {
  readonly header: readonly string[]
  readonly types: ReturnType<ColumnTypes['types']>
}

/** Tells the types of all columns from all rows. */
function learnTypes({ file, onProgress }: RowsImport): Learnt {
  let types: ColumnTypes | undefined
  let names: readonly string[] = []
  for (const { header, rows, share } of dataRows(file)) {
    names = header
    types ??= new ColumnTypes(header.length)
    for (const cells of rows) types.learn(cells)
    onProgress(share * SHARE_OF_LEARNING)
  }
  return { header: names, types: types?.types() ?? [] }
}

/** Tells them from the beginning of the file; undefined when that says nothing of some column. */
function guessTypes(file: string): Learnt | undefined {
  const [first] = dataRows(file)
  const types = new ColumnTypes(first?.header.length ?? 0)
  for (const cells of first?.rows ?? []) types.learn(cells)
  return first && types.areShown() ? { header: first.header, types: types.types() } : undefined
}

/** A row shows that a guess was wrong, or may have been. */
class WrongGuess extends Error {}

/**
 * Types that the beginning shows and every other row fits are those that all rows show: then the file is read once
 * instead of twice. Answers undefined, and has written nothing, when some row does not fit.
 */
function writeGuessed(
  ctx: Pick<AppContext, 'bus'>,
  attempts: Attempts,
  caller: Caller,
  request: RowsImport,
): RowsOutcome | undefined {
  const { sql } = attempts.tx
  if (findStructure(attempts.tx, caller, request.structure)) return undefined
  const guess = guessTypes(request.file)
  if (!guess) return undefined
  sql.run('SAVEPOINT import_guess')
  try {
    return new RowsWriter(ctx, attempts, caller, request, () => guess, true).run()
  } catch (error) {
    if (!(error instanceof WrongGuess)) throw error
    sql.run('ROLLBACK TO import_guess')
    return undefined
  } finally {
    if (sql.database.inTransaction) sql.run('RELEASE import_guess')
  }
}

const SHARE_OF_LEARNING = 0.25

/** Finds the structure or makes it with a field for every column; answers what each column fills. */
function prepare(tx: Tx, caller: Caller, request: RowsImport, learn: (request: RowsImport) => Learnt) {
  const { structure: nameOrId, file } = request
  const known = findStructure(tx, caller, nameOrId)
  if (known) {
    const [first] = dataRows(file)
    return { structure: known, isNew: false, columns: columnsOf(first?.header ?? [], definitionOf(known)) }
  }
  const { header, types } = learn(request)
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
    learn: (request: RowsImport) => Learnt,
    private readonly isGuess = false,
  ) {
    const { structure, isNew, columns } = prepare(attempts.tx, caller, request, learn)
    this.#columns = columns
    this.#structure = structure
    this.#isNew = isNew
  }

  run(): RowsOutcome {
    const before = this.#isNew && !this.isGuess ? SHARE_OF_LEARNING : 0
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
    if (this.isGuess) throw new WrongGuess()
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
    for (let at = 0; at < cells.length; at++) {
      const column = this.#columns[at]
      const cell = cells[at] ?? ''
      if (column && cell !== '') data[column.key] = checkedCell(column, cell)
    }
    return data
  }
}

function checkedCell({ key, type }: Column, cell: string): string | number | boolean {
  if (cell.includes('\0')) throw refused(`The column "${key}" holds a NUL character, which no text may.`)
  return cellValue(type, cell)
}
