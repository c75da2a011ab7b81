import { signal } from '@preact/signals'
import { isSameValue } from '../../../lib/record-data.ts'
import { setPending } from '../pending.ts'
import { type CellName, cellStore } from '../pending-cells.ts'
import { faultIn, isRetryable, Refused } from '../request.ts'
import { sendInOrder } from '../sending.ts'
import { untilRetry } from '../sent-again.ts'
import { sessionKey } from '../session-key.ts'
import { CellDrafts, type CellState, type Cells, cellKey, type DraftCell } from './cell-drafts.ts'
import type { Field, Row, Structure, Value } from './model.ts'
import { beforeWrite, latest, patchRow, readRow } from './patch-row.ts'
import { holdsIds, isReference } from './references.ts'
import { faultyField } from './refusals.ts'
import type { Rows } from './row-store.ts'
import { readReference } from './suggestions.ts'
import { undoStack } from './undo.ts'
import { editText, parseValue } from './values.ts'

export type Values = ReadonlyMap<Field, Value>

/** A row after and before a write, and the written fields. */
export interface Saved {
  readonly row: Row
  readonly before: Row
  readonly fields: readonly Field[]
}

/** Sorts after every `updated_at`. */
const UNKNOWN_TIME = '~'

/**
 * Saves edited cells one at a time. A write is conditional: it succeeds only if nobody else has changed the cell since it
 * was read. Unsaved values are stored as drafts in this browser. All its tabs show them, and the first one whose turn it is
 * sends them.
 */
export class Edits {
  readonly cells = signal<Cells>(new Map())
  #last: Promise<unknown> = Promise.resolve()
  /** The last value saved from here per cell. An edit based on an older row does not conflict with our own write. */
  readonly #ownWrites = new Map<string, { readonly value: Value; readonly at: string }>()
  readonly #sessionKey = sessionKey.peek()
  readonly #drafts: CellDrafts
  /** True while a screen displays the cells. */
  #isShown = false

  constructor(
    private readonly structure: Pick<Structure, 'id' | 'name'>,
    /** The rows shown now or last. */
    public source: Rows,
    /** Called when no screen shows the cells and none is unsaved. */
    private readonly onIdle = () => {},
  ) {
    this.#drafts = new CellDrafts(structure)
  }

  /** Resolves when all pending cells are saved or refused. */
  get settled(): Promise<unknown> {
    return this.#last
  }

  /** Marks the cells as visible: they show refusals themselves. Returns a function that ends this. */
  show(): () => void {
    this.#setShown(true)
    return () => {
      this.#setShown(false)
      if (this.cells.peek().size === 0) this.onIdle()
    }
  }

