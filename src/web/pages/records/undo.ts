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
/** What is being done. */
const underWay = new Set<Promise<unknown>>()
/** How often everything was forgotten. */
let clearings = 0

/** What was done in this tab, the last first out. */
export const undoStack = {
  /** Does something; `act` keeps what takes it back once it is done, unless everything was forgotten meanwhile. */
  async perform<Result>(act: (keep: (entry: Done) => void) => Promise<Result>): Promise<Result> {
    const begun = clearings
    const performing = act((entry) => {
      if (!isUndoing && begun === clearings) done.value = [...done.peek(), entry].slice(-KEPT)
    })
    underWay.add(performing)
    try {
      return await performing
    } finally {
      underWay.delete(performing)
    }
  },
  clear(): void {
    clearings++
    done.value = []
    undoRefusal.value = undefined
  },
  /** Forgets what `run` takes back: it was taken back in another way. */
  forget(run: Done['run']): void {
    done.value = done.peek().filter((entry) => entry.run !== run)
  },
  /** Takes back what was done last, once all that has begun is done. */
  async undo(): Promise<void> {
    await Promise.allSettled(underWay)
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
