import { computed, signal } from '@preact/signals'
import type { Row } from './list-data.ts'
import { list } from './place.ts'

const shownList = computed(() => JSON.stringify(list.value))

interface Picks {
  readonly list: string
  readonly rows: ReadonlyMap<string, Row>
  /** The place in the list of the one that was chosen last. */
  readonly at: number
}

const NONE: ReadonlyMap<string, Row> = new Map()
const picks = signal<Picks | undefined>(undefined)

/** Whether boxes are shown at all notes of the list, as somebody chooses among them. */
export const isPicking = computed(() => picks.value?.list === shownList.value)

/** The notes that are chosen, by their ids; another list begins anew. */
export const picked = computed(() => (isPicking.value ? (picks.value?.rows ?? NONE) : NONE))

/** Where Shift begins to choose. */
export const pickedAt = (): number | undefined => (isPicking.peek() ? picks.peek()?.at : undefined)

export const setPicked = (rows: ReadonlyMap<string, Row>, at = 0): void => {
  picks.value = { list: shownList.peek(), rows, at }
}

/** Ends the choosing. */
export const endPicking = (): void => {
  picks.value = undefined
}

/** Chooses rows, or lets them go, the last of them at a place of the list. */
export function pick(rows: readonly (Row | undefined)[], isOn: boolean, at: number): void {
  const next = new Map(picked.peek())
  for (const row of rows) {
    if (!row) continue
    if (isOn) next.set(row.id, row)
    else next.delete(row.id)
  }
  setPicked(next, at)
}
