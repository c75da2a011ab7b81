import { newCallKey } from '../../../data/api.ts'
import { Away, Refused } from '../../../data/request.ts'
import { writeRows } from '../actions.ts'
import type { Field, Structure } from '../model.ts'
import { parseValue } from '../values.ts'
import { readLines } from './lines.ts'

/** Rows are written in batches of this size. */
const BATCH = 500
const SAMPLE_LINES = 4
const RETRY_MS = 2_000
/** How many refused rows are kept to be shown. */
const SHOWN_REFUSALS = 1_000

type Data = Record<string, string | number | boolean | null>

export interface RefusedLine {
  /** The line of the file, counted in records; the heading is the first. */
  readonly line: number
  readonly why: string
  readonly cells: readonly string[]
}

export interface Progress {
  readonly written: number
  readonly updated: number
  readonly refusedCount: number
  readonly refused: readonly RefusedLine[]
  /** How much of the file has been read, from 0 to 1. */
  readonly part: number
}

export const NO_PROGRESS: Progress = { written: 0, updated: 0, refusedCount: 0, refused: [], part: 0 }

export interface Plan {
  readonly structure: Structure
  readonly file: File
  /** For each column of the file the field that it fills. */
  readonly targets: readonly (Field | undefined)[]
  readonly onConflict: 'refuse' | 'update'
}

/** The heading of a file and its first lines. */
export async function readHead(file: File): Promise<readonly (readonly string[])[]> {
  for await (const { lines } of readLines(file, SAMPLE_LINES)) return lines
  return []
}

/** The field that a heading means, by its key or label, ignoring case. */
export function fieldFor(fields: readonly Field[], heading: string): Field | undefined {
  const wanted = heading.trim().toLowerCase()
  return fields.find(({ key, label }) => key === wanted || label.toLowerCase() === wanted)
}

interface Line {
  readonly line: number
  readonly cells: readonly string[]
  readonly data: Data
}

/** Brings a file in, batch after batch; what is refused is left out and named. Ends early when the signal aborts. */
export class ImportRun {
  #progress = NO_PROGRESS
  #line = 1
  #waiting: Line[] = []

  constructor(
    private readonly plan: Plan,
    private readonly signal: AbortSignal,
    private readonly onProgress: (progress: Progress) => void,
  ) {}

  async start(): Promise<void> {
    let isFirst = true
    for await (const { lines, part } of readLines(this.plan.file)) {
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
      if (this.#waiting.length >= BATCH) await this.#flush()
      if (this.signal.aborted) return
    }
    this.#report({ part })
  }

  #queue(cells: readonly string[]): void {
    const line = this.#line
    const data: Data = {}
    for (const [place, field] of this.plan.targets.entries()) {
      const text = cells[place] ?? ''
      if (!field || text === '') continue
      const parsed = parseValue(field, text)
      if ('why' in parsed) {
        this.#refuse({ line, why: parsed.why, cells })
        return
      }
      data[field.key] = parsed.value
    }
    this.#waiting.push({ line, cells, data })
  }

  async #flush(): Promise<void> {
    const lines = this.#waiting
    this.#waiting = []
    if (!this.signal.aborted) await this.#write(lines)
  }

  /** Writes lines; of a batch that is refused, the row at fault is left out and the others are sent again. */
  async #write(lines: readonly Line[]): Promise<void> {
    let rest = lines
    while (rest.length > 0 && !this.signal.aborted) {
      const refusal = await this.#send(rest)
      if (!refusal) return
      const fault = refusedPlace(refusal.message, rest.length)
      const line = fault === undefined ? undefined : rest[fault]
      if (!line) return this.#halve(rest, refusal)
      this.#refuse({ ...line, why: refusal.message.replace(/^Row \d+: /, '') })
      rest = rest.filter((other) => other !== line)
    }
  }

  /** Where a refusal names no row, the halves of the batch are tried. */
  async #halve(lines: readonly Line[], refusal: Refused): Promise<void> {
    const [only] = lines
    if (lines.length === 1 && only) return this.#refuse({ ...only, why: refusal.message })
    const middle = Math.ceil(lines.length / 2)
    await this.#write(lines.slice(0, middle))
    await this.#write(lines.slice(middle))
  }

  /** Sends a batch until the server is back; a batch that was written already is not written twice. */
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
        if (error instanceof Refused && error.status === 400) return error
        const mayPass = error instanceof Away || (error instanceof Refused && error.retryAfter !== undefined)
        if (!mayPass || this.signal.aborted) throw error
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  #refuse({ line, why, cells }: RefusedLine): void {
    const { refused, refusedCount } = this.#progress
    const shown = refused.length < SHOWN_REFUSALS ? [...refused, { line, why, cells }] : refused
    this.#report({ refused: shown, refusedCount: refusedCount + 1 })
  }

  #report(change: Partial<Progress>): void {
    this.#progress = { ...this.#progress, ...change }
    this.onProgress(this.#progress)
  }
}

/** The place of the row that a refusal of a batch names: `Row 3: …`, or of a single row. */
function refusedPlace(sentence: string, count: number): number | undefined {
  const named = /^Row (\d+)\b/.exec(sentence)
  if (named) return Number(named[1]) - 1
  return count === 1 ? 0 : undefined
}
