import { effect, signal, untracked } from '@preact/signals'
import { api } from '../../data/api.ts'
import { discarders, keepers, pendingCount, savers, setNotice, unfinished } from '../../data/pending.ts'
import { faultIn, isPutOff, Refused } from '../../data/request.ts'
import { sendInOrder } from '../../data/sending.ts'
import { untilSentAgain } from '../../data/sent-again.ts'
import { sessionKey } from '../../data/session-key.ts'
import { TAB } from '../../data/tabs.ts'
import { type CellName, cellStore, presentOwner, type StoredCell } from '../../data/waiting-cells.ts'
import { cellKey, KeptCells } from './kept-cells.ts'
import { KnownRows, type Rows } from './known-rows.ts'
import type { Field, Row, Structure, Value } from './model.ts'
import { newer, patchRow } from './patch-row.ts'
import { isId, isReference } from './references.ts'
import { faultyField } from './refusals.ts'
import { readReference } from './suggestions.ts'
import { undoStack } from './undo.ts'
import { editText, parseValue } from './values.ts'

/** What is so with a cell that was edited, until its row holds the value. */
export type CellState =
  | { readonly kind: 'saving'; readonly text: string; readonly value: Value }
  /** Where its row is gone, no screen shows it. */
  | { readonly kind: 'refused'; readonly text: string; readonly error: string; readonly isGone?: true }
  /** Somebody else changed the same cell meanwhile; both values are shown. */
  | { readonly kind: 'conflict'; readonly text: string; readonly value: Value; readonly theirs: Value }

/** Values by their fields. */
export type Values = ReadonlyMap<Field, Value>

/** A row as a write left it and as it was before, and the fields that were written. */
export interface Saved {
  readonly row: Row
  readonly before: Row
  readonly fields: readonly Field[]
}

/**
 * Saves edited cells one after the other, each only if nobody else changed it since it was read. What is not saved is kept
 * in this browser, whatever becomes of the page.
 */
export class Edits {
  readonly cells = signal<ReadonlyMap<string, CellState>>(new Map())
  #last: Promise<unknown> = Promise.resolve()
  /** What was saved last in a cell from here, and when: who edited it again before that was known met nobody else. */
  readonly #own = new Map<string, { readonly value: Value; readonly at: string }>()
  readonly #sessionKey = sessionKey.peek()
  readonly #kept: KeptCells

  constructor(
    private readonly structure: Pick<Structure, 'id' | 'name'>,
    /** The rows that are shown, or were last. */
    public source: Rows,
  ) {
    this.#kept = new KeptCells(structure)
  }

  /** Resolves when what waits now is saved or refused. */
  get settled(): Promise<unknown> {
    return this.#last
  }

  /** The cells show by themselves what was refused, until the function that is returned is called. */
  show(): () => void {
    this.#setShown(true)
    cellStore.present?.takeUpOf(this.structure.id)
    return () => {
      this.#setShown(false)
      if (this.cells.peek().size === 0 && kept.get(this.structure.id) === this) kept.delete(this.structure.id)
    }
  }

  get isShown(): boolean {
    return this.#kept.isShown
  }

