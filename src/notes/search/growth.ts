import type { Reader } from '../../db/reader.ts'
import { FILLING, NONE, searchState, setSearchState, UNFINISHED } from './state.ts'
import { createSearchTables, indexTagName } from './tables.ts'

/** More cannot be scanned within a few milliseconds. */
const MAX_SCANNED = { notes: 200, bytes: 131_072, tags: 200 }

const countTags = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT count(*) FROM tags WHERE workspace = ? AND is_removed = 0', workspace)

const bytesOf = ({ sql }: Reader, workspace: number): number =>
  sql.scalar(
    `SELECT coalesce(sum((SELECT octet_length(content) FROM note_bodies WHERE note = pk)), 0)
     FROM notes WHERE workspace = ? AND deleted_at IS NULL`,
    workspace,
  )

/** Whether a workspace is small enough to be searched note by note. */
export const isSmall = (reader: Reader, workspace: number): boolean =>
  searchState(reader, workspace).liveNotes <= MAX_SCANNED.notes &&
  countTags(reader, workspace) <= MAX_SCANNED.tags &&
  bytesOf(reader, workspace) <= MAX_SCANNED.bytes

/** Creates the search tables of a workspace that has none, and marks everything in it to be indexed. */
export function startFilling(tx: Reader, workspace: number): void {
  createSearchTables(tx, workspace)
  setSearchState(tx, workspace, FILLING)
  tx.sql.run(
    `INSERT INTO search_pending (workspace, note)
     SELECT workspace, pk FROM notes WHERE workspace = ? AND deleted_at IS NULL
     ON CONFLICT DO UPDATE SET can_wait = 0`,
    workspace,
  )
}

/** Gives a workspace search tables that has none and holds more notes than are scanned; returns whether it has tables. */
export function ensureTablesOfMany(tx: Reader, workspace: number): boolean {
  const { searchTables, liveNotes } = searchState(tx, workspace)
  if (searchTables !== NONE) return true
  if (liveNotes <= MAX_SCANNED.notes) return false
  startFilling(tx, workspace)
  return true
}

/** A workspace whose search tables are being filled. */
export const findFilling = ({ sql }: Reader): number | undefined =>
  sql.get<{ pk: number }>(
    `SELECT pk FROM workspaces WHERE ${UNFINISHED} AND search_tables = ${FILLING} LIMIT 1`,
  )?.pk

const TAGS_PER_STEP = 100

/** Indexes the names of some tags after the one with this id; returns the id of the last one if there may be more. */
export function fillTags(tx: Reader, workspace: number, after: number): number | undefined {
  const tags = tx.sql.all<{ id: number; name: string }>(
    `SELECT id, name FROM tags WHERE workspace = ? AND is_removed = 0 AND id > ? ORDER BY id LIMIT ${TAGS_PER_STEP}`,
    workspace,
    after,
  )
  for (const { id, name } of tags) indexTagName(tx, workspace, id, name)
  return tags.length < TAGS_PER_STEP ? undefined : tags.at(-1)?.id
}
