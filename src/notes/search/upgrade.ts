import type { Reader } from '../../db/reader.ts'
import { isSmall } from './growth.ts'
import { COMPLETE, NONE, OLD, setSearchState, UNFINISHED } from './state.ts'
import { dropSearchTables } from './tables.ts'

/*
 * Older programs made search tables for every workspace. Those of small ones are dropped, some at a time: an upgrade that
 * is interrupted goes on where it was.
 */

/** In how many workspaces the tables of an older program are still to be looked at. */
export const countOldTables = ({ sql }: Reader): number =>
  sql.scalar(`SELECT count(*) FROM workspaces WHERE ${UNFINISHED} AND search_tables = ${OLD}`)

const AT_ONCE = 20

/** Drops the search tables of the small ones among some workspaces. */
export function dropSomeOldTables(reader: Reader): void {
  const workspaces = reader.sql.column<number>(
    `SELECT pk FROM workspaces WHERE ${UNFINISHED} AND search_tables = ${OLD} ORDER BY pk LIMIT ${AT_ONCE}`,
  )
  for (const workspace of workspaces) {
    const isScanned = isSmall(reader, workspace)
    if (isScanned) dropSearchTables(reader, workspace)
    setSearchState(reader, workspace, isScanned ? NONE : COMPLETE)
  }
}
