import { signal } from '@preact/signals'

/** Something that was done here, and what takes it back. */
export interface Done {
  readonly label: string
  readonly run: () => Promise<unknown>
}

const KEPT = 100

const done = signal<readonly Done[]>([])
/** Why the last undo was refused. */
export const undoRefusal = signal<string | undefined>(undefined)

let isUndoing = false
/** How often everything was forgotten. */
let clearings = 0

/** What was done in this tab, the last first out. */
export const undoStack = {
  /** Begins something; returns what keeps it once it is done, unless everything was forgotten meanwhile. */
  begin(): (entry: Done) => void {
    const begun = clearings
    return (entry) => {
      if (!isUndoing && begun === clearings) done.value = [...done.peek(), entry].slice(-KEPT)
    }
  },
  clear(): void {
    clearings++
    done.value = []
    undoRefusal.value = undefined
  },
  /** Takes back what was done last. */
  async undo(): Promise<void> {
    const last = done.peek().at(-1)
    if (!last || isUndoing) return
    done.value = done.peek().slice(0, -1)
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
