import { setNotice } from '../../data/pending.ts'
import { sessionKey } from '../../data/session-key.ts'
import { type Cell, cellStore, type Owner, presentOwner } from '../../data/waiting-cells.ts'
import type { CellState } from './edits.ts'
import type { Field, Row, Structure, Value } from './model.ts'

/** What is so with each cell that is not saved, by its row and field. */
export type Cells = ReadonlyMap<string, CellState>

export const cellKey = (id: string, key: string) => `${id} ${key}`

const MAX_SENT = 100

/** Has this browser keep the cells of a structure that are not saved, until they are. */
export class KeptCells {
  readonly #sessionKey = sessionKey.peek()
  readonly #owner: Owner | undefined
  readonly #written = new Map<string, Omit<Cell, 'structure' | 'state' | 'isShown'>>()
  /** Whether a screen shows the cells. */
  isShown = false
  /** Whether this browser keeps all of them, so that the page may be left. */
  isSafe = true

  constructor(private readonly structure: Pick<Structure, 'id' | 'name'>) {
    this.#owner = presentOwner()
    this.isSafe = this.#owner !== undefined
  }

  /** Tells which row a cell is of, as it was read, before something is said of the cell. */
  note(row: Row, field: Field, at = Date.now(), before: readonly Value[] = []): void {
    const name = cellKey(row.id, field.key)
    const { sent = before } = this.#written.get(name) ?? {}
    this.#written.set(name, { row, field, at, sent })
  }

  /** Tells that a value is sent: the server may hold it, also when no response comes. */
  noteSent(id: string, key: string, value: Value): void {
    const name = cellKey(id, key)
    const written = this.#written.get(name)
    if (written) this.#written.set(name, { ...written, sent: [...written.sent.slice(1 - MAX_SENT), value] })
  }

  hasSent(id: string, key: string, value: Value): boolean {
    return this.#written.get(cellKey(id, key))?.sent.includes(value) ?? false
  }

  knows(id: string, key: string): boolean {
    return this.#written.has(cellKey(id, key))
  }

  /** Keeps what differs from before. */
  async keep(before: Cells, now: Cells): Promise<void> {
    if (this.#owner === undefined || sessionKey.peek() !== this.#sessionKey) return
    const { id, name } = this.structure
    const cells: Cell[] = []
    for (const [key, state] of now) {
      const written = this.#written.get(key)
      if (written && before.get(key) !== state)
        cells.push({ ...written, state, structure: { id, name }, isShown: this.isShown })
    }
    const gone = [...before.keys()].flatMap((key) => {
      const written = now.has(key) ? undefined : this.#written.get(key)
      this.#written.delete(written ? key : '')
      return written ? [[id, written.row.id, written.field.key] as const] : []
    })
    if (cells.length === 0 && gone.length === 0) return
    try {
      await cellStore.present?.putCells(this.#owner, cells, gone)
      this.isSafe = cellStore.present !== undefined
      setNotice('cells', undefined)
    } catch (error) {
      this.isSafe = false
      setNotice(
        'cells',
        `This browser keeps nothing of what is typed into cells (${(error as Error).message}); leave this page only when they are saved.`,
      )
    }
  }
}
