import type { CellState } from '../pages/records/edits.ts'
import type { Field, Row, Structure, Value } from '../pages/records/model.ts'
import { sessionKey } from './session-key.ts'
import { TAB } from './tabs.ts'

/** Names one entry of the queue. */
export interface Place {
  readonly user: string
  readonly workspace: string
  readonly name: string
  readonly tab: string
}

/** A cell that was written into, with its row as it was read; of its other cells nothing is kept. */
export interface Cell {
  readonly structure: Pick<Structure, 'id' | 'name'>
  readonly row: Row
  readonly field: Field
  readonly state: CellState
  readonly at: number
  /** Values that were sent into it since, of which no response came. */
  readonly sent: readonly Value[]
  /** Whether a tab shows it: then no other one takes it up. */
  readonly isShown: boolean
}

export interface StoredCell extends Place, Cell {}

export type Owner = Pick<Place, 'user' | 'workspace' | 'tab'>

/** Who writes now, in which workspace and tab. */
export function currentOwner(): Owner | undefined {
  const [user, workspace] = sessionKey.peek()?.split(' ') ?? []
  return user === undefined || workspace === undefined ? undefined : { user, workspace, tab: TAB }
}

export type CellName = readonly [structure: string, row: string, field: string]

/** Where cells wait in this browser. */
export interface CellStore {
  /** Writes cells into the queue, and removes from it those that wait no more. */
  putCells(owner: Owner, cells: readonly Cell[], gone: readonly CellName[]): Promise<void>
  /** The cells of a person in a workspace, oldest first. */
  listCells(user: string, workspace: string): Promise<StoredCell[]>
  /** Makes cells of another tab those of this one. */
  moveCells(cells: readonly StoredCell[], tab: string): Promise<void>
  /** Takes up what another tab has of a structure that is shown here, and does not show. */
  adoptCellsOf(structure: string): void
  /** Has what is read offline be what was saved here. */
  keepSaved(structure: string, row: Row): void
}

/** The store, once its code is there. */
export const cellStore: { current?: CellStore } = {}