  #setShown(isShown: boolean): void {
    this.#kept.isShown = isShown
    this.keepAgain()
    this.#tell()
  }

  /** Has what is not saved kept once more. */
  keepAgain(): void {
    void this.#kept.keep(new Map(), this.cells.peek())
  }

  of(id: string, key: string): CellState | undefined {
    return this.cells.value.get(cellKey(id, key))
  }

  get isSaving(): boolean {
    return [...this.cells.peek().values()].some(({ kind }) => kind === 'saving')
  }

  /** Whether something would be lost with the page. */
  get isUnsafe(): boolean {
    return this.isSaving && !this.#kept.isSafe
  }

  /** The cell of a row that was refused, or that somebody else changed as well. */
  trouble(id: string, fields: readonly Field[]): { field: Field; state: CellState } | undefined {
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

  /** Shows at a cell that what was meant for it was refused. */
  refuse(id: string, field: Field, text: string, error: string, isGone = false): void {
    const row = this.source.find(id)
    if (row && !this.#kept.knows(id, field.key)) this.#kept.note(row, field)
    const state = { kind: 'refused', text, error, ...(isGone && { isGone }) } as const
    this.#change((cells) => cells.set(cellKey(id, field.key), state))
  }

  #change(change: (cells: Map<string, CellState>) => void): void {
    const before = this.cells.peek()
    const next = new Map(before)
    change(next)
    this.cells.value = next
    void this.#kept.keep(before, next)
    pendingCount.value += next.size - before.size
    this.#tell()
  }

  /** Has it said on every screen that cells need to be looked at, where they do not show that by themselves. */
  #tell(): void {
    if (sessionKey.peek() !== this.#sessionKey) return
    const { id, name } = this.structure
    const states = [...this.cells.peek().values()]
    const isGone = states.some((state) => 'isGone' in state)
    const isTold = isGone || (!this.isShown && states.some(({ kind }) => kind !== 'saving'))
    const what = isGone ? `a row of ${name} that is gone` : name
    const to = isGone ? '/app/settings/offline' : `/app/records/${id}`
    setNotice(`cells of ${id}`, isTold ? `Not saved: a cell of ${what}.` : undefined, to)
  }

  /** Lets go of what waits: it is given up, or kept in the browser alone as another person or workspace is here now. */
  leave(): void {
    setNotice(`cells of ${this.structure.id}`, undefined)
    pendingCount.value -= this.cells.peek().size
    this.cells.value = new Map()
  }

  /** Saves what was typed into a cell; resolves when the row holds it or the cell says why not. */
  save(row: Row, field: Field, text: string): Promise<void> {
    if (isReference(field) && text.trim() !== '' && !isId(text.trim()))
      return this.#saveNamed(row, field, text)
    const before = row.data[field.key]
    const parsed = parseValue(field, text)
    if ('error' in parsed) {
      this.refuse(row.id, field, text, parsed.error)
      return Promise.resolve()
    }
    const value = parsed.value ?? undefined
    const isSaving = this.cells.peek().get(cellKey(row.id, field.key))?.kind === 'saving'
    if (!isSaving && (value === before || text === editText(before))) {
      this.drop(row.id, field.key)
      return Promise.resolve()
    }
    return this.write(row, field, value)
  }

  /** Saves a reference to what was typed by its label. */
  async #saveNamed(row: Row, field: Field, text: string): Promise<void> {
    this.#kept.note(row, field)
    this.#change((cells) => cells.set(cellKey(row.id, field.key), { kind: 'saving', text, value: text }))
    const named = await readReference(field, text).catch((error: Error) => ({ error: error.message }))
    if (!this.#isWaiting(row.id, field, text)) return
    if ('error' in named) this.refuse(row.id, field, text, named.error)
    else await this.write(row, field, named.value ?? undefined)
  }

  /** Saves a value, over what the cell held when `row` was read. */
  write(row: Row, field: Field, value: Value): Promise<void> {
    return undoStack.perform(async (keep) => {
      const saved = await this.writeRow(row, new Map([[field, value]]))
      if (!saved) return
      keep({
        label: `${field.label} of a row`,
        run: () => this.write(saved.row, field, saved.before.data[field.key]),
      })
    })
  }

  /** Saves several values of a row in one request, over what it held when it was read; those refused are left out. */
  writeRow(row: Row, values: Values, at = Date.now()): Promise<Saved | undefined> {
    for (const field of values.keys()) this.#kept.note(row, field, at)
    this.#change((cells) => {
      for (const [{ key }, value] of values)
        cells.set(cellKey(row.id, key), { kind: 'saving', text: editText(value), value })
    })
    const writing = this.#last
      .then(() => this.#write(row, values, at))
      .catch((error: Error) => this.#refuseAll(row.id, values, error.message))
    this.#last = writing
    return writing
  }

  async #write(
    row: Row,
    values: Values,
    at: number,
    newest = newer(this.source.find(row.id), row),
  ): Promise<Saved | undefined> {
    if (sessionKey.peek() !== this.#sessionKey)
      throw new Error('Somebody else is signed in; nothing was written.')
    const rest = new Map(values)
    for (const [field, value] of values) {
      const isWanted = this.#isWaiting(row.id, field, value)
      if (isWanted && this.#isUnchanged(row, newest, field)) continue
      if (isWanted) this.#conflict(newest, field, value)
      rest.delete(field)
    }
    if (rest.size === 0) return undefined
    try {
      const saved = await sendInOrder(at, () => this.#patch(newest, rest))
      // The response may be that to an earlier call, which got none: the row may have changed since.
      this.source.replace(newer(this.source.find(saved.id), saved))
      cellStore.present?.keepSaved(this.structure.id, saved)
      this.#acknowledge(saved, rest)
      return { row: saved, before: newest, fields: [...rest.keys()] }
    } catch (error) {
      return this.#failed(error as Error, row, rest, at)
    }
  }

  #patch(row: Row, values: Values): Promise<Row> {
    for (const [{ key }, value] of values) this.#kept.noteSent(row.id, key, value)
    // So that also the tab that takes it up knows what it sent.
    this.keepAgain()
    return patchRow(row, values)
  }

  /** Whether a cell still waits for this value: it may have been edited once more, or given up. */
  #isWaiting(id: string, { key }: Field, value: Value): boolean {
    const state = this.cells.peek().get(cellKey(id, key))
    return state?.kind === 'saving' && state.value === value
  }

  /** Whether a cell holds what it held when the row was read, or what was sent from here since. */
  #isUnchanged(read: Row, newest: Row, { key }: Field): boolean {
    const own = this.#own.get(cellKey(read.id, key))
    const held = newest.data[key]
    if (held === read.data[key] || this.#kept.hasSent(read.id, key, held)) return true
    return own !== undefined && own.at > read.updated_at && held === own.value
  }

  /** The cells show their row again, but those that were edited once more meanwhile. */
  #acknowledge({ id, data, updated_at }: Row, values: Values): void {
    for (const { key } of values.keys()) this.#own.set(cellKey(id, key), { value: data[key], at: updated_at })
    this.#change((cells) => {
      for (const [field, value] of values)
        if (this.#isWaiting(id, field, value)) cells.delete(cellKey(id, field.key))
    })
  }

  async #failed(error: Error, row: Row, values: Values, at: number): Promise<Saved | undefined> {
    if (isPutOff(error) || (error instanceof Refused && error.status === 401)) {
      await untilSentAgain(error)
      return this.#write(row, values, at)
    }
    if (error instanceof Refused && error.code === 'stale') {
      let present: Row
      try {
        const { record } = await api.get('/v1/records/{id}', { params: { id: row.id }, isFresh: true })
        present = record as Row
      } catch (failure) {
        return this.#failed(failure as Error, row, values, at)
      }
      this.source.replace(present)
      // Also where it is older than what is known: the server was set back.
      return this.#write(row, values, at, present)
    }
    const faulty = faultyField([...values.keys()], faultIn(error))
    const isGone = error instanceof Refused && error.status === 404
    if (!faulty || values.size === 1) return this.#refuseAll(row.id, values, error.message, isGone)
    this.refuse(row.id, faulty, editText(values.get(faulty)), error.message)
    return this.#write(row, new Map([...values].filter(([field]) => field !== faulty)), at)
  }

  /** Goes on with cells that were written into before, and are kept in this browser. */
  takeUp(stored: readonly StoredCell[]): void {
    for (const { row, field, state, at, sent } of stored) {
      this.#kept.note(row, field, at, sent)
      if (state.kind !== 'saving') this.#change((cells) => cells.set(cellKey(row.id, field.key), state))
    }
    // What was written into a row at once is sent at once again.
    const waiting = stored.filter(({ state }) => state.kind === 'saving')
    const together = Map.groupBy(waiting, ({ row, at }) => `${row.id} ${at}`)
    for (const cells of together.values()) this.#sendAgain(cells)
  }

  #sendAgain(cells: readonly StoredCell[]): void {
    const values = new Map<Field, Value>()
    const [{ row, at } = cells[0] as never] = cells
    for (const { field, state } of cells) {
      if (state.kind !== 'saving') continue
      const isNamed = isReference(field) && state.value !== undefined && !isId(String(state.value))
      if (isNamed) void this.#saveNamed(row, field, state.text)
      else values.set(field, state.value)
    }
    const read = { ...row, data: Object.assign({}, ...cells.map((cell) => cell.row.data)) }
    if (values.size > 0) void this.writeRow(read, values, at)
  }

  #refuseAll(id: string, values: Values, error: string, isGone = false): undefined {
    for (const [field, value] of values)
      if (this.#isWaiting(id, field, value)) this.refuse(id, field, editText(value), error, isGone)
  }

  #conflict(newest: Row, field: Field, value: Value): void {
    const theirs = newest.data[field.key]
    const state = { kind: 'conflict', text: editText(value), value, theirs } as const
    if (theirs === value) this.drop(newest.id, field.key)
    else this.#change((cells) => cells.set(cellKey(newest.id, field.key), state))
  }
}

