import { type ReadonlySignal, signal } from '@preact/signals'
import { api } from '../../data/api.ts'
import { Away, Refused } from '../../data/request.ts'
import { queryOf, type Row, type RowPage, type RowQuery } from './model.ts'

/** Rows are read in blocks of this size. */
export const BLOCK = 100
/** How many blocks that follow each other are read at once, because each reading skips all rows before it. */
const MOST_BLOCKS = 5
/** How many blocks are kept; of those that are not wanted, the ones read longest ago go first. */
const KEPT_BLOCKS = 80
/** Changes of others that arrive within this time are read together. */
const REFRESH_MS = 100
const RETRY_MS = 2_000
/** How long a row that somebody changed is marked. */
const MOVED_MS = 8_000

interface Block {
  readonly rows: readonly Row[]
  readonly epoch: number
}

/** The keys of a row that somebody changed while it was shown. */
export type Moved = ReadonlyMap<string, ReadonlySet<string>>

/** What stands above the rows of a group. */
export interface Group {
  readonly value: string | boolean | null
  readonly count: number
  readonly isOpen: boolean
}

/** The lines of a grid: rows, and between them what heads their groups, if they are grouped. */
export interface RowList {
  readonly rowQuery: RowQuery
  /** How many rows there are. */
  readonly total: ReadonlySignal<number | undefined>
  /** How many of them are in groups that are not folded. */
  readonly shown: ReadonlySignal<number | undefined>
  /** How many lines there are. */
  readonly lines: ReadonlySignal<number | undefined>
  /** Grows whenever a row that is known changes. */
  readonly version: ReadonlySignal<number>
  readonly error: ReadonlySignal<Error | undefined>
  readonly moved: ReadonlySignal<Moved>
  /** The row of a line; undefined if it is not read yet, or heads a group. */
  row(line: number): Row | undefined
  group(line: number): Group | undefined
  /**
   * The number of the row of a line among those that are shown, from 0; of a line that heads a group, of the row
   * after it.
   */
  numberOf(line: number): number
  /** The line of a row by its number. */
  lineOf(number: number): number
  /** The line of a row that is known. */
  indexOf(id: string): number | undefined
  find(id: string): Row | undefined
  isSeen(id: string): boolean
  want(first: number, last: number): void
  /** As many rows from this one on, as they are now; fewer at the end. */
  read(number: number, count: number): Promise<readonly Row[]>
  refresh(): void
  refreshNow(): void
  readRow(id: string): Promise<void>
  replace(row: Row): void
  close(): void
}

/** So many rows are read at once where they are not shown. */
const PAGE = 500

/** The rows of one query, of which there may be a million: those that are shown are read, and read again when they change. */
export class RowSource implements RowList {
  readonly total = signal<number | undefined>(undefined)
  readonly lines = this.total
  readonly shown = this.total
  /** Grows whenever a row that is known changes. */
  readonly version = signal(0)
  readonly error = signal<Error | undefined>(undefined)
  readonly moved = signal<Moved>(new Map())
  readonly #blocks = new Map<number, Block>()
  readonly #known = new Map<string, Row>()
  readonly #loading = new Map<number, AbortController>()
  #wanted: readonly [first: number, last: number] = [0, 0]
  #epoch = 0
  #isChecking = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  /** Whether the first block is kept true by a watch. */
  isWatched = false

  constructor(readonly rowQuery: RowQuery) {}

  row(index: number): Row | undefined {
    return this.#blocks.get(Math.floor(index / BLOCK))?.rows[index % BLOCK]
  }

  group(): undefined {
    return undefined
  }

  numberOf(line: number): number {
    return line
  }

  lineOf(number: number): number {
    return number
  }

  find(id: string): Row | undefined {
    return this.#known.get(id)
  }

  async read(number: number, count: number): Promise<readonly Row[]> {
    const rows: Row[] = []
    while (rows.length < count) {
      const limit = Math.min(PAGE, count - rows.length)
      const query = { ...queryOf(this.rowQuery), limit, offset: number + rows.length }
      const { records, has_more } = (await api.get('/v1/records', { query })) as RowPage
      rows.push(...records)
      if (!has_more) break
    }
    return rows
  }

  /** Whether a row is in the blocks that are wanted. */
  isSeen(id: string): boolean {
    const index = this.indexOf(id)
    return index !== undefined && this.#isWanted(Math.floor(index / BLOCK))
  }

