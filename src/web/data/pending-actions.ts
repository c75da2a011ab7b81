import { invalidate } from './cache.ts'
import type { CellName, EntryKey } from './pending-cells.ts'
import type { Row, Structure, Value } from './records/model.ts'
import { Unreachable, unreachableSince } from './request.ts'

/** A tag to add to notes or to remove from them. */
export interface TagAction {
  readonly kind: 'tag'
  readonly notes: readonly { readonly id: string; readonly title: string }[]
  readonly tag: string
  readonly isAdded: boolean
}

/** Values of a row by key; null clears. */
export type RowData = Readonly<Record<string, string | number | boolean | readonly string[] | null>>

export interface NewRow {
  readonly id: string
  readonly data: RowData
}

/** New values of a row, with the version and the values that they replace. */
export interface ChangedRow extends NewRow {
  readonly updatedAt: string
  readonly before: Row['data']
  /** Values sent for the same cells without a response, by key. */
  readonly sent?: Readonly<Record<string, readonly Value[]>>
}

/** New and changed rows of a table, written in one transaction. */
export interface RowsAction {
  readonly kind: 'rows'
  readonly structure: Pick<Structure, 'id' | 'name'>
  readonly created: readonly NewRow[]
  readonly changed: readonly ChangedRow[]
  /** The key of a request that was sent before without a response, and that may have created the rows. */
  readonly sentWith?: string
}

/** A new value of a note: a property by its key, or else whether the note is pinned. */
export interface ValueAction {
  readonly kind: 'value'
  readonly note: { readonly id: string; readonly title: string }
  readonly property?: { readonly key: string; readonly label: string }
  readonly before: unknown
  /** Values that were pending between `before` and `value`, and that may have been sent. */
  readonly between?: readonly unknown[]
  readonly value: unknown
}

export type PendingAction = TagAction | ValueAction | RowsAction

export interface StoredAction extends EntryKey {
  readonly action: PendingAction
  readonly at: number
  /** Why the server refused it. */
  readonly error?: string
}

/** The queue of this browser, once its code is loaded. */
export const actionQueue: {
  /** `at` is the time of the action if requests of it were sent without a response. */
  defer?: (action: PendingAction, replaced: readonly CellName[], at?: number) => Promise<void>
  /** Whether an earlier action on the same subject is pending. */
  isBehind?: (action: PendingAction) => boolean
} = {}

/**
 * Whether an action must be stored instead of sent: while the server cannot be reached, and while an earlier action on the
 * same subject is pending, which would otherwise be sent after it.
 */
export const mustWait = (action: PendingAction): boolean =>
  unreachableSince.peek() !== undefined || actionQueue.isBehind?.(action) === true

/** Sends an action, or stores it until it can be sent. */
export async function writeAction(action: TagAction | ValueAction): Promise<void> {
  try {
    if (mustWait(action)) throw new Unreachable()
    const { sendNow } = await import('./send-action.ts').catch(() => {
      throw new Unreachable()
    })
    await sendNow(action)
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    await deferAction(action)
  }
  await invalidate(CHANGED)
}

/** Adds a tag to a note, or removes it. */
export const changeTag = (note: ValueAction['note'], tag: string, isAdded: boolean): Promise<void> =>
  writeAction({ kind: 'tag', notes: [{ id: note.id, title: note.title }], tag, isAdded })

const CHANGED = new Set(['note', 'tag', 'property'])

/**
 * Stores an action until it can be sent, and removes the edits of cells that it replaces, in one transaction. Throws
 * `Unreachable` without a queue.
 */
export async function deferAction(action: PendingAction, replaced: readonly CellName[] = []): Promise<void> {
  if (!actionQueue.defer) throw new Unreachable('The server cannot be reached. Try again later.')
  await actionQueue.defer(action, replaced)
}
