import type { Reader } from '../../db/reader.ts'

/*
 * A workspace gets search tables of its own when it is too large to be searched note by note (`scan.ts`): thousands of
 * small workspaces have none, so that the schema of the file does not grow with them. How far the tables of a workspace
 * are is `workspaces.search_tables`.
 */

/** There are none; notes are scanned. */
export const NONE = 0
/** They are kept in step with what is written, but not yet filled with what was there before; notes are scanned. */
export const FILLING = 1
/** They hold everything, but for notes that are marked, for which a search waits. */
export const COMPLETE = 2
/** The same, made by an older program, which made them for every workspace. */
export const OLD = 3

/** The condition of the index by which SQLite finds the few workspaces that are filled, or were made by an older program. */
export const UNFINISHED = `search_tables IN (${FILLING}, ${OLD})`

export interface SearchState {
  readonly searchTables: number
  readonly liveNotes: number
}

const ABSENT: SearchState = { searchTables: NONE, liveNotes: 0 }

export const searchState = ({ sql }: Reader, workspace: number): SearchState =>
  sql.get(
    'SELECT search_tables AS searchTables, live_notes AS liveNotes FROM workspaces WHERE pk = ?',
    workspace,
  ) ?? ABSENT

export const setSearchState = ({ sql }: Reader, workspace: number, state: number) =>
  sql.run('UPDATE workspaces SET search_tables = ? WHERE pk = ?', state, workspace)

/** Whether what is written must also be written to the search tables of the workspace. */
export const hasSearchTables = (reader: Reader, workspace: number): boolean =>
  searchState(reader, workspace).searchTables !== NONE

/** Whether the search tables of the workspace are searched. */
export const areSearchTablesComplete = (reader: Reader, workspace: number): boolean =>
  searchState(reader, workspace).searchTables >= COMPLETE
