import { computed, effect, signal } from '@preact/signals'
import { api } from '../api.ts'
import type { Condition } from './conditions.ts'
import { queryOf, type Row, type RowQuery } from './model.ts'
import { type ChangedCells, type Group, type RowList, RowSource } from './rows.ts'

/** Changes within this time are refetched together. */
const REFRESH_MS = 100

/** A column of a board, in the API's format. */
export interface BoardColumn {
  readonly value: string | boolean | null
  readonly total: number
  readonly records: readonly Row[]
  readonly has_more: boolean
}

/** The condition of the rows in a group or column. */
export function groupCondition(key: string, isMultiple: boolean, value: BoardColumn['value']): Condition {
  if (value === null) return { field: key, op: 'is_empty' }
  return isMultiple ? { field: key, op: 'has_any', value: [value] } : { field: key, op: 'eq', value }
}

interface Part {
  readonly value: Group['value']
  readonly source: RowSource
  /** Number of its first visible row, and the line of its heading. */
  readonly first: number
  readonly line: number
  readonly count: number
  readonly isOpen: boolean
}

/** Identifies a group, for example among the collapsed ones. */
export const groupKey = (value: Group['value']): string => JSON.stringify(value)

/** The rows of a query, grouped by the values of a field; each group has a heading line. */
export class GroupedRows implements RowList {
  readonly #groups = signal<readonly Pick<BoardColumn, 'value' | 'total'>[] | undefined>(undefined)
  readonly #sources = new Map<string, RowSource>()
  readonly #failure = signal<Error | undefined>(undefined)
  readonly #parts = computed(() => this.#layOut())
  readonly #changes = signal(0)
  #timer: ReturnType<typeof setTimeout> | undefined
  #visible: readonly [first: number, last: number] = [0, 0]
  readonly #stops: (() => void)[] = []

  readonly total = computed(() => this.#groups.value && sum(this.#parts.value, ({ count }) => count))
  readonly shown = computed(() => sum(this.#parts.value, ({ count, isOpen }) => (isOpen ? count : 0)))
  readonly lines = computed(
    () => this.#groups.value && sum(this.#parts.value, ({ count, isOpen }) => 1 + (isOpen ? count : 0)),
  )
  readonly version = computed(
    () => this.#changes.value + sum(this.#parts.value, ({ source }) => source.version.value),
  )
  readonly error = computed(
    () =>
      this.#failure.value ?? this.#parts.value.find(({ source }) => source.error.value)?.source.error.value,
  )
  readonly changedCells = computed(
    (): ChangedCells => new Map(this.#parts.value.flatMap(({ source }) => [...source.changedCells.value])),
  )

  constructor(
    readonly rowQuery: RowQuery,
    readonly key: string,
    /** Whether a row has several values, and is then in several groups. */
    readonly isMultiple: boolean,
    /** Keys of the collapsed groups. */
    readonly collapsed: () => readonly string[],
  ) {
    // Collapsing a group reveals other rows, which must be loaded too.
    this.#stops.push(effect(() => this.#load(this.#parts.value)))
    void this.#readGroups()
  }

  #sourceOf(value: Group['value']): RowSource {
    const name = groupKey(value)
    const condition = groupCondition(this.key, this.isMultiple, value)
    const source =
      this.#sources.get(name) ??
      new RowSource({ ...this.rowQuery, filter: [...this.rowQuery.filter, condition] })
    this.#sources.set(name, source)
    return source
  }

  #layOut(): Part[] {
    const collapsed = new Set(this.collapsed())
    let [first, line] = [0, 0]
    return (this.#groups.value ?? []).map(({ value, total }) => {
      const source = this.#sourceOf(value)
      const isOpen = !collapsed.has(groupKey(value))
      // Until its rows are loaded, the count of the board query is used.
      const count = (isOpen ? source.total.value : undefined) ?? total
      const part = { value, source, first, line, count, isOpen }
      first += isOpen ? count : 0
      line += 1 + (isOpen ? count : 0)
      return part
    })
  }

  #partAt(line: number): Part | undefined {
    return this.#parts.value.findLast((part) => part.line <= line)
  }

  row(line: number): Row | undefined {
    const part = this.#partAt(line)
    return part && line > part.line ? part.source.row(line - part.line - 1) : undefined
  }

  group(line: number): Group | undefined {
    const part = this.#partAt(line)
    return part?.line === line ? part : undefined
  }

  numberOf(line: number): number {
    const part = this.#partAt(line)
    return part ? part.first + Math.max(0, line - part.line - 1) : line
  }

  lineOf(number: number): number {
    const part = this.#parts.value.findLast(
      ({ first, isOpen, count }) => isOpen && count > 0 && first <= number,
    )
    return part ? part.line + 1 + Math.min(part.count - 1, number - part.first) : 0
  }

  indexOf(id: string): number | undefined {
    for (const { source, line, isOpen } of this.#parts.value) {
      const index = isOpen ? source.indexOf(id) : undefined
      if (index !== undefined) return line + 1 + index
    }
    return undefined
  }

  find(id: string): Row | undefined {
    for (const source of this.#sources.values()) {
      const row = source.find(id)
      if (row) return row
    }
    return undefined
  }

  isVisible(id: string): boolean {
    return this.#parts.value.some(({ source }) => source.isVisible(id))
  }

  load(first: number, last: number): void {
    this.#visible = [first, last]
    this.#load()
  }

  /** Loads the missing rows of the visible groups. */
  #load(parts = this.#parts.peek()): void {
    const [first, last] = this.#visible
    for (const { source, line, count, isOpen } of parts) {
      const [from, to] = [Math.max(0, first - line - 1), Math.min(count - 1, last - line - 1)]
      if (isOpen && from <= to) source.load(from, to)
    }
  }

  async read(number: number, count: number): Promise<readonly Row[]> {
    const rows: Row[] = []
    for (const { source, first, count: size, isOpen } of this.#parts.peek()) {
      if (!isOpen) continue
      const from = Math.max(number, first)
      const to = Math.min(number + count, first + size)
      if (from < to) rows.push(...(await source.read(from - first, to - from)))
    }
    return rows
  }

  refresh(): void {
    this.#timer ??= setTimeout(() => this.refreshNow(), REFRESH_MS)
  }

  refreshNow(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const source of this.#sources.values()) source.expire()
    this.#load()
    void this.#readGroups()
  }

  async #readGroups(): Promise<void> {
    try {
      const query = { ...queryOf(this.rowQuery), group_by: this.key, limit: 1 }
      const { columns } = (await api.get('/v1/records/board', { query })) as { columns: BoardColumn[] }
      this.#groups.value = columns.filter(({ value, total }) => value !== null || total > 0)
      this.#failure.value = undefined
      this.#load()
    } catch (error) {
      this.#failure.value = error as Error
    }
  }

  async readRow(id: string): Promise<void> {
    await this.#parts
      .peek()
      .find(({ source }) => source.isVisible(id))
      ?.source.readRow(id)
  }

  replace(row: Row): void {
    for (const source of this.#sources.values()) if (source.find(row.id)) source.replace(row)
    this.#changes.value++
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const stop of this.#stops) stop()
    for (const source of this.#sources.values()) source.close()
  }
}

const sum = <Part>(parts: readonly Part[], of: (part: Part) => number): number =>
  parts.reduce((all, part) => all + of(part), 0)
