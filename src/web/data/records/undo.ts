import { signal } from '@preact/signals'

/** An action, with the function that undoes it. */
export interface UndoEntry {
  readonly label: string
  readonly run: () => Promise<unknown>
}

const MAX_ENTRIES = 100

const entries = signal<readonly UndoEntry[]>([])
/** The error of the last undo. */
export const undoRefusal = signal<string | undefined>(undefined)

let isUndoing = false
/** Actions in flight. */
const inFlight = new Set<Promise<unknown>>()
/** Counts calls of `clear`, so that actions begun before one add no entry after it. */
let generation = 0

/** The undo stack of this tab. */
export const undoStack = {
  /** Runs an action, which adds its undo entry on success. The entry is dropped if the stack was cleared meanwhile. */
  async perform<Result>(act: (push: (entry: UndoEntry) => void) => Promise<Result>): Promise<Result> {
    const started = generation
    const performing = act((entry) => {
      if (!isUndoing && started === generation) entries.value = [...entries.peek(), entry].slice(-MAX_ENTRIES)
    })
    inFlight.add(performing)
    try {
      return await performing
    } finally {
      inFlight.delete(performing)
    }
  },
  clear(): void {
    generation++
    entries.value = []
    undoRefusal.value = undefined
  },
  /** Removes an entry that was undone in another way. */
  remove(run: UndoEntry['run']): void {
    entries.value = entries.peek().filter((entry) => entry.run !== run)
  },
  /** Undoes the last action, after all actions in flight have finished. */
  async undo(): Promise<void> {
    await Promise.allSettled(inFlight)
    const last = entries.peek().at(-1)
    if (!last || isUndoing) return
    entries.value = entries.peek().slice(0, -1)
    isUndoing = true
    undoRefusal.value = undefined
    try {
      await last.run()
    } catch (error) {
      undoRefusal.value = (error as Error).message
    } finally {
      isUndoing = false
    }
  },
}
