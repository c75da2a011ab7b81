import { type IntegrityCheck, listWorkspacePks } from '../../db/integrity.ts'
import type { Reader } from '../../db/reader.ts'
import { scanByPk } from '../../db/scan-by-pk.ts'
import { type ExpectedEntry, type SearchTableCheck, searchTableFaults } from '../../search/integrity.ts'
import { hasTable } from '../../search/tables.ts'
import { indexedText } from '../../search/words.ts'
import {
  COMPLETE,
  createSearchTables,
  dropSearchTables,
  findIndexable,
  fullTable,
  indexedColumns,
  indexNote,
  indexTagName,
  isSmall,
  NONE,
  searchState,
  searchTables,
  setSearchState,
  tagTable,
  titleTable,
} from './tables.ts'

const BATCH_SIZE = 200

/** What is indexed of every active note of a workspace that meets the condition. */
function* indexables(reader: Reader, workspace: number, condition = '') {
  const notes = scanByPk((after) =>
    reader.sql.all<{ pk: number }>(
      `SELECT pk FROM notes WHERE workspace = ? AND deleted_at IS NULL AND pk > ? ${condition} ORDER BY pk LIMIT ?`,
      workspace,
      after,
      BATCH_SIZE,
    ),
  )
  for (const { pk } of notes) {
    const note = findIndexable(reader, pk)
    if (note) yield note
  }
}

const tagsOf = ({ sql }: Reader, workspace: number) =>
  sql.all<{ id: number; name: string }>(
    'SELECT id, name FROM tags WHERE workspace = ? AND is_removed = 0 ORDER BY id',
    workspace,
  )

/** The entries of every active note of a workspace that are up to date, with or without the body. */
function* expectedNotes(
  reader: Reader,
  workspace: number,
  outdated: string,
  hasBody: boolean,
): Generator<ExpectedEntry> {
  for (const note of indexables(reader, workspace, `AND pk NOT IN (${outdated})`)) {
    const { title, body, tags } = indexedColumns(hasBody ? note : { ...note, content: '' })
    yield { pk: note.pk, columns: hasBody ? { title, body, tags } : { title, tags } }
  }
}

function* expectedTags(reader: Reader, workspace: number) {
  for (const { id, name } of tagsOf(reader, workspace)) yield { pk: id, columns: { name: indexedText(name) } }
}

/** While tables are being filled, some names of tags are missing. */
function checksOf(reader: Reader, workspace: number, isFilled: boolean): SearchTableCheck[] {
  const outdated = `SELECT note FROM search_pending WHERE workspace = ${workspace}`
  const expected = (hasBody: boolean) => expectedNotes(reader, workspace, outdated, hasBody)
  const ofTags = { expected: expectedTags(reader, workspace), outdated: 'SELECT 0 WHERE 0' }
  return [
    { table: fullTable(workspace), expected: expected(true), outdated },
    { table: titleTable(workspace), expected: expected(false), outdated },
    ...(isFilled ? [{ table: tagTable(workspace), ...ofTags }] : []),
  ]
}

/** The names of the search tables that the workspace lacks. */
const missingTables = (reader: Reader, workspace: number): string[] =>
  searchTables(workspace)
    .map(({ name }) => name)
    .filter((name) => !hasTable(reader, name))

/** The search tables of large workspaces contain exactly the words of the active notes and of the tags, but for notes that wait to be indexed. */
export const searchCheck: IntegrityCheck = {
  *faults(reader) {
    for (const workspace of listWorkspacePks(reader)) {
      const { searchTables } = searchState(reader, workspace)
      if (searchTables === NONE) continue
      const missing = missingTables(reader, workspace)
      for (const name of missing) yield `The search table ${name} is missing.`
      if (missing.length > 0) continue
      for (const check of checksOf(reader, workspace, searchTables >= COMPLETE))
        yield* searchTableFaults(reader, check)
    }
  },
  repair: (tx) => {
    for (const workspace of listWorkspacePks(tx)) {
      if (searchState(tx, workspace).searchTables !== NONE) dropSearchTables(tx, workspace)
      setSearchState(tx, workspace, isSmall(tx, workspace) ? NONE : COMPLETE)
      if (isSmall(tx, workspace)) continue
      createSearchTables(tx, workspace)
      for (const note of indexables(tx, workspace)) indexNote(tx, workspace, note)
      for (const { id, name } of tagsOf(tx, workspace)) indexTagName(tx, workspace, id, name)
    }
    tx.sql.run('DELETE FROM search_pending')
  },
}
