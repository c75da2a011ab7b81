import type { EntryKey } from './pending-cells.ts'
import type { Row, Structure } from './records/model.ts'
import { Unreachable } from './request.ts'

/** A tag to add to a note or to remove from it. */
export interface TagAction {
  readonly kind: 'tag'
  readonly note: string
  readonly title: string
  readonly tag: string
  readonly isAdded: boolean
}

export interface RowAction {
  readonly kind: 'row'
  readonly structure: Pick<Structure, 'id' | 'name'>
  readonly row: Row
  /** The key of a request that was sent before without a response, and that may have created the row. */
  readonly sentWith?: string
}

export type PendingAction = TagAction | RowAction

export interface StoredAction extends EntryKey {
  readonly action: PendingAction
  readonly at: number
  /** Why the server refused it. */
  readonly error?: string
}

/** The queue of this browser, once its code is loaded. */
export const actionQueue: { defer?: (action: PendingAction) => Promise<void> } = {}

/** Stores an action until it can be sent. Throws `Unreachable` without a queue. */
export async function deferAction(action: PendingAction): Promise<void> {
  if (!actionQueue.defer) throw new Unreachable('The server cannot be reached. Try again later.')
  await actionQueue.defer(action)
}
