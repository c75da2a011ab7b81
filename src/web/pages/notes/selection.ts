import { computed, signal } from '@preact/signals'
import type { Row } from './list-data.ts'
import { list } from './route.ts'

const currentList = computed(() => JSON.stringify(list.value))

interface Selection {
  readonly list: string
  readonly rows: ReadonlyMap<string, Row>
  /** Index of the row that was selected last. */
  readonly anchor: number
}

const NONE: ReadonlyMap<string, Row> = new Map()
const selection = signal<Selection | undefined>(undefined)

/** True while the list shows checkboxes. */
export const isSelecting = computed(() => selection.value?.list === currentList.value)

/** The selected notes by id. The selection ends when the list changes. */
export const selected = computed(() => (isSelecting.value ? (selection.value?.rows ?? NONE) : NONE))

/** The index where a range selection with Shift starts. */
export const selectionAnchor = (): number | undefined =>
  isSelecting.peek() ? selection.peek()?.anchor : undefined

export const setSelected = (rows: ReadonlyMap<string, Row>, anchor = 0): void => {
  selection.value = { list: currentList.peek(), rows, anchor }
}

export const endSelection = (): void => {
  selection.value = undefined
}

/** Selects or deselects rows; `anchor` is the index of the last one. */
export function select(rows: readonly (Row | undefined)[], isOn: boolean, anchor: number): void {
  const next = new Map(selected.peek())
  for (const row of rows) {
    if (!row) continue
    if (isOn) next.set(row.id, row)
    else next.delete(row.id)
  }
  setSelected(next, anchor)
}
