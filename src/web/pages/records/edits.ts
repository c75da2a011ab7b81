import { signal } from '@preact/signals'
import { api } from '../../data/api.ts'
import { pendingCount } from '../../data/pending.ts'
import { Away, Refused } from '../../data/request.ts'
import type { Field, Row, Value } from './model.ts'
import type { RowSource } from './rows.ts'
import { undoStack } from './undo.ts'
import { editText, parseValue } from './values.ts'

/** What is so with a cell that was edited, until its row holds the value. */
export type CellState =
  | { readonly kind: 'saving'; readonly text: string; readonly value: Value }
  | { readonly kind: 'refused'; readonly text: string; readonly why: string }
  /** Somebody else changed the same cell meanwhile; both values are shown. */
  | { readonly kind: 'conflict'; readonly text: string; readonly value: Value; readonly theirs: Value }

const RETRY_MS = 2_000

const cellKey = (id: string, key: string) => `${id} ${key}`

/** Saves edited cells one after the other, each only if nobody else changed it since it was read. */
export class Edits {
  readonly cells = signal<ReadonlyMap<string, CellState>>(new Map())
  #last: Promise<void> = Promise.resolve()

  constructor(private readonly source: () => RowSource) {}

  of(id: string, key: string): CellState | undefined {
    return this.cells.value.get(cellKey(id, key))
  }

  get isSaving(): boolean {
    return [...this.cells.peek().values()].some(({ kind }) => kind === 'saving')
  }

  /** The cell of a row that was refused, or that somebody else changed as well. */
  trouble(id: string, fields: readonly Field[]): { field: Field; state: CellState } | undefined {
    for (const field of fields) {
      const state = this.of(id, field.key)
      if (state && state.kind !== 'saving') return { field, state }
    }
    return undefined
  }

  drop(id: string, key: string): void {
    const next = new Map(this.cells.peek())
    next.delete(cellKey(id, key))
    this.cells.value = next
  }

  #set(id: string, key: string, state: CellState): void {
    this.cells.value = new Map(this.cells.peek()).set(cellKey(id, key), state)
  }

  /** Saves what was typed into a cell; resolves when the row holds it or the cell says why not. */
  save(row: Row, field: Field, text: string): Promise<void> {
    const before = row.data[field.key]
    const parsed = parseValue(field, text)
    if ('why' in parsed) {
      this.#set(row.id, field.key, { kind: 'refused', text, why: parsed.why })
      return Promise.resolve()
    }
    const value = parsed.value ?? undefined
    if (value === before || text === editText(before)) {
      this.drop(row.id, field.key)
      return Promise.resolve()
    }
    return this.write(row, field, value)
  }

  /** Saves a value, over what the cell held when `row` was read. */
  write(row: Row, field: Field, value: Value): Promise<void> {
    this.#set(row.id, field.key, { kind: 'saving', text: editText(value), value })
    pendingCount.value++
    this.#last = this.#last
      .then(() => this.#write(row, field, value))
      .finally(() => {
        pendingCount.value--
      })
    return this.#last
  }

  async #write(row: Row, field: Field, value: Value): Promise<void> {
    const newest = this.source().find(row.id) ?? row
    const before = row.data[field.key]
    if (newest.data[field.key] !== before) return this.#conflict(newest, field, value)
    try {
      const saved = await patch(newest, field.key, value)
      this.source().replace(saved)
      this.drop(row.id, field.key)
      undoStack.push({
        label: `${field.label} of a row`,
        run: () => this.write(saved, field, before),
      })
    } catch (error) {
      await this.#failed(error as Error, row, field, value)
    }
  }

  async #failed(error: Error, row: Row, field: Field, value: Value): Promise<void> {
    if (error instanceof Away) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      return this.#write(row, field, value)
    }
    if (error instanceof Refused && error.code === 'stale') {
      const { record } = await api.get('/v1/records/{id}', { params: { id: row.id } })
      this.source().replace(record as Row)
      return this.#write(row, field, value)
    }
    this.#set(row.id, field.key, { kind: 'refused', text: editText(value), why: error.message })
  }

  #conflict(newest: Row, field: Field, value: Value): void {
    const theirs = newest.data[field.key]
    if (theirs === value) this.drop(newest.id, field.key)
    else this.#set(newest.id, field.key, { kind: 'conflict', text: editText(value), value, theirs })
  }
}

async function patch(row: Row, key: string, value: Value): Promise<Row> {
  const { record } = await api.patch('/v1/records/{id}', {
    params: { id: row.id },
    body: { data: { [key]: value ?? null }, if_unchanged: row.updated_at },
  })
  return record as Row
}
