import { type ReadonlySignal, signal } from '@preact/signals'
import { api } from '../api.ts'
import { isRetryable, unreachableSince } from '../request.ts'
import type { Grouping, GroupValue } from './group-values.ts'
import { queryOf, type Row, type RowPage, type RowQuery } from './model.ts'

/** Rows per block. */
export const BLOCK = 100
/** Adjacent blocks read in one request. Reading together saves skipping the preceding rows each time. */
const MAX_BLOCKS_PER_READ = 5
/** Cached blocks. Over the limit, the least recently read blocks that are not needed are evicted. */
export const MAX_CACHED_BLOCKS = 80
/** Changes by others within this time are refetched together. */
const REFRESH_MS = 100
const RETRY_MS = 2_000
/** Time a row changed by others stays highlighted. */
const HIGHLIGHT_MS = 8_000

interface Block {
  readonly rows: readonly Row[]
  readonly epoch: number
}

/** The changed keys per row, for rows changed by others while displayed. */
export type ChangedCells = ReadonlyMap<string, ReadonlySet<string>>

/** The heading of a group. */
export interface Group {
  readonly grouping: Grouping
  readonly value: GroupValue
  /** Identifies the group, for example among the collapsed ones. */
  readonly path: string
  /** 0 for a group that is in no other. */
  readonly level: number
  readonly count: number
  readonly isOpen: boolean
  /** The query of its rows, and of those that its level groups. */
  readonly query: RowQuery
  readonly parent: RowQuery
}

/** The lines of a grid: rows, with a heading line per group if they are grouped. */
export interface RowList {
  readonly rowQuery: RowQuery
  /** Number of rows. */
  readonly total: ReadonlySignal<number | undefined>
  /** Number of rows in expanded groups. */
  readonly shown: ReadonlySignal<number | undefined>
  /** Number of lines. */
  readonly lines: ReadonlySignal<number | undefined>
  /** Increases whenever a loaded row changes. */
  readonly version: ReadonlySignal<number>
  readonly error: ReadonlySignal<Error | undefined>
  readonly changedCells: ReadonlySignal<ChangedCells>
  /** The row of a line; undefined if it is not loaded or the line is a heading. */
  row(line: number): Row | undefined
  group(line: number): Group | undefined
  /** The 0-based number of a line's row among the visible rows; for a heading, the number of the next row. */
  numberOf(line: number): number
  /** The line of a row number. */
  lineOf(number: number): number
  /** The line of a loaded row. */
  indexOf(id: string): number | undefined
  find(id: string): Row | undefined
  isVisible(id: string): boolean
  load(first: number, last: number): void
  /** Fetches up to `count` rows starting at a row number. */
  read(number: number, count: number): Promise<readonly Row[]>
  refresh(): void
  refreshNow(): void
  readRow(id: string): Promise<void>
  replace(row: Row): void
  close(): void
}

/** Rows per request of `read`. */
const PAGE = 500

/** The rows of a query, up to millions: only the visible ones are loaded, and reloaded when they change. */
export class RowSource implements RowList {
  readonly total = signal<number | undefined>(undefined)
  readonly lines = this.total
  readonly shown = this.total
  /** Increases whenever a loaded row changes. */
  readonly version = signal(0)
  readonly error = signal<Error | undefined>(undefined)
  readonly changedCells = signal<ChangedCells>(new Map())
  readonly #blocks = new Map<number, Block>()
  readonly #known = new Map<string, Row>()
  readonly #loading = new Map<number, AbortController>()
  readonly #closing = new AbortController()
  #needed: readonly [first: number, last: number] = [0, 0]
  #epoch = 0
  #isChecking = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  /** True while a watch keeps the first block current. */
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

  /** True if a row is in a needed block. */
  isVisible(id: string): boolean {
    const index = this.indexOf(id)
    return index !== undefined && this.#isWanted(Math.floor(index / BLOCK))
  }

