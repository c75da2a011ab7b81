import type { Check } from '../../db/check.ts'
import type { Db } from '../../db/database.ts'
import type { Reader } from '../../db/reader.ts'
import {
  findIndexable,
  indexedColumns,
  indexNote,
  indexTagName,
  isPending,
  refreshSearch,
} from './pending.ts'
import {
  createSearchTables,
  dropSearchTables,
  fullTable,
  headTable,
  searchTables,
  tagTable,
} from './tables.ts'
import { indexedText } from './words.ts'

const allWorkspaces = ({ sql }: Reader) => sql.column<number>('SELECT pk FROM workspaces ORDER BY pk')

const NOTES_AT_ONCE = 200

/** Every active note of a workspace as it is indexed. */
function* indexables(reader: Reader, workspace: number) {
  let after = 0
  for (;;) {
    const pks = reader.sql.column<number>(
      'SELECT pk FROM notes WHERE workspace = ? AND deleted_at IS NULL AND pk > ? ORDER BY pk LIMIT ?',
      workspace,
      after,
      NOTES_AT_ONCE,
    )
    for (const pk of pks) {
      const note = findIndexable(reader, pk)
      if (note) yield note
    }
    const last = pks.at(-1)
    if (last === undefined) return
    after = last
  }
}

const tagsOf = ({ sql }: Reader, workspace: number) =>
  sql.all<{ id: number; name: string }>('SELECT id, name FROM tags WHERE workspace = ?', workspace)

/** How much is indexed in memory before it is written: much in one go takes half the time. */
const BYTES_AT_ONCE = 67_108_864

const expectedName = (table: string) => `expected_${table}`

/** Makes the temporary table that is to hold what a search table should hold; answers its name. */
export function makeExpected({ sql }: Reader, table: string, definition: string): string {
  const expected = expectedName(table)
  sql.script(`CREATE VIRTUAL TABLE temp.${expected} USING fts5(${definition})`)
  sql.script(`INSERT INTO temp.${expected} (${expected}, rank) VALUES ('hashsize', ${BYTES_AT_ONCE})`)
  return expected
}

/** Makes beside each search table of the workspace a temporary one that holds what it should hold. */
function fillExpected(reader: Reader, workspace: number): void {
  const { sql } = reader
  for (const { name, definition } of searchTables(workspace)) makeExpected(reader, name, definition)
  const [full, head] = [expectedName(fullTable(workspace)), expectedName(headTable(workspace))]
  for (const note of indexables(reader, workspace)) {
    const { title, body, tags } = indexedColumns(note)
    sql.run(
      `INSERT INTO temp.${full} (rowid, title, body, tags) VALUES (?, ?, ?, ?)`,
      note.pk,
      title,
      body,
      tags,
    )
    sql.run(`INSERT INTO temp.${head} (rowid, title, tags) VALUES (?, ?, ?)`, note.pk, title, tags)
  }
  const names = expectedName(tagTable(workspace))
  for (const { id, name } of tagsOf(reader, workspace)) {
    sql.run(`INSERT INTO temp.${names} (rowid, name) VALUES (?, ?)`, id, indexedText(name))
  }
}

/** The search tables that the workspace should have and has not. */
function missingTables({ sql }: Reader, workspace: number): string[] {
  const found = new Set(sql.column<string>("SELECT name FROM main.sqlite_schema WHERE type = 'table'"))
  return searchTables(workspace)
    .map(({ name }) => name)
    .filter((name) => !found.has(name))
}

/**
 * Compares a table with the temporary one: which entries there are, how many words each column of each has,
 * and in how many entries and how often each word stands in each column.
 */
export function* differences({ sql }: Reader, table: string): Generator<string> {
  const expected = expectedName(table)
  const entries = sql.all<{ id: number; isExpected: number }>(
    `SELECT id, 1 AS isExpected FROM (SELECT id, sz FROM temp.${expected}_docsize EXCEPT SELECT id, sz FROM main.${table}_docsize)
     UNION SELECT id, 0 FROM (SELECT id, sz FROM main.${table}_docsize EXCEPT SELECT id, sz FROM temp.${expected}_docsize)`,
  )
  for (const id of new Set(entries.map((entry) => entry.id))) {
    const sides = entries.filter((entry) => entry.id === id)
    const what =
      sides.length === 2 ? 'does not match its text' : sides[0]?.isExpected ? 'is missing' : 'is left over'
    yield `The entry ${id} of the search table ${table} ${what}.`
  }
  if (entries.length === 0 && hasOtherWords({ sql }, table, expected)) {
    yield `The search table ${table} holds other words than the texts.`
  }
}

function hasOtherWords({ sql }: Pick<Reader, 'sql'>, table: string, expected: string): boolean {
  sql.script(`CREATE VIRTUAL TABLE temp.${table}_words USING fts5vocab(main, ${table}, col)`)
  sql.script(`CREATE VIRTUAL TABLE temp.${expected}_words USING fts5vocab(temp, ${expected}, col)`)
  const [left, right] = [`SELECT * FROM temp.${table}_words`, `SELECT * FROM temp.${expected}_words`]
  const differs = (one: string, other: string) => sql.get(`${one} EXCEPT ${other} LIMIT 1`) !== undefined
  return differs(left, right) || differs(right, left)
}

/** The search tables hold exactly the words of the active notes and of the tags. */
export const searchCheck: Check = {
  settle: async (db: Db) => {
    for (const workspace of allWorkspaces(db)) {
      if (missingTables(db, workspace).length === 0) await refreshSearch({ db }, workspace)
    }
  },
  isSettled: (reader) =>
    allWorkspaces(reader).every(
      (workspace) => !isPending(reader, workspace) || missingTables(reader, workspace).length > 0,
    ),
  *faults(reader) {
    for (const workspace of allWorkspaces(reader)) {
      const missing = missingTables(reader, workspace)
      for (const name of missing) yield `The search table ${name} is missing.`
      if (missing.length > 0) continue
      fillExpected(reader, workspace)
      for (const { name } of searchTables(workspace)) yield* differences(reader, name)
    }
  },
  repair: (tx) => {
    for (const workspace of allWorkspaces(tx)) {
      dropSearchTables(tx, workspace)
      createSearchTables(tx, workspace)
      for (const note of indexables(tx, workspace)) indexNote(tx, workspace, note)
      for (const { id, name } of tagsOf(tx, workspace)) indexTagName(tx, workspace, id, name)
    }
    tx.sql.run('DELETE FROM search_pending')
  },
}
