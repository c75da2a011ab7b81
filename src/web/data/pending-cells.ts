import type { CellState } from './records/edits.ts'
import type { Field, Row, Structure, Value } from './records/model.ts'
import { sessionKey } from './session-key.ts'
import { TAB } from './tabs.ts'

/** Identifies an entry of the queue. */
export interface EntryKey {
  readonly user: string
  readonly workspace: string
  readonly name: string
  readonly tab: string
}

/** An edited cell, with the version of its row. The other cells of the row are not stored. */
export interface Cell {
  readonly structure: Pick<Structure, 'id' | 'name'>
  readonly row: Row
  readonly field: Field
  readonly state: CellState
  readonly at: number
  /** Values sent since then without a response. */
  readonly sent: readonly Value[]
  /** Whether a tab shows the cell, so that no other tab adopts it. */
  readonly isShown: boolean
}

export interface StoredCell extends EntryKey, Cell {}

export type Owner = Pick<EntryKey, 'user' | 'workspace' | 'tab'>

/** The current user, workspace and tab; undefined without a session. */
export function currentOwner(): Owner | undefined {
  const [user, workspace] = sessionKey.peek()?.split(' ') ?? []
  return user === undefined || workspace === undefined ? undefined : { user, workspace, tab: TAB }
}

export type CellName = readonly [structure: string, row: string, field: string]

/** The storage of pending cells in this browser. */
export interface CellStore {
  /** Adds cells to the queue and removes those that are no longer pending. */
  putCells(owner: Owner, cells: readonly Cell[], gone: readonly CellName[]): Promise<void>
  /** Assigns pending cells of a user in a workspace to a tab, in one transaction. Returns them as they were, oldest first. */
  moveCells(owner: Owner, isMoved: (cell: StoredCell) => boolean): Promise<StoredCell[]>
  /** Adopts cells of a table that this tab shows and their tab does not. */
  adoptCellsOf(structure: string): void
  /** Updates the offline copy with a saved row. */
  keepSaved(structure: string, row: Row): void
}

/** The store, once its code is loaded. */
export const cellStore: { current?: CellStore } = {}
