import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { BoundedCache } from '../lib/bounded-cache.ts'
import {
  CHECK_ROWS,
  CHECK_TEXT,
  type Checks,
  checkedText,
  ENTRIES_PER_ROW,
  namesScans,
  namesUncounted,
  ROWS_PER_CHECK,
} from '../lib/scan.ts'
import { State } from '../lib/state.ts'
import { charactersIn } from '../lib/text.ts'
import { asReadError } from './errors.ts'
import { ReadLimit } from './read-limit.ts'

export type SqlValue = SQLQueryBindings

const MAX_STATEMENTS = 1_000

/** This many bytes of tested text count as one row. */
const TESTED_BYTES_PER_ROW = 500

/** A statement that exceeded the limit of a read may count only this many rows in the next reads. */
const FEW_ROWS = 500
/** The restriction is forgotten after so many uses. */
const USES_WITH_FEW_ROWS = 16

export interface SqlOptions {
  /** Called before every statement; begins the snapshot of a read-only connection. */
  enter?: () => void
  /** The cache of `memoize`; without it nothing is cached. */
  memory?: ResultMemory
  /**
   * Throws once the work of this connection must stop. Called before every statement, and within those that name
   * their scans (`scan.ts`).
   */
  checkStop?: () => void
  /** The shared state of another connection to the same database. */
  state?: State
}

/** Cached results by name. */
export interface ResultMemory {
  get(name: string): unknown
  set(name: string, result: unknown): void
}

/**
 * Prepared statements by their text. Values are always bound, never part of the text, so that the number of texts
 * stays small; `bun:sqlite`'s own cache holds only twenty.
 */
