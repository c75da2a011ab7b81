import { computed, effect, signal } from '@preact/signals'
import { type Grouping, type GroupValue, groupKey } from './group-values.ts'
import { readGroups, within } from './grouping.ts'
import type { Row, RowQuery } from './model.ts'
import { type ChangedCells, type Group, type RowList, RowSource } from './rows.ts'

/** Changes within this time are refetched together. */
const REFRESH_MS = 100

interface Node {
  /** The keys of its group and of those around it. */
  readonly path: string
  readonly level: number
  readonly value: GroupValue
  /** Its number of rows when the groups were read. */
  readonly total: number
  readonly query: RowQuery
  /** The query of the rows that its level groups. */
  readonly parent: RowQuery
}

interface Part extends Node {
  /** The number of its first visible row, and the line of its heading. */
  readonly first: number
  readonly line: number
  readonly count: number
  /** Lines of rows below its heading. */
  readonly rows: number
  readonly isOpen: boolean
}

const ROOT = ''

/** The rows of a query, grouped by the values of one or two fields; each group has a heading line. */
export class GroupedRows implements RowList {
  /** By the path of the group around them. */
  readonly #nodes = signal<ReadonlyMap<string, readonly Node[]>>(new Map())
  readonly #reading = new Set<string>()
  readonly #stale = new Set<string>()
  readonly #sources = signal<ReadonlyMap<string, RowSource>>(new Map())
  readonly #failure = signal<Error | undefined>(undefined)
  readonly #parts = computed(() => this.#layOut())
  readonly #changes = signal(0)
  #timer: ReturnType<typeof setTimeout> | undefined
  #visible: readonly [first: number, last: number] = [0, 0]
  readonly #stops: (() => void)[] = []

