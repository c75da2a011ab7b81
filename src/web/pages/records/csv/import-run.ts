import { withoutProtection } from '../../../../lib/csv-cells.ts'
import { counted } from '../../../../lib/text.ts'
import { newCallKey } from '../../../data/api.ts'
import { type Field, isComputed, type Structure } from '../../../data/records/model.ts'
import { faultyRow } from '../../../data/records/refusals.ts'
import { parseValue } from '../../../data/records/values.ts'
import { Refused, Unreachable } from '../../../data/request.ts'
import { writeRows } from '../actions.ts'
import type { CellReader } from './cell-reader.ts'
import { type Chunk, type FileLines, type FileReading, readLines } from './lines.ts'

/** Rows per batch, at most. */
const BATCH = 500
const SAMPLE_LINES = 4
const RETRY_MS = 2_000
const TOO_LARGE = 413

type Data = Record<string, string | number | boolean | readonly string[] | null>

export interface RefusedLine {
  /** 1-based, counted in CSV records; the heading is line 1. */
  readonly line: number
  readonly error: string
  readonly cells: readonly string[]
}

export interface Progress {
  readonly written: number
  readonly updated: number
  /** All refused rows so far. The array is mutated during the import. */
  readonly refused: readonly RefusedLine[]
  /** Fraction of the file read, from 0 to 1. */
  readonly part: number
}

export const NO_PROGRESS: Progress = { written: 0, updated: 0, refused: [], part: 0 }

export interface Plan {
  readonly structure: Structure
  readonly file: File
  readonly reading: FileReading
  /** The target field of each column; undefined skips the column. */
  readonly targets: readonly (Field | undefined)[]
  /** Rewrite the cells of columns in another notation. */
  readonly readers: readonly (CellReader | undefined)[]
  readonly onConflict: 'refuse' | 'update'
}

/** The heading and the first lines of a file, and its encoding. */
export async function readHead(lines: FileLines): Promise<Pick<Chunk, 'lines' | 'encoding'>> {
  for await (const head of readLines({ ...lines, preview: SAMPLE_LINES })) return head
  return { lines: [] }
}

interface Line {
  readonly line: number
  readonly cells: readonly string[]
  readonly data: Data
}

/** Imports a file in batches. Refused rows are skipped and listed. Ends early when the signal aborts. */
export class ImportRun {
  readonly #refused: RefusedLine[] = []
  #progress: Progress = { ...NO_PROGRESS, refused: this.#refused }
  /** Rows per batch; halved when the server refuses a batch as too large. */
  #batch = BATCH
  #line = 1
  #pending: Line[] = []

  constructor(
    private readonly plan: Plan,
    private readonly signal: AbortSignal,
    private readonly onProgress: (progress: Progress) => void,
  ) {}

  async start(): Promise<void> {
    let isFirst = true
    for await (const { lines, part } of readLines({ ...this.plan.reading, file: this.plan.file })) {
      await this.#take(isFirst ? lines.slice(1) : lines, part)
      isFirst = false
      if (this.signal.aborted) return
    }
    await this.#flush()
  }

  async #take(lines: readonly (readonly string[])[], part: number): Promise<void> {
    for (const cells of lines) {
      this.#line++
      this.#queue(cells)
      if (this.#pending.length >= this.#batch) await this.#flush()
      if (this.signal.aborted) return
    }
    this.#report({ part })
  }

  #queue(cells: readonly string[]): void {
    const line = this.#line
    const columns = this.plan.targets.length
    if (cells.slice(columns).some((text) => text !== '')) {
      const error = `The row has ${counted(cells.length, 'cell')}, and the file has ${counted(columns, 'column')}.`
      this.#refuse({ line, error, cells })
      return
    }
    const data: Data = {}
    for (const [index, field] of this.plan.targets.entries()) {
      const text = cells[index] ?? ''
      if (!field || isComputed(field) || text === '') continue
      const isText = field.type === 'text' || field.type === 'select'
      const read = this.plan.readers[index]?.(text) ?? text
      const parsed = parseValue(field, isText ? withoutProtection(text) : read)
      if ('error' in parsed) {
        this.#refuse({ line, error: parsed.error, cells })
        return
      }
      data[field.key] = parsed.value
    }
    this.#pending.push({ line, cells, data })
  }

  async #flush(): Promise<void> {
    const lines = this.#pending
    this.#pending = []
    if (!this.signal.aborted) await this.#write(lines)
  }

  /** Writes lines. If a batch is refused, the faulty row is skipped and the others are sent again. */
  async #write(lines: readonly Line[]): Promise<void> {
    let rest = lines
    while (rest.length > 0 && !this.signal.aborted) {
      const refusal = await this.#send(rest)
      if (!refusal) return
      const fault = rest.length === 1 ? 0 : faultyRow(refusal.fault)
      const line = fault === undefined ? undefined : rest[fault]
      if (!line) return this.#halve(rest, refusal)
      this.#refuse({ ...line, error: refusal.fault?.detail ?? refusal.message })
      rest = rest.filter((other) => other !== line)
    }
  }

  /** Retries a batch in halves, if the refusal names no row or the batch was too large. */
  async #halve(lines: readonly Line[], refusal: Refused): Promise<void> {
    const middle = Math.ceil(lines.length / 2)
    if (refusal.status === TOO_LARGE) this.#batch = middle
    await this.#write(lines.slice(0, middle))
    await this.#write(lines.slice(middle))
  }

  /** Sends a batch, retrying while the server is unreachable. The idempotency key prevents duplicate rows. */
  async #send(lines: readonly Line[]): Promise<Refused | undefined> {
    const { structure, onConflict } = this.plan
    const key = newCallKey()
    for (;;) {
      try {
        const rows = lines.map(({ data }) => data)
        const { inserted, updated } = await writeRows(structure.id, rows, { onConflict, key })
        this.#report({
          written: this.#progress.written + inserted,
          updated: this.#progress.updated + updated,
        })
        return undefined
      } catch (error) {
        if (error instanceof Refused && (error.status === 400 || error.status === TOO_LARGE)) return error
        const isTransient =
          error instanceof Unreachable || (error instanceof Refused && error.retryAfter !== undefined)
        if (!isTransient) throw error
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        if (this.signal.aborted) return undefined
      }
    }
  }

  #refuse({ line, error, cells }: RefusedLine): void {
    this.#refused.push({ line, error, cells })
    this.#report({})
  }

  #report(change: Partial<Progress>): void {
    this.#progress = { ...this.#progress, ...change }
    this.onProgress(this.#progress)
  }
}
