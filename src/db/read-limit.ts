/*
 * How much a read does is counted while it runs: a row that a statement returns, or passes over where it has a stop condition
 * (`Sql.stopCondition`), counts as one; so do 100 characters of the texts that it returns; a statement by itself counts as
 * ten. A read that goes beyond its limit is given up by an error.
 */

const ROWS_PER_STATEMENT = 10
const CHARACTERS_PER_ROW = 100
/**
 * A read also ends after this time and then so much processor time, however few rows it has read: testing one may take
 * long. The time alone would tell little where the machine is busy.
 */
const TIME_LIMIT_MS = 10
const PROCESSOR_TIME_LIMIT_MS = 10

const ROWS_PER_CHECK = 64

const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** How much one read may still do. */
export class ReadLimit {
  #left: number
  /** What was left when the running statement began. */
  #leftBefore: number
  /** What the running statement may not use, but the next ones. */
  #reserved = 0
  /** The time is looked at whenever less than this is left. */
  #nextCheck = Number.POSITIVE_INFINITY
  #lateFrom = performance.now() + TIME_LIMIT_MS
  #processorLimit: number | undefined
  readonly #error: () => Error

  constructor(rows: number, error: () => Error) {
    this.#left = rows
    this.#leftBefore = rows
    this.#error = error
  }

  /** How many rows the running statement has counted. */
  get spent(): number {
    return this.#leftBefore - this.#left
  }

  /** Counts a statement that is about to run, which may count no more rows than `most`. */
  begin(most: number): void {
    this.#left += this.#reserved
    this.#reserved = Math.max(0, this.#left - most)
    this.#left -= this.#reserved
    this.#leftBefore = this.#left
    this.#nextCheck = this.#left
    this.spend(ROWS_PER_STATEMENT)
  }

  spend(rows: number): void {
    this.#left -= rows
    if (this.#left < this.#nextCheck) this.#check()
  }

  #check(): void {
    this.#nextCheck = Math.max(0, this.#left - ROWS_PER_CHECK)
    if (this.#left < 0 || (performance.now() > this.#lateFrom && this.#isLate())) throw this.#error()
  }

  #isLate(): boolean {
    const used = processorMs()
    this.#processorLimit ??= used + PROCESSOR_TIME_LIMIT_MS
    this.#lateFrom = performance.now() + 1
    return used > this.#processorLimit
  }

  /** Counts a row that a statement returned, as an object or an array. */
  spendRow(row: unknown): void {
    this.spend(1 + charactersIn(row) / CHARACTERS_PER_ROW)
  }

  spendRows(rows: readonly unknown[]): void {
    this.spend(
      rows.length + rows.reduce((sum: number, row) => sum + charactersIn(row), 0) / CHARACTERS_PER_ROW,
    )
  }
}

/** How long the values may be that a write reads. */
export class ValueLimit {
  #left: number
  readonly #error: () => Error

  constructor(length: number, error: () => Error) {
    this.#left = length
    this.#error = error
  }

  spendRow(row: unknown): void {
    this.#left -= charactersIn(row)
    if (this.#left < 0) throw this.#error()
  }

  spendRows(rows: readonly unknown[]): void {
    for (const row of rows) this.spendRow(row)
  }
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  return value instanceof Uint8Array ? value.byteLength : 0
}

function charactersIn(row: unknown): number {
  let length = 0
  if (Array.isArray(row)) for (const value of row) length += lengthOf(value)
  else
    for (const key in row as Record<string, unknown>)
      length += lengthOf((row as Record<string, unknown>)[key])
  return length
}