/** The edits of each structure that is shown or has cells that are not saved: these are there again when one comes back. */
const kept = new Map<string, Edits>()

/** What edits the cells of a structure, and shows what was not saved of them before. */
export function editsOf(structure: Pick<Structure, 'id' | 'name'>, source: Rows): Edits {
  const edits = kept.get(structure.id) ?? new Edits(structure, source)
  kept.set(structure.id, edits)
  edits.source = source
  return edits
}

/**
 * Takes up the cells that tabs which are open no more left behind, and what this one wrote in an earlier session; of one
 * structure also those that another tab has and does not show. Returns those of other tabs.
 */
export async function takeUpCells(
  openTabs: ReadonlySet<string>,
  shown?: string,
): Promise<readonly StoredCell[]> {
  const owner = presentOwner()
  const store = cellStore.present
  if (!owner || !store) return []
  const all = await store.listCells(owner.user, owner.workspace)
  const left = all.filter(
    ({ tab, structure, row, field, isShown }) =>
      (tab === TAB || !openTabs.has(tab) || (structure.id === shown && isShown === false)) &&
      kept.get(structure.id)?.of(row.id, field.key) === undefined,
  )
  await store.moveCells(left, TAB)
  for (const cells of Map.groupBy(left, ({ structure }) => structure.id).values()) {
    const [first] = cells
    if (first) editsOf(first.structure, kept.get(first.structure.id)?.source ?? new KnownRows()).takeUp(cells)
  }
  return left.filter(({ tab }) => tab !== TAB)
}

/** Gives up what was written into a cell and is not saved. */
export const giveUpCell = ([structure, row, field]: CellName): void => kept.get(structure)?.drop(row, field)

/** Leaves a cell to another tab that took it up, unless it is shown here, or gives it up. */
export function giveAwayCell(name: CellName, isGivenUp: boolean): void {
  if (isGivenUp || !kept.get(name[0])?.isShown) giveUpCell(name)
}

keepers.add(() => {
  for (const edits of kept.values()) edits.keepAgain()
})
unfinished.add(() => [...kept.values()].some(({ isUnsafe }) => isUnsafe))
savers.add(() => Promise.all([...kept.values()].map(({ settled }) => settled)))
const leaveAll = () => {
  for (const edits of kept.values()) edits.leave()
}
discarders.add((except) => except === undefined && leaveAll())
effect(() => {
  void sessionKey.value
  untracked(leaveAll)
  kept.clear()
})
