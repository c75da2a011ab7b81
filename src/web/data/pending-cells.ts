import type { CellState } from './records/cell-drafts.ts'
import type { Field, Row, Structure, Value } from './records/model.ts'
import { sessionKey } from './session-key.ts'

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
}

export interface StoredCell extends EntryKey, Cell {}

export type Owner = Pick<EntryKey, 'user' | 'workspace'>

/** The current user and workspace; undefined without a session. */
export function currentOwner(): Owner | undefined {
  const [user, workspace] = sessionKey.peek()?.split(' ') ?? []
  return user === undefined || workspace === undefined ? undefined : { user, workspace }
}

export type CellName = readonly [structure: string, row: string, field: string]

export interface CellChanges {
  /** New edits. */
  readonly edited: readonly Cell[]
  /** New states of edits. Of one that is no longer stored, only the sent values are added to a later edit. */
  readonly updated: readonly Cell[]
  /** Edits that are no longer pending. They stay if they were edited again since. */
  readonly removed: readonly Omit<Cell, 'state'>[]
}

/** The storage of pending cells in this browser, which all tabs share. */
export interface CellStore {
  /** Changes the stored cells in one transaction. */
  change(owner: Owner, changes: CellChanges): Promise<void>
  /** The pending cells of a user in a workspace, or of one table, oldest first. */
  list(owner: Owner, structure?: string): Promise<StoredCell[]>
  /** Updates the offline copy with a saved row. */
  keepSaved(structure: string, row: Row): void
}

export const cellStore: {
  /** The store, once its code is loaded. */
  current?: CellStore
  /** The tables with edits in this tab, once their code is loaded. */
  tables?: {
    /** Adopts changes of the store by other tabs. */
    sync(): Promise<void>
    /** Stores all edits again, after the browser has cleared its storage. */
    storeAgain(): void
  }
} = {}
