import { setNotice } from '../pending.ts'
import { type Cell, type CellChanges, cellStore, currentOwner, type Owner } from '../pending-cells.ts'
import { sessionKey } from '../session-key.ts'
import type { Field, Row, Structure, Value } from './model.ts'

/** State of an edited cell until the server confirms it. */
export type CellState =
  | { readonly kind: 'saving'; readonly text: string; readonly value: Value }
  /** With `isGone`, the row no longer exists, so no screen shows the cell. */
  | { readonly kind: 'refused'; readonly text: string; readonly error: string; readonly isGone?: true }
  /** Another user changed the same cell; both values are shown. */
  | { readonly kind: 'conflict'; readonly text: string; readonly value: Value; readonly theirs: Value }

const isSameState = (one: CellState | undefined, other: CellState): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** States of unsaved cells, by `cellKey`. */
export type Cells = ReadonlyMap<string, CellState>

export const cellKey = (id: string, key: string) => `${id} ${key}`

/** An unsaved cell of one structure. */
export type DraftCell = Omit<Cell, 'structure'>

const nameOf = ({ row, field }: Pick<Cell, 'row' | 'field'>) => cellKey(row.id, field.key)

const MAX_SENT = 100

/** Stores the unsaved cells of a structure in this browser. All tabs share them, and any tab sends them. */
export class CellDrafts {
  readonly #sessionKey = sessionKey.peek()
  readonly #owner: Owner | undefined
  readonly #bases = new Map<string, Omit<DraftCell, 'state'>>()
  /** The times of the stored edits. A later edit that could not be stored replaces one in this tab only. */
  readonly #stored = new Map<string, number>()
  /** The cells that this tab is storing, with the number of writes in flight: what is read of them may be outdated. */
  readonly #writing = new Map<string, number>()
  #last: Promise<unknown> = Promise.resolve()
  /** True if all drafts are stored, so that the page can be closed without loss. */
  isSafe = true

  constructor(private readonly structure: Pick<Structure, 'id' | 'name'>) {
    this.#owner = currentOwner()
    this.isSafe = this.#owner !== undefined
  }

  /** Resolves when all drafts so far are stored. */
  get settled(): Promise<unknown> {
    return this.#last
  }

