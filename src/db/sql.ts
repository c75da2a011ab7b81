import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { asReadError } from './errors.ts'
import type { SqlPart } from './sql-part.ts'

export type SqlValue = SQLQueryBindings

const MAX_STATEMENTS = 1_000

/** The SQL function of a stop condition. */
const CHECK_STOP = 'check_stop'
/** A stop condition is checked once in this many rows, a power of 2. */
const ROWS_PER_CHECK = 64

export interface SqlOptions {
  /** Called before every statement; begins the snapshot of a connection that only reads. */
  enter?: () => void
  /** Where `memoize` caches results; without it nothing is cached. */
  memory?: ResultMemory
  /** Throws once the work of this connection is to be stopped: called before every statement, and in those with a stop condition. */
  checkStop?: () => void
}

interface RowLimit {
  /** How many rows may still be read. */
  left: number
  readonly error: () => Error
}

/** Results by name. */
export interface ResultMemory {
  get(name: string): unknown
  set(name: string, result: unknown): void
}

/**
 * Prepared statements by their text. Values are always bound, never part of the text, so that the
 * number of texts stays small; `bun:sqlite`'s own cache holds only twenty.
 */
export class Sql {
  readonly #statements = new BoundedCache<string, Statement>(MAX_STATEMENTS, (statement) =>
    statement.finalize(),
  )
  readonly #enter: SqlOptions['enter']
  readonly #memory: SqlOptions['memory']
  readonly #checkStop: SqlOptions['checkStop']
  #rowLimit: RowLimit | undefined
  #hasCheck = false

  constructor(
    readonly database: Database,
    { enter, memory, checkStop }: SqlOptions = {},
  ) {
    this.#enter = enter
    this.#memory = memory
    this.#checkStop = checkStop
    if (checkStop) this.#addCheck()
  }

  #addCheck(): void {
    if (this.#hasCheck) return
    this.#hasCheck = true
    this.database.function(CHECK_STOP, () => {
      this.#checkStop?.()
      this.#countRows()
      return 1
    })
  }

  #countRows(): void {
    const limit = this.#rowLimit
    if (!limit) return
    limit.left -= ROWS_PER_CHECK
    if (limit.left < 0) throw limit.error()
  }

  /**
   * Runs `read`; its statements with a stop condition may together read about this many rows, and one that would read
   * more throws the error.
   */
  withRowLimit<Result>(rows: number, error: () => Error, read: () => Result): Result {
    this.#addCheck()
    this.#rowLimit = { left: rows, error }
    try {
      return read()
    } finally {
      this.#rowLimit = undefined
    }
  }

  /**
   * A condition, always true, for the `WHERE` of a statement that may read many rows: with it the statement can be
   * stopped while it runs. `pk` is an expression for the integer key of the rows. It must come first, because SQLite
   * does not evaluate it for rows that an earlier condition excludes. One that surely `endsSoon` need not be stopped,
   * unless rows are limited.
   */
  stopCondition(pk: string, endsSoon = false): SqlPart {
    const isStopped = this.#rowLimit !== undefined || (this.#checkStop !== undefined && !endsSoon)
    const text = isStopped ? `((${pk} & ${ROWS_PER_CHECK - 1}) OR ${CHECK_STOP}())` : 'TRUE'
    return { text, values: [] }
  }

  /** The first row, or undefined. */
  get<Row>(text: string, ...values: SqlValue[]): Row | undefined {
    return this.#call<Row | null>('get', text, values) ?? undefined
  }

  all<Row>(text: string, ...values: SqlValue[]): Row[] {
    return this.#call('all', text, values)
  }

  /** Row by row, for rows that may be too long to be held together; the text must not be run again before the last. */
  each<Row>(text: string, ...values: SqlValue[]): IterableIterator<Row> {
    return this.#iterate(this.#prepare(text), values)
  }

  /** Every row as an array of its columns: half the cost of `all` for many rows. */
  rows<Row extends unknown[]>(text: string, ...values: SqlValue[]): Row[] {
    return this.#call('values', text, values)
  }

  /** The first column of every row. */
  column<Value>(text: string, ...values: SqlValue[]): Value[] {
    const rows = this.#call<[Value][]>('values', text, values)
    return rows.map((row) => row[0])
  }

  /** The first column of the first row; for aggregates, which always have one. */
  scalar<Value>(text: string, ...values: SqlValue[]): Value {
    const rows = this.#call<[Value][]>('values', text, values)
    const first = rows[0]
    if (!first) throw new Error('a statement that must return one row returned none')
    return first[0]
  }

  /** Returns how many rows changed and the row id of the last insert. */
  run(text: string, ...values: SqlValue[]): { changes: number; lastInsertRowid: number } {
    const { changes, lastInsertRowid } = this.#call<ReturnType<Statement['run']>>('run', text, values)
    return { changes, lastInsertRowid: Number(lastInsertRowid) }
  }

  /** Runs a script of several statements without values: migrations and generated tables. */
  script(text: string): void {
    this.database.run(text)
  }

  /**
   * The result of `make`, cached so that what every request reads is read once for many (`connection/memoized-results.ts`,
   * which lists the tables that `make` may read). Undefined is not cached.
   */
  memoize<Made>(name: string, make: () => Made): Made {
    const known = this.#memory?.get(name)
    if (known !== undefined) return known as Made
    const made = make()
    if (made !== undefined) this.#memory?.set(name, made)
    return made
  }

  /** To be called before the database is closed: a connection with open statements is not really closed. */
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

  *#iterate<Row>(statement: Statement, values: SqlValue[]): IterableIterator<Row> {
    try {
      yield* statement.iterate(...values) as IterableIterator<Row>
    } catch (error) {
      throw asReadError(error, this.database)
    }
  }

  #prepare(text: string): Statement {
    this.#enter?.()
    this.#checkStop?.()
    const known = this.#statements.get(text)
    if (known) return known
    const statement = this.database.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }
}
