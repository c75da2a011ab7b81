import { setNotice } from '../pending.ts'
import { type Cell, cellStore, currentOwner, type Owner } from '../pending-cells.ts'
import { sessionKey } from '../session-key.ts'
import type { CellState } from './edits.ts'
import type { Field, Row, Structure, Value } from './model.ts'

/** States of unsaved cells, by `cellKey`. */
export type Cells = ReadonlyMap<string, CellState>

export const cellKey = (id: string, key: string) => `${id} ${key}`

const MAX_SENT = 100

/** Stores the unsaved cells of a structure in this browser. */
export class CellDrafts {
  readonly #sessionKey = sessionKey.peek()
  readonly #owner: Owner | undefined
  readonly #bases = new Map<string, Omit<Cell, 'structure' | 'state' | 'isShown'>>()
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

  hasSent(id: string, key: string, value: Value): boolean {
    return this.#bases.get(cellKey(id, key))?.sent.includes(value) ?? false
  }

  knows(id: string, key: string): boolean {
    return this.#bases.has(cellKey(id, key))
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
    const removed = [...before.keys()].flatMap((key) => {
      const base = now.has(key) ? undefined : this.#bases.get(key)
      this.#bases.delete(base ? key : '')
      return base ? [[id, base.row.id, base.field.key] as const] : []
    })
    if (cells.length === 0 && removed.length === 0) return
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
    }
  }
}
