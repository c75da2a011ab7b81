import { setNotice } from '../pending.ts'
import { type Cell, cellStore, currentOwner, type Owner } from '../pending-cells.ts'
import { sessionKey } from '../session-key.ts'
import type { CellState } from './edits.ts'
import type { Field, Row, Structure, Value } from './model.ts'

/** States of unsaved cells, by `cellKey`. */
export type Cells = ReadonlyMap<string, CellState>

export const cellKey = (id: string, key: string) => `${id} ${key}`

/** An unsaved cell of one structure. */
export type DraftCell = Omit<Cell, 'structure' | 'isShown'>

const MAX_SENT = 100

/** Stores the unsaved cells of a structure in this browser. */
export class CellDrafts {
  readonly #sessionKey = sessionKey.peek()
  readonly #owner: Owner | undefined
  readonly #bases = new Map<string, Omit<DraftCell, 'state'>>()
  /** Drafts that are being removed from storage. */
  readonly #removals = new Set<ReadonlySet<string>>()
  /** True while a screen displays the cells. */
  isShown = false
  /** True if all drafts are stored, so that the page can be closed without loss. */
  isSafe = true

  constructor(private readonly structure: Pick<Structure, 'id' | 'name'>) {
    this.#owner = currentOwner()
    this.isSafe = this.#owner !== undefined
  }

  /** Records the row a cell was edited on. Must precede the cell's first state. */
  note(row: Row, field: Field, at = Date.now(), before: readonly Value[] = []): void {
    const name = cellKey(row.id, field.key)
    const { sent = before } = this.#bases.get(name) ?? {}
    this.#bases.set(name, { row, field, at, sent })
  }

  /** Records a sent value: the server may have stored it even if no response arrives. */
  noteSent(id: string, key: string, value: Value): void {
    const name = cellKey(id, key)
    const base = this.#bases.get(name)
    if (base) this.#bases.set(name, { ...base, sent: [...base.sent.slice(1 - MAX_SENT), value] })
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
    for (const name of names) this.#bases.delete(name)
  }

  has(id: string, key: string): boolean {
    return this.#bases.has(cellKey(id, key))
  }

  /** Whether a cell has a draft, or had one that is still stored. */
  knows(id: string, key: string): boolean {
    return this.has(id, key) || [...this.#removals].some((removal) => removal.has(cellKey(id, key)))
  }

  /** Stores the differences between two states. */
  async store(before: Cells, now: Cells): Promise<void> {
    if (this.#owner === undefined || sessionKey.peek() !== this.#sessionKey) return
    const { id, name } = this.structure
    const cells: Cell[] = []
    for (const [key, state] of now) {
      const base = this.#bases.get(key)
      if (base && before.get(key) !== state)
        cells.push({ ...base, state, structure: { id, name }, isShown: this.isShown })
    }
    const removal = new Set([...before.keys()].filter((key) => !now.has(key) && this.#bases.has(key)))
    const removed = [...removal].flatMap((key) => {
      const base = this.#bases.get(key)
      this.#bases.delete(key)
      return base ? [[id, base.row.id, base.field.key] as const] : []
    })
    if (cells.length === 0 && removed.length === 0) return
    this.#removals.add(removal)
    try {
      await cellStore.current?.putCells(this.#owner, cells, removed)
      this.isSafe = cellStore.current !== undefined
      setNotice('cells', undefined)
    } catch (error) {
      this.isSafe = false
      setNotice(
        'cells',
        `Drafts can’t be stored in this browser (${(error as Error).message}). Stay on this page until your changes are saved.`,
      )
    } finally {
      this.#removals.delete(removal)
    }
  }
}