  readonly total = computed(
    () =>
      this.#nodes.value.get(ROOT) && sum(this.#parts.value, ({ level, count }) => (level === 0 ? count : 0)),
  )
  readonly shown = computed(() => sum(this.#parts.value, ({ rows }) => rows))
  readonly lines = computed(
    () => this.#nodes.value.get(ROOT) && sum(this.#parts.value, ({ rows }) => 1 + rows),
  )
  readonly version = computed(
    () => this.#changes.value + sum([...this.#sources.value.values()], (source) => source.version.value),
  )
  readonly error = computed(
    () =>
      this.#failure.value ??
      [...this.#sources.value.values()].find((source) => source.error.value)?.error.value,
  )
  readonly changedCells = computed(
    (): ChangedCells =>
      new Map([...this.#sources.value.values()].flatMap((source) => [...source.changedCells.value])),
  )

  constructor(
    readonly rowQuery: RowQuery,
    readonly groupings: readonly Grouping[],
    /** Paths of the collapsed groups. */
    readonly collapsed: () => readonly string[],
  ) {
    // Collapsing a group reveals other rows, which must be loaded too.
    this.#stops.push(effect(() => this.#load(this.#parts.value)))
    void this.#readNodes(ROOT, 0, rowQuery)
  }

  #isLeaf({ level }: Node): boolean {
    return level === this.groupings.length - 1
  }

  #sourceOf({ path, query }: Node): RowSource {
    const known = this.#sources.peek().get(path)
    if (known) return known
    const source = new RowSource(query)
    this.#sources.value = new Map(this.#sources.peek()).set(path, source)
    return source
  }

  #layOut(): Part[] {
    const collapsed = new Set(this.collapsed())
    const parts: Part[] = []
    let [first, line] = [0, 0]
    const add = (nodes: readonly Node[]) => {
      for (const node of nodes) {
        const isOpen = !collapsed.has(node.path)
        const isLeaf = this.#isLeaf(node)
        const source = isOpen && isLeaf ? this.#sources.value.get(node.path) : undefined
        // Until its rows are loaded, the count of the summary is used.
        const count = source?.total.value ?? node.total
        const rows = isOpen && isLeaf ? count : 0
        parts.push({ ...node, first, line, count, rows, isOpen })
        first += rows
        line += 1 + rows
        if (isOpen && !isLeaf) add(this.#nodes.value.get(node.path) ?? [])
      }
    }
    add(this.#nodes.value.get(ROOT) ?? [])
    return parts
  }

  #partAt(line: number): Part | undefined {
    return this.#parts.value.findLast((part) => part.line <= line)
  }

  row(line: number): Row | undefined {
    const part = this.#partAt(line)
    return part && line > part.line
      ? this.#sources.value.get(part.path)?.row(line - part.line - 1)
      : undefined
  }

  group(line: number): Group | undefined {
    const part = this.#partAt(line)
    const grouping = part && this.groupings[part.level]
    return part?.line === line && grouping ? { ...part, grouping } : undefined
  }

  numberOf(line: number): number {
    const part = this.#partAt(line)
    return part ? part.first + Math.max(0, line - part.line - 1) : line
  }

  lineOf(number: number): number {
    const part = this.#parts.value.findLast(({ first, rows }) => rows > 0 && first <= number)
    return part ? part.line + 1 + Math.min(part.rows - 1, number - part.first) : 0
  }

  indexOf(id: string): number | undefined {
    for (const { path, line, rows } of this.#parts.value) {
      const index = rows > 0 ? this.#sources.value.get(path)?.indexOf(id) : undefined
      if (index !== undefined) return line + 1 + index
    }
    return undefined
  }

  find(id: string): Row | undefined {
    for (const source of this.#sources.value.values()) {
      const row = source.find(id)
      if (row) return row
    }
    return undefined
  }

  #sourceShowing(id: string): RowSource | undefined {
    return [...this.#sources.peek().values()].find((source) => source.isVisible(id))
  }

  isVisible(id: string): boolean {
    return this.#sourceShowing(id) !== undefined
  }

  /** The paths of the outermost groups. */
  paths(): readonly string[] {
    return (this.#nodes.peek().get(ROOT) ?? []).map(({ path }) => path)
  }

  load(first: number, last: number): void {
    this.#visible = [first, last]
    this.#load()
  }

  /** Loads the missing rows and groups within the visible groups. */
  #load(parts = this.#parts.peek()): void {
    const [first, last] = this.#visible
    for (const part of parts) {
      const { line, rows, path, isOpen, level, query } = part
      if (line > last) break
      if (!isOpen || line + rows < first) continue
      if (!this.#isLeaf(part)) {
        if (!this.#nodes.peek().has(path) || this.#stale.has(path))
          void this.#readNodes(path, level + 1, query)
        continue
      }
      const [from, to] = [Math.max(0, first - line - 1), Math.min(rows - 1, last - line - 1)]
      if (from <= to) this.#sourceOf(part).load(from, to)
    }
  }

  async read(number: number, count: number): Promise<readonly Row[]> {
    const found: Row[] = []
    for (const part of this.#parts.peek()) {
      const from = Math.max(number, part.first)
      const to = Math.min(number + count, part.first + part.rows)
      if (from < to) found.push(...(await this.#sourceOf(part).read(from - part.first, to - from)))
    }
    return found
  }

  refresh(): void {
    this.#timer ??= setTimeout(() => this.refreshNow(), REFRESH_MS)
  }

  refreshNow(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const source of this.#sources.peek().values()) source.expire()
    // Groups that are being read may have been counted before the change.
    for (const path of [...this.#nodes.peek().keys(), ...this.#reading]) this.#stale.add(path)
    this.#load()
    void this.#readNodes(ROOT, 0, this.rowQuery)
  }

  async #readNodes(parent: string, level: number, parentQuery: RowQuery): Promise<void> {
    const grouping = this.groupings[level]
    if (!grouping || this.#reading.has(parent)) return
    this.#reading.add(parent)
    this.#stale.delete(parent)
    try {
      const groups = await readGroups(parentQuery, grouping)
      // Inner groups without rows would only make the list longer.
      const shown = level === 0 ? groups : groups.filter(({ count }) => count > 0)
      const nodes = shown.map(({ value, count }): Node => {
        const key = groupKey(value)
        return {
          path: parent === ROOT ? key : `${parent} ${key}`,
          level,
          value,
          total: count,
          query: within(parentQuery, grouping, value),
          parent: parentQuery,
        }
      })
      this.#nodes.value = new Map(this.#nodes.peek()).set(parent, nodes)
      this.#failure.value = undefined
    } catch (error) {
      // They are read again after the next change, not with the next line that is shown.
      if (parent !== ROOT && !this.#nodes.peek().has(parent))
        this.#nodes.value = new Map(this.#nodes.peek()).set(parent, [])
      this.#failure.value = error as Error
    } finally {
      this.#reading.delete(parent)
    }
    if (parent === ROOT && this.#stale.has(ROOT)) void this.#readNodes(ROOT, 0, this.rowQuery)
    this.#load()
  }

  async readRow(id: string): Promise<void> {
    await this.#sourceShowing(id)?.readRow(id)
  }

  replace(row: Row): void {
    for (const source of this.#sources.peek().values()) if (source.find(row.id)) source.replace(row)
    this.#changes.value++
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const stop of this.#stops) stop()
    for (const source of this.#sources.peek().values()) source.close()
  }
}

const sum = <Part>(parts: readonly Part[], of: (part: Part) => number): number =>
  parts.reduce((all, part) => all + of(part), 0)