  #isWanted(block: number): boolean {
    const [from, to] = this.#wanted
    return block >= from && block <= to
  }

  /** Where a row that is known stands now. */
  indexOf(id: string): number | undefined {
    for (const [number, { rows }] of this.#blocks) {
      const place = rows.findIndex((row) => row.id === id)
      if (place >= 0) return number * BLOCK + place
    }
    return undefined
  }

  /** Reads what of these rows is not known; what is read and no longer wanted is given up. */
  want(first: number, last: number): void {
    this.#wanted = [Math.floor(first / BLOCK), Math.floor(Math.max(first, last) / BLOCK)]
    const wanted = new Set(
      [...this.#loading].flatMap(([number, loading]) => (this.#isWanted(number) ? loading : [])),
    )
    for (const loading of this.#loading.values()) if (!wanted.has(loading)) loading.abort()
    this.#loadAll((number) => this.#blocks.get(number)?.epoch !== this.#epoch)
  }

  /** Reads what is shown again, soon. */
  refresh(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.refreshNow()
    }, REFRESH_MS)
  }

  /** What is known is read again when it is wanted next. */
  expire(): void {
    this.#epoch++
  }

  refreshNow(): void {
    this.expire()
    this.#loadAll((number) => number > 0 || !this.isWatched || !this.#blocks.has(0))
  }

  /** The first block as a watch sends it. */
  receive({ records, total }: RowPage): void {
    this.#adopt(0, { rows: records, epoch: this.#epoch }, total)
  }

  /** Reads one row again, which is sooner done than reading its page. */
  async readRow(id: string): Promise<void> {
    const { record } = await api.get('/v1/records/{id}', { params: { id } })
    this.replace(this.#newer(record as Row))
  }

  /** Shows a row as a write of this browser left it. */
  replace(row: Row): void {
    this.#known.set(row.id, row)
    for (const [number, block] of this.#blocks) {
      if (!block.rows.some(({ id }) => id === row.id)) continue
      this.#blocks.set(number, { ...block, rows: block.rows.map((old) => (old.id === row.id ? row : old)) })
    }
    this.version.value++
  }

  close(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#retry)
    for (const loading of this.#loading.values()) loading.abort()
  }

  /** Reads the wanted blocks that the test finds, unless they are being read. */
  #loadAll(isMissing: (number: number) => boolean): void {
    const [from, to] = this.#wanted
    let first = from
    for (let number = from; number <= to + 1; number++) {
      const isRead = number <= to && isMissing(number) && !this.#loading.has(number)
      if (isRead && number - first < MOST_BLOCKS) continue
      if (number > first) void this.#load(first, number - first)
      first = isRead ? number : number + 1
    }
  }

  /** Reads blocks that follow each other. */
  async #load(first: number, count: number): Promise<void> {
    const controller = new AbortController()
    const numbers = Array.from({ length: count }, (_, at) => first + at)
    for (const number of numbers) this.#loading.set(number, controller)
    const epoch = this.#epoch
    try {
      const query = { ...queryOf(this.rowQuery), limit: count * BLOCK, offset: first * BLOCK }
      const page = (await api.get('/v1/records', { query, signal: controller.signal })) as RowPage
      for (const [at, number] of numbers.entries())
        this.#adopt(number, { rows: page.records.slice(at * BLOCK, (at + 1) * BLOCK), epoch }, page.total)
      this.error.value = undefined
    } catch (error) {
      if (!controller.signal.aborted) this.#failed(error as Error)
    } finally {
      for (const number of numbers) this.#loading.delete(number)
    }
    if (this.#retry === undefined && this.error.peek() === undefined)
      this.#loadAll((number) => numbers.includes(number) && this.#blocks.get(number)?.epoch !== this.#epoch)
  }

  #failed(error: Error): void {
    const isBusy = error instanceof Refused && error.retryAfter !== undefined
    if (error instanceof Away || isBusy) this.#retry ??= setTimeout(() => this.#tryAgain(), RETRY_MS)
    else this.error.value = error
  }

  #tryAgain(): void {
    this.#retry = undefined
    const [from, to] = this.#wanted
    this.want(from * BLOCK, to * BLOCK)
  }

  #adopt(number: number, { rows, epoch }: Block, total: number): void {
    const newest = rows.map((row) => this.#newer(row))
    this.#blocks.delete(number)
    this.#blocks.set(number, { rows: newest, epoch })
    this.#forget()
    this.total.value = total
    this.version.value++
  }

  /** A row as it is now; an answer that is older than what is known changes nothing. */
  #newer(row: Row): Row {
    const known = this.#known.get(row.id)
    if (known && known.updated_at > row.updated_at) {
      void this.#check(known)
      return known
    }
    if (known && known.updated_at < row.updated_at) this.#mark(known, row)
    this.#known.set(row.id, row)
    return row
  }

  /** A row that is still older when it is read again is of a server that was set back: nothing that is known holds. */
  async #check(known: Row): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    try {
      const { record } = await api.get('/v1/records/{id}', { params: { id: known.id }, isFresh: true })
      if (record.updated_at >= known.updated_at || this.#known.get(known.id) !== known) return
      this.#known.clear()
      this.isWatched = false
      this.refreshNow()
    } catch {
      // It is gone, or is looked at again with the next answer.
    } finally {
      this.#isChecking = false
    }
  }

  #mark(before: Row, after: Row): void {
    const keys = new Set(
      [...Object.keys(before.data), ...Object.keys(after.data)].filter(
        (key) => before.data[key] !== after.data[key],
      ),
    )
    this.moved.value = new Map(this.moved.peek()).set(after.id, keys)
    setTimeout(() => this.#unmark(after.id, keys), MOVED_MS)
  }

  #unmark(id: string, keys: ReadonlySet<string>): void {
    if (this.moved.peek().get(id) !== keys) return
    const next = new Map(this.moved.peek())
    next.delete(id)
    this.moved.value = next
  }

  #forget(): void {
    for (const [number, { rows }] of this.#blocks) {
      if (this.#blocks.size <= KEPT_BLOCKS) return
      if (this.#isWanted(number)) continue
      this.#blocks.delete(number)
      for (const { id } of rows) this.#known.delete(id)
    }
  }
}
