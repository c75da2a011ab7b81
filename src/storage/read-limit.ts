import { charactersIn } from '../lib/text.ts'

/*
 * Measures the cost of a read while it runs. Each row that a statement returns, or passes over where it names a scan
 * (`scan.ts`), counts one; so do 100 characters of returned text. Each statement counts ten. A
 * read beyond its limit is cancelled by an error.
 */

const ROWS_PER_STATEMENT = 10
const CHARACTERS_PER_ROW = 100
/**
 * A read also ends after this time plus the same processor time, however few rows it has read, because testing one
 * row may take long. Elapsed time alone says little on a busy machine.
 */
const TIME_LIMIT_MS = 10
const PROCESSOR_TIME_LIMIT_MS = 10

const ROWS_PER_CHECK = 64

const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The remaining budget of one read. */
export class ReadLimit {
  #left: number
  /** The budget when the current statement began. */
  #leftBefore: number
  /** The part of the budget that the current statement must leave to later ones. */
  #reserved = 0
  /** The clock is read when the budget falls below this. */
  #nextCheck = Number.POSITIVE_INFINITY
  #lateFrom = performance.now() + TIME_LIMIT_MS
  #processorLimit: number | undefined
  readonly #error: () => Error

  constructor(rows: number, error: () => Error) {
    this.#left = rows
    this.#leftBefore = rows
    this.#error = error
  }

  /** The number of rows that the current statement has counted. */
  get spent(): number {
    return this.#leftBefore - this.#left
  }

  /** Begins a statement that may count at most `most` rows. */
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

  /** Counts a returned row, an object or an array. */
  spendRow(row: unknown): void {
    this.spend(1 + charactersIn(row) / CHARACTERS_PER_ROW)
  }

  spendRows(rows: readonly unknown[]): void {
    this.spend(
      rows.length + rows.reduce((sum: number, row) => sum + charactersIn(row), 0) / CHARACTERS_PER_ROW,
    )
  }
}