  #isWanted(block: number): boolean {
    const [from, to] = this.#needed
    return block >= from && block <= to
  }

  /** The current index of a loaded row. */
  indexOf(id: string): number | undefined {
    for (const [number, { rows }] of this.#blocks) {
      const offset = rows.findIndex((row) => row.id === id)
      if (offset >= 0) return number * BLOCK + offset
    }
    return undefined
  }

  /** Loads the missing rows of a range. Requests for rows that are no longer needed are aborted. */
  load(first: number, last: number): void {
    this.#needed = [Math.floor(first / BLOCK), Math.floor(Math.max(first, last) / BLOCK)]
    const wanted = new Set(
      [...this.#loading].flatMap(([number, loading]) => (this.#isWanted(number) ? loading : [])),
    )
    for (const loading of this.#loading.values()) if (!wanted.has(loading)) loading.abort()
    this.#loadAll((number) => this.#blocks.get(number)?.epoch !== this.#epoch)
  }

  /** Reloads the visible rows after REFRESH_MS. */
  refresh(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.refreshNow()
    }, REFRESH_MS)
  }

  /** Marks all loaded rows as stale; they are reloaded when needed. */
  expire(): void {
    this.#epoch++
  }

  refreshNow(): void {
    this.expire()
    // A watch that has not noticed yet that the server is away delivers no pending rows.
    const isWatched = this.isWatched && unreachableSince.peek() === undefined
    this.#loadAll((number) => number > 0 || !isWatched || !this.#blocks.has(0))
  }

  /** Takes the first block from a watch. */
  receive({ records, total }: RowPage): void {
    this.error.value = undefined
    this.#adopt(0, { rows: records, epoch: this.#epoch }, total)
  }

  /** Reloads a single row, which is faster than its block. */
  async readRow(id: string): Promise<void> {
    const { record } = await api.get('/v1/records/{id}', { params: { id } })
    this.replace(this.#latest(record as Row))
  }

  /** Replaces a row after a local write. */
  replace(row: Row): void {
    this.#known.set(row.id, row)
    for (const [number, block] of this.#blocks) {
      if (!block.rows.some(({ id }) => id === row.id)) continue
      this.#blocks.set(number, { ...block, rows: block.rows.map((old) => (old.id === row.id ? row : old)) })
    }
    this.version.value++
  }

  close(): void {
    this.#closing.abort()
    clearTimeout(this.#timer)
    clearTimeout(this.#retry)
    for (const loading of this.#loading.values()) loading.abort()
  }

  /** Loads the needed blocks that match, except those in flight. */
  #loadAll(isMissing: (number: number) => boolean): void {
    const [from, to] = this.#needed
    let first = from
    for (let number = from; number <= to + 1; number++) {
      const isRead = number <= to && isMissing(number) && !this.#loading.has(number)
      if (isRead && number - first < MAX_BLOCKS_PER_READ) continue
      if (number > first) void this.#load(first, number - first)
      first = isRead ? number : number + 1
    }
  }

  /** Loads adjacent blocks in one request. */
  async #load(first: number, count: number): Promise<void> {
    const controller = new AbortController()
    const numbers = Array.from({ length: count }, (_, index) => first + index)
    for (const number of numbers) this.#loading.set(number, controller)
    const epoch = this.#epoch
    try {
      const query = { ...queryOf(this.rowQuery), limit: count * BLOCK, offset: first * BLOCK }
      const page = (await api.get('/v1/records', { query, signal: controller.signal })) as RowPage
      for (const [index, number] of numbers.entries())
        this.#adopt(
          number,
          { rows: page.records.slice(index * BLOCK, (index + 1) * BLOCK), epoch },
          page.total,
        )
      this.error.value = undefined
    } catch (error) {
      if (!controller.signal.aborted) this.#handleFailure(error as Error)
    } finally {
      for (const number of numbers) this.#loading.delete(number)
    }
    if (this.#retry === undefined && this.error.peek() === undefined)
      this.#loadAll((number) => numbers.includes(number) && this.#blocks.get(number)?.epoch !== this.#epoch)
  }

  #handleFailure(error: Error): void {
    if (isRetryable(error)) this.#retryLater()
    else this.error.value = error
  }

  #retryLater(): void {
    this.#retry ??= setTimeout(() => this.#retryNow(), RETRY_MS)
  }

  #retryNow(): void {
    this.#retry = undefined
    const [from, to] = this.#needed
    this.load(from * BLOCK, to * BLOCK)
  }

  #adopt(number: number, { rows, epoch }: Block, total: number): void {
    const newest = rows.map((row) => this.#latest(row))
    this.#blocks.delete(number)
    this.#blocks.set(number, { rows: newest, epoch })
    this.#evict()
    this.total.value = total
    this.version.value++
  }

  /** The later of the loaded and the received row. */
  #latest(row: Row): Row {
    const known = this.#known.get(row.id)
    if (known && known.updated_at > row.updated_at) {
      void this.#verify(known)
      return known
    }
    if (known && known.updated_at < row.updated_at) this.#highlight(known, row)
    this.#known.set(row.id, row)
    return row
  }

  /** If a refetched row is still older, the server was restored from a backup: all loaded rows are dropped. */
  async #verify(known: Row): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    try {
      const { signal } = this.#closing
      const { record } = await api.get('/v1/records/{id}', {
        params: { id: known.id },
        isFresh: true,
        signal,
      })
      if (record.updated_at >= known.updated_at || this.#known.get(known.id) !== known) return
      this.#known.clear()
      this.isWatched = false
      this.refreshNow()
    } catch (error) {
      // A server without further changes sends no other response. A row that was deleted needs none.
      if (!isRetryable(error)) return
      this.expire()
      this.#retryLater()
    } finally {
      this.#isChecking = false
    }
  }

  #highlight(before: Row, after: Row): void {
    const keys = new Set(
      [...Object.keys(before.data), ...Object.keys(after.data)].filter(
        (key) => before.data[key] !== after.data[key],
      ),
    )
    this.changedCells.value = new Map(this.changedCells.peek()).set(after.id, keys)
    setTimeout(() => this.#endHighlight(after.id, keys), HIGHLIGHT_MS)
  }

  #endHighlight(id: string, keys: ReadonlySet<string>): void {
    if (this.changedCells.peek().get(id) !== keys) return
    const next = new Map(this.changedCells.peek())
    next.delete(id)
    this.changedCells.value = next
  }

  #evict(): void {
    for (const [number, { rows }] of this.#blocks) {
      if (this.#blocks.size <= MAX_CACHED_BLOCKS) return
      if (this.#isWanted(number)) continue
      this.#blocks.delete(number)
      for (const { id } of rows) this.#known.delete(id)
    }
  }
}
