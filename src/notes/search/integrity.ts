import { type IntegrityCheck, listWorkspacePks } from '../../db/integrity.ts'
import type { Reader } from '../../db/reader.ts'
import { scanByPk } from '../../db/scan-by-pk.ts'
import { type SearchTableCheck, searchTableFaults } from '../../search/integrity.ts'
import { hasTable } from '../../search/tables.ts'
import { indexedText } from '../../search/tokenizer.ts'
import { COMPLETE, isSmall, NONE, searchState, setSearchState } from './state.ts'
import {
  createSearchTables,
  dropSearchTables,
  findIndexable,
  fullTable,
  type Indexable,
  indexedColumns,
  indexNote,
  indexTagName,
  searchTables,
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

/** Notes whose entries wait to be brought up to date. */
const outdatedNotes = (workspace: number) => `SELECT note FROM search_pending WHERE workspace = ${workspace}`

/** The columns of every active note of a workspace whose entries are up to date. */
function* expectedNotes(reader: Reader, workspace: number) {
  for (const note of indexables(reader, workspace, `AND pk NOT IN (${outdatedNotes(workspace)})`))
    yield { pk: note.pk, columns: indexedColumns(note) }
}

/** The same without the body, which is not read. */
function* expectedTitles({ sql }: Reader, workspace: number) {
  const notes = scanByPk((after) =>
    sql.all<Indexable>(
      `SELECT pk, title, '' AS content, (SELECT json_group_array(nt.tag) FROM note_tags nt WHERE nt.note = pk) AS tags
       FROM notes WHERE workspace = ? AND deleted_at IS NULL AND pk > ?
         AND pk NOT IN (${outdatedNotes(workspace)}) ORDER BY pk LIMIT ?`,
      workspace,
      after,
      BATCH_SIZE,
    ),
  )
  for (const note of notes) {
    const { title, tags } = indexedColumns(note)
    yield { pk: note.pk, columns: { title, tags } }
  }
}

function* expectedTags(reader: Reader, workspace: number) {
  for (const { id, name } of tagsOf(reader, workspace)) yield { pk: id, columns: { name: indexedText(name) } }
}

/** While tables are being filled, some names of tags are missing. */
const checksOf = (reader: Reader, workspace: number, isFilled: boolean): SearchTableCheck[] => {
  const outdated = outdatedNotes(workspace)
  const notes = [
    { table: fullTable(workspace), expected: expectedNotes(reader, workspace), outdated, hasCounts: true },
    { table: titleTable(workspace), expected: expectedTitles(reader, workspace), outdated, hasCounts: true },
  ]
  if (!isFilled) return notes
  const tags = {
    table: tagTable(workspace),
    expected: expectedTags(reader, workspace),
    outdated: 'SELECT 0 WHERE 0',
    hasCounts: true,
  }
  return [...notes, tags]
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