export class Sql {
  readonly state: State
  /** The number of statements that were run. */
  statementCount = 0
  readonly #statements = new BoundedCache<string, Statement>(MAX_STATEMENTS, (statement) =>
    statement.finalize(),
  )
  /** The texts of statements with the conditions for their scans, outside of a limit and within one. */
  readonly #texts = new BoundedCache<string, string>(MAX_STATEMENTS)
  readonly #limitedTexts = new BoundedCache<string, string>(MAX_STATEMENTS)
  readonly #enter: SqlOptions['enter']
  readonly #memory: SqlOptions['memory']
  readonly #checkStop: SqlOptions['checkStop']
  #limit: ReadLimit | undefined
  #writeLimit: WriteLimit | undefined
  /** The text of the statement that a limited read runs, and whether it may count only few rows. */
  #running = ''
  #mayCountFew = false
  /** The statements that exceeded a limit, with the number of reads that still restrict them to few rows. */
  readonly #long = new BoundedCache<string, number>(MAX_STATEMENTS)
  #hasCheck = false

  constructor(
    readonly database: Database,
    { enter, memory, checkStop, state = new State() }: SqlOptions = {},
  ) {
    this.state = state
    this.#enter = enter
    this.#memory = memory
    this.#checkStop = checkStop
    if (checkStop) this.#addCheck()
  }

  #addCheck(): void {
    if (this.#hasCheck) return
    this.#hasCheck = true
    this.database.function(CHECK_ROWS, () => {
      this.#checkStop?.()
      this.#limit?.spend(ROWS_PER_CHECK)
      return 1
    })
    this.database.function(CHECK_TEXT, (bytes: number) => {
      this.#checkStop?.()
      this.#limit?.spend(bytes / TESTED_BYTES_PER_ROW)
      return 1
    })
  }

  /**
   * Runs a read that may count about this many rows (`read-limit.ts`); exceeding the limit throws the error. The
   * statement that exceeded it is cancelled early in the next reads.
   */
  withRowLimit<Result>(rows: number, error: () => Error, read: () => Result): Result {
    this.#addCheck()
    const limit = new ReadLimit(rows, error)
    this.#limit = limit
    let isDone = false
    try {
      const result = read()
      isDone = true
      return result
    } finally {
      this.#limit = undefined
      // A statement that exceeded only the restriction is soon tried in full again: it may be cheap for other
      // values.
      if (!isDone && !this.#mayCountFew && limit.spent > FEW_ROWS)
        this.#long.set(this.#running, USES_WITH_FEW_ROWS)
    }
  }

  /**
   * Runs a write that may read values of this length, in characters or bytes, and write in proportion; one that would do
   * more throws the error.
   */
  withWriteLimit<Result>(length: number, error: () => Error, write: () => Result): Result {
    this.#writeLimit = new WriteLimit(length, error)
    try {
      return write()
    } finally {
      this.#writeLimit = undefined
    }
  }

  #beginLimited(limit: ReadLimit, text: string): void {
    const uses = this.#long.get(text) ?? 0
    if (uses > 0) this.#long.set(text, uses - 1)
    this.#running = text
    this.#mayCountFew = uses > 0
    limit.begin(this.#mayCountFew ? FEW_ROWS : Number.POSITIVE_INFINITY)
  }

  /** The counter of returned rows. */
  get #counter(): ReadLimit | WriteLimit | undefined {
    return this.#limit ?? this.#writeLimit
  }

  /** Whether the current read has a row limit. */
  get isLimited(): boolean {
    return this.#limit !== undefined
  }

  /** The first row, or undefined. */
  get<Row>(text: string, ...values: SqlValue[]): Row | undefined {
    const row = this.#call<Row | null>('get', text, values) ?? undefined
    if (row !== undefined) this.#counter?.spendRow(row)
    return row
  }

  all<Row>(text: string, ...values: SqlValue[]): Row[] {
    const rows = this.#call<Row[]>('all', text, values)
    this.#counter?.spendRows(rows)
    return rows
  }

  /**
   * Iterates over rows that may be too long to be held together. The same text must not be run again before the last
   * row.
   */
  each<Row>(text: string, ...values: SqlValue[]): IterableIterator<Row> {
    const rows = this.#prepare(text).iterate(...values) as IterableIterator<Row>
    return checked(rows, this.database, this.#counter)
  }

  /** Every row as an array of its columns: half the cost of `all` for many rows. */
  rows<Row extends unknown[]>(text: string, ...values: SqlValue[]): Row[] {
    const rows = this.#call<Row[]>('values', text, values)
    this.#counter?.spendRows(rows)
    return rows
  }

  /** The first column of every row. */
  column<Value>(text: string, ...values: SqlValue[]): Value[] {
    return this.rows<[Value]>(text, ...values).map((row) => row[0])
  }

  /** The first column of a page of rows. Rows before it count, too, and before the statement skips them. */
  columnPage<Value>(
    text: string,
    values: readonly SqlValue[],
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Value[] {
    this.#limit?.spend(offset)
    return this.column(`${text} LIMIT ? OFFSET ?`, ...values, limit, offset)
  }

  /** The first column of a statement that reads about so many index entries before its first row; they count, too. */
  columnAfter<Value>(entries: number, text: string, ...values: SqlValue[]): Value[] {
    this.#limit?.spend(Math.floor(entries / ENTRIES_PER_ROW))
    return this.column(text, ...values)
  }

  /** The first column of the first row; for aggregates, which always return one. */
  scalar<Value>(text: string, ...values: SqlValue[]): Value {
    const first = this.rows<[Value]>(text, ...values)[0]
    if (!first) throw new Error('a statement that must return one row returned none')
    return first[0]
  }

  /** Returns the number of changed rows and the row id of the last insert. */
  run(text: string, ...values: SqlValue[]): { changes: number; lastInsertRowid: number } {
    const { changes, lastInsertRowid } = this.#call<ReturnType<Statement['run']>>('run', text, values)
    this.#writeLimit?.spendWritten(changes)
    return { changes, lastInsertRowid: Number(lastInsertRowid) }
  }

  /** Runs a statement once for each item, with less overhead than `run`; returns the row id of the last insert. */
  runEach<Item>(text: string, items: readonly Item[], valuesOf: (item: Item) => SqlValue[]): number {
    try {
      const statement = this.#prepare(text)
      this.#writeLimit?.spendWritten(items.length)
      let last: number | bigint = 0
      for (const item of items) last = statement.run(...valuesOf(item)).lastInsertRowid
      return Number(last)
    } catch (error) {
      throw asReadError(error, this.database)
    }
  }

  /**
   * Runs a script of several statements without values: migrations and generated tables. A script that builds
   * an index writes an entry for each of `rows` rows, which count before they are written.
   */
  script(text: string, rows = 0): void {
    this.#writeLimit?.spendWritten(rows)
    this.database.run(text)
  }

  /**
   * The result of `make`, cached and shared by requests (`connection/reading.ts` lists the tables that `make` may
   * read). Undefined is not cached.
   */
  memoize<Made>(name: string, make: () => Made): Made {
    const known = this.#memory?.get(name)
    if (known !== undefined) return known as Made
    const created = make()
    if (created !== undefined) this.#memory?.set(name, created)
    return created
  }

  /** Must be called before the database is closed: open statements prevent a connection from closing. */
  finalize(): void {
    this.#statements.clear()
  }

  #call<Result>(method: 'get' | 'all' | 'values' | 'run', text: string, values: SqlValue[]): Result {
    try {
      return this.#prepare(text)[method](...values) as Result
    } catch (error) {
      throw asReadError(error, this.database)
    }
  }

  #prepare(text: string): Statement {
    this.statementCount += 1
    this.#enter?.()
    this.#checkStop?.()
    if (this.#limit) this.#beginLimited(this.#limit, text)
    // Most texts name no scans and are known as they are. Searching each for names would take as long as its lookup.
    const knownText = this.#statements.get(text)
    if (knownText) return knownText
    const hasScans = namesScans(text)
    if (hasScans && namesUncounted(text)) this.#limit?.spend(Number.POSITIVE_INFINITY)
    const prepared = hasScans ? this.#checked(text) : text
    const known = hasScans ? this.#statements.get(prepared) : undefined
    if (known) return known
    const statement = this.database.prepare(prepared)
    this.#statements.set(prepared, statement)
    return statement
  }

  #checked(text: string): string {
    const texts = this.#limit ? this.#limitedTexts : this.#texts
    const known = texts.get(text)
    if (known !== undefined) return known
    const unlimited: Checks = this.#checkStop ? 'long' : 'none'
    const checked = checkedText(text, this.#limit ? 'all' : unlimited)
    texts.set(text, checked)
    return checked
  }
}

