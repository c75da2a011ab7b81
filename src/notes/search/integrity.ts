import type { Db } from '../../db/database.ts'
import type { IntegrityCheck } from '../../db/integrity.ts'
import { listWorkspacePks } from '../../db/integrity.ts'
import type { Reader } from '../../db/reader.ts'
import { scanByPk } from '../../db/scan-by-pk.ts'
import { createExpected, expectedName, hasTable, searchTableFaults } from '../../search/tables.ts'
import { indexedText } from '../../search/tokenizer.ts'
import { findIndexable, indexedColumns, indexNote } from './entries.ts'
import { indexAllPending, indexTagName, isPending } from './indexing.ts'
import {
  createSearchTables,
  dropSearchTables,
  fullTable,
  searchTables,
  tagTable,
  titleTable,
} from './tables.ts'

const BATCH_SIZE = 200

/** What is indexed of every active note of a workspace. */
function* indexables(reader: Reader, workspace: number) {
  const notes = scanByPk((after) =>
    reader.sql.all<{ pk: number }>(
      'SELECT pk FROM notes WHERE workspace = ? AND deleted_at IS NULL AND pk > ? ORDER BY pk LIMIT ?',
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
    'SELECT id, name FROM tags WHERE workspace = ? AND is_removed = 0',
    workspace,
  )

/** Creates a temporary table for each search table of the workspace, with what that one should contain. */
function fillExpected(reader: Reader, workspace: number): void {
  const { sql } = reader
  for (const { name, definition } of searchTables(workspace)) createExpected(reader, name, definition)
  const [full, titles] = [expectedName(fullTable(workspace)), expectedName(titleTable(workspace))]
  for (const note of indexables(reader, workspace)) {
    const { title, body, tags } = indexedColumns(note)
    sql.run(
      `INSERT INTO temp.${full} (rowid, title, body, tags) VALUES (?, ?, ?, ?)`,
      note.pk,
      title,
      body,
      tags,
    )
    sql.run(`INSERT INTO temp.${titles} (rowid, title, tags) VALUES (?, ?, ?)`, note.pk, title, tags)
  }
  const names = expectedName(tagTable(workspace))
  for (const { id, name } of tagsOf(reader, workspace)) {
    sql.run(`INSERT INTO temp.${names} (rowid, name) VALUES (?, ?)`, id, indexedText(name))
  }
}

/** The names of the search tables that the workspace lacks. */
const missingTables = (reader: Reader, workspace: number): string[] =>
  searchTables(workspace)
    .map(({ name }) => name)
    .filter((name) => !hasTable(reader, name))

/** The search tables contain exactly the words of the active notes and of the tags. */
export const searchCheck: IntegrityCheck = {
  settle: async (db: Db) => {
    for (const workspace of listWorkspacePks(db)) {
      if (missingTables(db, workspace).length === 0) await indexAllPending({ db }, workspace)
    }
  },
  isSettled: (reader) =>
    listWorkspacePks(reader).every(
      (workspace) => !isPending(reader, workspace) || missingTables(reader, workspace).length > 0,
    ),
  *faults(reader) {
    for (const workspace of listWorkspacePks(reader)) {
      const missing = missingTables(reader, workspace)
      for (const name of missing) yield `The search table ${name} is missing.`
      if (missing.length > 0) continue
      fillExpected(reader, workspace)
      for (const { name } of searchTables(workspace)) yield* searchTableFaults(reader, name)
    }
  },
  repair: (tx) => {
    for (const workspace of listWorkspacePks(tx)) {
      dropSearchTables(tx, workspace)
      createSearchTables(tx, workspace)
      for (const note of indexables(tx, workspace)) indexNote(tx, workspace, note)
      for (const { id, name } of tagsOf(tx, workspace)) indexTagName(tx, workspace, id, name)
    }
    tx.sql.run('DELETE FROM search_pending')
  },
}