  #setShown(isShown: boolean): void {
    this.#isShown = isShown
    this.#updatePending()
  }

  storeAgain(): void {
    this.#drafts.storeAgain(this.cells.peek())
  }

  of(id: string, key: string): CellState | undefined {
    return this.cells.value.get(cellKey(id, key))
  }

  get isSaving(): boolean {
    return [...this.cells.peek().values()].some(({ kind }) => kind === 'saving')
  }

  /** True if closing the page would lose a change. */
  get isUnsafe(): boolean {
    return this.isSaving && !this.#drafts.isSafe
  }

  /** The first refused or conflicting cell of a row. */
  problemIn(id: string, fields: readonly Field[]): { field: Field; state: CellState } | undefined {
    for (const field of fields) {
      const state = this.of(id, field.key)
      if (state && state.kind !== 'saving') return { field, state }
    }
    return undefined
  }

  drop(id: string, ...keys: readonly string[]): void {
    this.#change((cells) => {
      for (const key of keys) cells.delete(cellKey(id, key))
    })
  }

  /** Marks a cell as refused. */
  refuse(id: string, field: Field, text: string, error: string, isGone = false): void {
    const row = this.source.find(id)
    if (row && !this.#drafts.has(id, field.key)) this.#drafts.note(row, field)
    const state = { kind: 'refused', text, error, ...(isGone && { isGone }) } as const
    this.#change((cells) => cells.set(cellKey(id, field.key), state))
  }

  #change(change: (cells: Map<string, CellState>) => void): void {
    const before = this.cells.peek()
    const next = new Map(before)
    change(next)
    this.#drafts.store(before, next)
    this.#set(next)
  }

  #set(cells: Cells): void {
    this.cells.value = cells
    this.#updatePending()
  }

  /** The values sent for a cell without a response. */
  sentOf(id: string, key: string): readonly Value[] {
    return this.#drafts.sentOf(id, key)
  }

  /**
   * Replaces edits by a write that `store` stores, in the same transaction that removes their drafts: after a crash there
   * is either the write or the edits. Nothing is sent for them meanwhile. If `store` throws, the edits are pending again.
   */
  async replace(
    edited: readonly (readonly [id: string, key: string])[],
    store: (drafts: readonly CellName[]) => Promise<void>,
  ): Promise<void> {
    const before = this.cells.peek()
    const replaced = edited.filter(([id, key]) => before.has(cellKey(id, key)))
    const rest = new Map(before)
    for (const [id, key] of replaced) rest.delete(cellKey(id, key))
    this.#set(rest)
    // A cell that is edited meanwhile is an edit after the write.
    const unedited = () =>
      replaced.map((cell) => cellKey(...cell)).filter((key) => !this.cells.peek().has(key))
    const storing = store(replaced.map((cell) => [this.structure.id, ...cell]))
    this.#drafts.hold(
      replaced.map((cell) => cellKey(...cell)),
      storing,
    )
    try {
      await storing
      this.#drafts.forget(unedited())
    } catch (error) {
      this.#adopt(unedited().flatMap((key) => this.#drafts.cellOf(key, before.get(key))))
      throw error
    }
  }

  /** Updates the number of unsaved cells, and the notice about those that need attention but are not on screen. */
  #updatePending(): void {
    if (sessionKey.peek() !== this.#sessionKey) return
    const { id, name } = this.structure
    const states = [...this.cells.peek().values()]
    const isGone = states.some((state) => 'isGone' in state)
    const isNoticed = isGone || (!this.#isShown && states.some(({ kind }) => kind !== 'saving'))
    const place = isGone ? `a deleted row of ${name}` : name
    const problem = isNoticed ? `Unsaved change in ${place}.` : undefined
    const address = isGone ? '/app/settings/offline' : `/app/records/${id}`
    setPending(`cells of ${id}`, { count: states.length, problem, address })
  }

  /** Forgets all states: the changes are discarded, or stay as drafts because the user or workspace has changed. */
  forgetAll(): void {
    setPending(`cells of ${this.structure.id}`, undefined)
    this.cells.value = new Map()
  }

  /** Saves text typed into a cell; resolves when it is saved or refused. */
  save(row: Row, field: Field, text: string): Promise<void> {
    if (isReference(field) && text.trim() !== '' && !holdsIds(field, text))
      return this.#saveNamed(row, field, text)
    const before = row.data[field.key]
    const parsed = parseValue(field, text)
    if ('error' in parsed) {
      // An edit of its own: the edit before it may be sent and removed by another tab.
      this.#drafts.note(row, field)
      this.refuse(row.id, field, text, parsed.error)
      return Promise.resolve()
    }
    const value = parsed.value ?? undefined
    const isSaving = this.cells.peek().get(cellKey(row.id, field.key))?.kind === 'saving'
    if (!isSaving && (isSameValue(value, before) || text === editText(before))) {
      this.drop(row.id, field.key)
      return Promise.resolve()
    }
    return this.write(row, field, value)
  }

  /** Resolves typed text to a reference by its label, then saves it. */
  async #saveNamed(row: Row, field: Field, text: string): Promise<void> {
    const at = Date.now()
    this.#drafts.note(row, field, at)
    this.#change((cells) => cells.set(cellKey(row.id, field.key), { kind: 'saving', text, value: text }))
    return this.#resolve(row, field, text, at)
  }

  async #resolve(row: Row, field: Field, text: string, at: number): Promise<void> {
    const named = await readReference(field, text).catch((error: Error) => ({ error: error.message }))
    if (!this.#isPending(row.id, field, text)) return
    if ('error' in named) this.refuse(row.id, field, text, named.error)
    else await this.write(row, field, named.value ?? undefined, at)
  }

  /** Saves a value if the cell still holds the value of `row`. */
  write(row: Row, field: Field, value: Value, at?: number): Promise<void> {
    return undoStack.perform(async (push) => {
      const saved = await this.writeRow(row, new Map([[field, value]]), at)
      if (!saved) return
      push({
        label: `${field.label} of a row`,
        run: () => this.write(saved.row, field, saved.before.data[field.key]),
      })
    })
  }

  /** Saves several values of a row in one request, if they are unchanged since `row` was read. Refused values are skipped. */
  writeRow(row: Row, values: Values, at = Date.now()): Promise<Saved | undefined> {
    for (const field of values.keys()) this.#drafts.note(row, field, at)
    this.#change((cells) => {
      for (const [{ key }, value] of values)
        cells.set(cellKey(row.id, key), { kind: 'saving', text: editText(value), value })
    })
    return this.#enqueue(row, values, at).then((saved) => saved ?? this.#savedElsewhere(row, values))
  }

  /** A write that another tab has sent, so that it can be undone here. */
  async #savedElsewhere(row: Row, values: Values): Promise<Saved | undefined> {
    const fields = [...values.keys()]
    if (sessionKey.peek() !== this.#sessionKey || fields.some(({ key }) => this.of(row.id, key)))
      return undefined
    const current = await readRow(row.id).catch(() => undefined)
    const isSaved = fields.every((field) => isSameValue(current?.data[field.key], values.get(field)))
    return current && isSaved ? { row: current, before: row, fields } : undefined
  }

  #enqueue(row: Row, values: Values, at: number): Promise<Saved | undefined> {
    const writing = this.#write(row, values, at).catch((error: Error) =>
      this.#refuseAll(row.id, values, error.message),
    )
    this.#last = Promise.all([this.#last, writing])
    return writing
  }

  /** Writes values; `current` is the version of the row that the server has now, if it was read. */
  async #write(row: Row, values: Values, at: number, current?: Row): Promise<Saved | undefined> {
    const rest = new Map(values)
    if (![...rest].some(([field, value]) => this.#isPending(row.id, field, value))) return undefined
    try {
      return await sendInOrder(at, () => this.#send(row, rest, current))
    } catch (error) {
      return this.#handleFailure(error as Error, row, rest, at)
    }
  }

  /**
   * Sends values, and removes the ones from `rest` that are no longer pending: another tab may have sent, replaced or
   * discarded them. The outcome is stored before the next tab sends.
   */
  async #send(row: Row, rest: Map<Field, Value>, current: Row | undefined): Promise<Saved | undefined> {
    const stored = await this.#drafts.read()
    if (stored) this.sync(stored)
    const newest = current ?? latest(this.source.find(row.id), row)
    for (const [field, value] of rest) {
      const isPending = this.#isPending(row.id, field, value)
      if (isPending && this.#isUnchanged(row, newest, field)) continue
      if (isPending) this.#conflict(newest, field, value)
      rest.delete(field)
    }
    const saved = rest.size === 0 ? undefined : await this.#patch(newest, rest)
    if (saved) this.#acknowledge(saved, rest)
    await this.#drafts.settled
    return saved && { row: saved, before: beforeWrite(row, newest, rest), fields: [...rest.keys()] }
  }

  async #patch(newest: Row, values: Values): Promise<Row> {
    await this.#drafts.storeSent(newest.id, values, this.cells.peek())
    if (sessionKey.peek() !== this.#sessionKey)
      throw new Error('Another user is signed in. Nothing was written.')
    const saved = await patchRow(newest, values)
    // The response may belong to an earlier, unanswered call; the row may have changed since.
    this.source.replace(latest(this.source.find(saved.id), saved))
    cellStore.current?.keepSaved(this.structure.id, saved)
    return saved
  }

  /** False if the cell was edited again or discarded. */
  #isPending(id: string, { key }: Field, value: Value): boolean {
    const state = this.cells.peek().get(cellKey(id, key))
    return state?.kind === 'saving' && isSameValue(state.value, value)
  }

  /** True if the cell holds the value it had when the row was read, or a value sent from here since. */
  #isUnchanged(read: Row, newest: Row, { key }: Field): boolean {
    const ownWrite = this.#ownWrites.get(cellKey(read.id, key))
    const current = newest.data[key]
    const isSent = this.#drafts.sentOf(read.id, key).some((value) => isSameValue(value, current))
    if (current === read.data[key] || isSent) return true
    return ownWrite !== undefined && ownWrite.at > read.updated_at && current === ownWrite.value
  }

  /** Clears the saved cells, except those edited again meanwhile. */
  #acknowledge({ id, data, updated_at }: Row, values: Values): void {
    for (const { key } of values.keys())
      this.#ownWrites.set(cellKey(id, key), { value: data[key], at: updated_at })
    this.#change((cells) => {
      for (const [field, value] of values)
        if (this.#isPending(id, field, value)) cells.delete(cellKey(id, field.key))
    })
  }

  async #handleFailure(error: Error, row: Row, values: Values, at: number): Promise<Saved | undefined> {
    if (isRetryable(error) || (error instanceof Refused && error.status === 401)) {
      await untilRetry(error)
      return this.#write(row, values, at)
    }
    if (error instanceof Refused && error.code === 'stale') {
      let current: Row
      try {
        current = await readRow(row.id)
      } catch (failure) {
        return this.#handleFailure(failure as Error, row, values, at)
      }
      this.source.replace(current)
      // Use it even if it is older than the known row: the server may have been restored from a backup.
      return this.#write(row, values, at, current)
    }
    const faulty = faultyField([...values.keys()], faultIn(error))
    const isGone = error instanceof Refused && error.status === 404
    if (!faulty || values.size === 1) return this.#refuseAll(row.id, values, error.message, isGone)
    this.refuse(row.id, faulty, editText(values.get(faulty)), error.message)
    return this.#write(row, new Map([...values].filter(([field]) => field !== faulty)), at)
  }

  /** Adopts the stored cells of this table, which other tabs change as well. */
  sync(stored: readonly DraftCell[]): void {
    const { changed, removed } = this.#drafts.adopt(stored, this.cells.peek())
    const cells = new Map(this.cells.peek())
    for (const name of removed) {
      const state = cells.get(name)
      // Probably saved by another tab: a later edit of an older row does not conflict with it.
      if (state?.kind === 'saving') this.#ownWrites.set(name, { value: state.value, at: UNKNOWN_TIME })
      cells.delete(name)
    }
    if (removed.length > 0) this.#set(cells)
    this.#adopt(changed)
  }

  /** Shows stored cells, and sends the ones that are to be saved. */
  #adopt(stored: readonly DraftCell[]): void {
    if (stored.length === 0) return
    const cells = new Map(this.cells.peek())
    for (const { row, field, state } of stored) cells.set(cellKey(row.id, field.key), state)
    this.#set(cells)
    // Values of one write are sent together again.
    const pending = stored.filter(({ state }) => state.kind === 'saving')
    const writes = Map.groupBy(pending, ({ row, at }) => `${row.id} ${at}`)
    for (const write of writes.values()) this.#resend(write)
  }

  #resend(cells: readonly DraftCell[]): void {
    const values = new Map<Field, Value>()
    const [{ row, at } = cells[0] as never] = cells
    for (const { field, state } of cells) {
      if (state.kind !== 'saving') continue
      const isNamed =
        isReference(field) && state.value !== undefined && !holdsIds(field, editText(state.value))
      if (isNamed) void this.#resolve(row, field, state.text, at)
      else values.set(field, state.value)
    }
    const read = { ...row, data: Object.assign({}, ...cells.map((cell) => cell.row.data)) }
    if (values.size > 0) void this.#enqueue(read, values, at)
  }

  #refuseAll(id: string, values: Values, error: string, isGone = false): undefined {
    for (const [field, value] of values)
      if (this.#isPending(id, field, value)) this.refuse(id, field, editText(value), error, isGone)
  }

  #conflict(newest: Row, field: Field, value: Value): void {
    const theirs = newest.data[field.key]
    const state = { kind: 'conflict', text: editText(value), value, theirs } as const
    if (isSameValue(theirs, value)) this.drop(newest.id, field.key)
    else this.#change((cells) => cells.set(cellKey(newest.id, field.key), state))
  }
}