/** Counts rows as they are read, and reports their errors; a generator would take several times as long. */
const checked = <Row>(
  rows: IterableIterator<Row>,
  database: Database,
  counter: ReadLimit | WriteLimit | undefined,
): IterableIterator<Row> => ({
  next: () => {
    try {
      const next = rows.next()
      if (!next.done) counter?.spendRow(next.value)
      return next
    } catch (error) {
      // An unfinished statement keeps its snapshot: later reads on this connection would miss newer commits.
      rows.return?.()
      throw asReadError(error, database)
    }
  },
  return: () => rows.return?.() ?? { done: true, value: undefined },
  [Symbol.iterator]() {
    return this
  },
})

/**
 * A written row counts as so many characters. The main thread therefore writes at most 4,096 rows for one caller, which
 * takes 20 to 45 ms. A batch of 500 rows writes up to 2,500 in all tables.
 */
const CHARACTERS_PER_WRITTEN_ROW = 128

/** How much a write may still do, in characters of the values that it reads; a row that it writes counts as some of them. */
class WriteLimit {
  #left: number
  readonly #error: () => Error

  constructor(length: number, error: () => Error) {
    this.#left = length
    this.#error = error
  }

  #spend(length: number): void {
    this.#left -= length
    if (this.#left < 0) throw this.#error()
  }

  spendWritten(rows: number): void {
    this.#spend(rows * CHARACTERS_PER_WRITTEN_ROW)
  }

  spendRow(row: unknown): void {
    this.#spend(charactersIn(row))
  }

  spendRows(rows: readonly unknown[]): void {
    for (const row of rows) this.spendRow(row)
  }
}

/* Parts of the texts of statements. */

/** A part of a statement: its text, with a `?` for each of the values. */
export interface SqlPart {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Conditions joined by AND. */
export const allOf = (conditions: readonly SqlPart[]): SqlPart => ({
  text: conditions.map(({ text }) => text).join(' AND '),
  values: conditions.flatMap(({ values }) => values),
})

/** Sets `updated_at` to the bound time, or to just after its value if that is later, so that it always grows. */
export const TOUCH = 'updated_at = max(?, updated_at + 1)'

export type Direction = 'asc' | 'desc'

/** The SQL keyword of a direction. */
export const sqlDirection = (direction: Direction): 'ASC' | 'DESC' => (direction === 'asc' ? 'ASC' : 'DESC')

export const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc')