  get #isCurrent(): boolean {
    return this.#owner !== undefined && sessionKey.peek() === this.#sessionKey
  }

  /** Records the row a cell was edited on. Must precede the cell's first state. */
  note(row: Row, field: Field, at = Date.now()): void {
    const name = nameOf({ row, field })
    this.#bases.set(name, { row, field, at, sent: this.#bases.get(name)?.sent ?? [] })
  }

  /** Stores values before they are sent: the server may save them even if no response arrives. */
  async storeSent(id: string, values: ReadonlyMap<Field, Value>, cells: Cells): Promise<void> {
    const sent = new Map<string, CellState>()
    for (const [{ key }, value] of values) {
      const name = cellKey(id, key)
      const [base, state] = [this.#bases.get(name), cells.get(name)]
      if (!base || !state) continue
      this.#bases.set(name, { ...base, sent: [...base.sent.slice(1 - MAX_SENT), value] })
      sent.set(name, state)
    }
    this.store(new Map(), sent)
    await this.#last
  }

  /** The values sent for a cell without a response. */
  sentOf(id: string, key: string): readonly Value[] {
    return this.#bases.get(cellKey(id, key))?.sent ?? []
  }

  /** A cell in a state; none without a draft. */
  cellOf(name: string, state: CellState | undefined): DraftCell[] {
    const base = this.#bases.get(name)
    return base && state ? [{ ...base, state }] : []
  }

  /** Forgets cells whose drafts are stored no longer. */
  forget(names: readonly string[]): void {
    for (const name of names) {
      this.#bases.delete(name)
      this.#stored.delete(name)
    }
  }

  #isStored(name: string): boolean {
    return this.#bases.get(name)?.at === this.#stored.get(name)
  }

  has(id: string, key: string): boolean {
    return this.#bases.has(cellKey(id, key))
  }

  /** The stored cells of the structure; undefined without storage. */
  async read(): Promise<readonly DraftCell[] | undefined> {
    await this.#last
    if (!this.#isCurrent || !this.#owner) return undefined
    return cellStore.current?.list(this.#owner, this.structure.id).catch(() => undefined)
  }

  /**
   * Adopts stored cells, except those that this tab is storing or could not store. Returns the changed ones, and the names
   * of removed ones.
   */
  adopt(
    cells: readonly DraftCell[],
    states: Cells,
  ): { changed: readonly DraftCell[]; removed: readonly string[] } {
    const isOwn = (name: string) =>
      this.#writing.has(name) || (this.#bases.has(name) && !this.#isStored(name))
    const current = cells.filter((cell) => !isOwn(nameOf(cell)))
    for (const { row, field, at, sent } of current) {
      const name = nameOf({ row, field })
      const base = this.#bases.get(name)
      this.#bases.set(name, base?.at === at ? { ...base, sent } : { row, field, at, sent })
      this.#stored.set(name, at)
    }
    const names = new Set(cells.map(nameOf))
    const removed = [...this.#stored.keys()].filter((name) => !names.has(name) && !isOwn(name))
    this.forget(removed)
    const changed = current.filter((cell) => !isSameState(states.get(nameOf(cell)), cell.state))
    return { changed, removed }
  }

  /** Stores the differences between two states. */
  store(before: Cells, now: Cells): void {
    if (!this.#isCurrent || !this.#owner) return
    const { id, name } = this.structure
    const edited: Cell[] = []
    const updated: Cell[] = []
    for (const [key, state] of now) {
      const base = this.#bases.get(key)
      if (!base || before.get(key) === state) continue
      const changes = this.#isStored(key) ? updated : edited
      changes.push({ ...base, state, structure: { id, name } })
    }
    const removed = [...before.keys()].flatMap((key) => {
      const base = now.has(key) ? undefined : this.#bases.get(key)
      return base ? [{ ...base, at: this.#stored.get(key) ?? base.at, structure: { id, name } }] : []
    })
    if (edited.length + updated.length + removed.length === 0) return
    const replaced = edited.map((cell) => [cell, this.#stored.get(nameOf(cell))] as const)
    for (const cell of edited) this.#stored.set(nameOf(cell), cell.at)
    this.forget(removed.map(nameOf))
    const stored = this.#change(this.#owner, { edited, updated, removed }, replaced)
    this.hold([...edited, ...updated, ...removed].map(nameOf), stored)
    this.#last = Promise.all([this.#last, stored])
  }

  /** Stores all drafts again. */
  storeAgain(cells: Cells): void {
    this.#stored.clear()
    this.store(new Map(), cells)
  }

  /** Ignores what other tabs do with cells until a change of the stored ones has finished. */
  hold(names: readonly string[], change: Promise<unknown>): void {
    const add = (by: number) => {
      for (const name of names) {
        const count = (this.#writing.get(name) ?? 0) + by
        if (count > 0) this.#writing.set(name, count)
        else this.#writing.delete(name)
      }
    }
    add(1)
    const release = () => add(-1)
    change.then(release, release)
  }

  /** Changes the storage. If that fails, the edits before the `edited` ones are still stored. */
  async #change(
    owner: Owner,
    changes: CellChanges,
    replaced: readonly (readonly [edited: Cell, before: number | undefined])[],
  ): Promise<void> {
    try {
      await cellStore.current?.change(owner, changes)
      this.isSafe = cellStore.current !== undefined
      setNotice('cells', undefined)
    } catch (error) {
      this.isSafe = false
      setNotice(
        'cells',
        `Drafts can’t be stored in this browser (${(error as Error).message}). Stay on this page until your changes are saved.`,
      )
    }
    if (this.isSafe) return
    for (const [edited, before] of replaced) {
      const name = nameOf(edited)
      if (this.#stored.get(name) !== edited.at) continue
      if (before === undefined) this.#stored.delete(name)
      else this.#stored.set(name, before)
    }
  }
}
