import type { Check } from '../db/check.ts'
import type { Reader } from '../db/reader.ts'
import { scanByPk } from '../db/scan-by-pk.ts'
import { listWorkspacePks } from '../db/workspaces.ts'
import { createExpected, expectedName, searchTableFaults } from '../search/tables.ts'
import { indexedText } from '../search/tokenizer.ts'
import { fileOfPlace, placeOf, rangeOf } from './part-keys.ts'
import { ensurePageTable, hasPageTable, indexPage, PAGE_TABLE, pageTable } from './search-table.ts'

interface CheckedFile {
  pk: number
  id: string
  workspace: number
  size: number
  status: string
  pages: number | null
}

const allFiles = ({ sql }: Reader): CheckedFile[] =>
  sql.all('SELECT pk, id, workspace, size, status, pages FROM files ORDER BY pk')

const isWhole = ({ status }: CheckedFile) => status !== 'arriving' && status !== 'removed'

const keptBytes = ({ sql }: Reader, { pk }: CheckedFile): number =>
  sql.scalar(
    'SELECT coalesce(sum(length(bytes)), 0) FROM file_parts WHERE pk BETWEEN ? AND ?',
    ...rangeOf(pk),
  )

/** Whether the text of a file that is ready is there, from page 1 to the last. */
function lacksPages({ sql }: Reader, { pk, status, pages }: CheckedFile): boolean {
  if (status !== 'ready') return false
  const count = 'SELECT count(*) FROM file_pages WHERE pk BETWEEN ? AND ?'
  const [all, wanted] = [rangeOf(pk), [placeOf(pk, 1), placeOf(pk, pages ?? 0)]]
  return [all, wanted].some((range) => sql.scalar<number>(count, ...range) !== pages)
}

const countLeftOver = ({ sql }: Reader, table: string): number =>
  sql.scalar(`SELECT count(*) FROM ${table} WHERE ${fileOfPlace('pk')} NOT IN (SELECT pk FROM files)`)

/** Originals are whole, and what is read out of them is there; text can be read anew, an original cannot. */
export const fileCheck: Check = {
  *faults(reader) {
    for (const file of allFiles(reader)) {
      if (isWhole(file) && keptBytes(reader, file) !== file.size)
        yield `The original of the file ${file.id} is not whole; restore it from a backup.`
      if (lacksPages(reader, file))
        yield `The text of the file ${file.id} does not have the pages that it counts.`
    }
    for (const table of ['file_parts', 'file_pages']) {
      if (countLeftOver(reader, table) > 0)
        yield `The table ${table} holds something of files that do not exist.`
    }
  },
  repair: (tx) => {
    for (const file of allFiles(tx)) {
      if (!lacksPages(tx, file)) continue
      tx.sql.run(
        `UPDATE files SET status = 'processing', pages = NULL, outline = NULL, attempts = 0 WHERE pk = ?`,
        file.pk,
      )
    }
    for (const table of ['file_parts', 'file_pages'])
      tx.sql.run(`DELETE FROM ${table} WHERE ${fileOfPlace('pk')} NOT IN (SELECT pk FROM files)`)
  },
}

const PAGES_AT_ONCE = 200

/** Every page of a workspace's files, also of those whose text is still being written. */
const allPages = ({ sql }: Reader, workspace: number) =>
  scanByPk((after) =>
    sql.all<{ pk: number; text: string }>(
      `SELECT pk, text FROM file_pages WHERE pk > ? AND ${fileOfPlace('pk')} IN (SELECT pk FROM files WHERE workspace = ?)
       ORDER BY pk LIMIT ?`,
      after,
      workspace,
      PAGES_AT_ONCE,
    ),
  )

const hasPages = (reader: Reader, workspace: number): boolean =>
  allPages(reader, workspace).next().done !== true

/** The search tables of files hold exactly the words of their pages. */
export const fileSearchCheck: Check = {
  *faults(reader) {
    for (const workspace of listWorkspacePks(reader)) {
      const table = pageTable(workspace)
      if (!hasPageTable(reader, workspace)) {
        if (hasPages(reader, workspace)) yield `The search table ${table} is missing.`
        continue
      }
      createExpected(reader, table, PAGE_TABLE)
      const insert = `INSERT INTO temp.${expectedName(table)} (rowid, text) VALUES (?, ?)`
      for (const { pk, text } of allPages(reader, workspace)) reader.sql.run(insert, pk, indexedText(text))
      yield* searchTableFaults(reader, table)
    }
  },
  repair: (tx) => {
    for (const workspace of listWorkspacePks(tx)) {
      tx.sql.script(`DROP TABLE IF EXISTS ${pageTable(workspace)}`)
      if (hasPages(tx, workspace)) ensurePageTable(tx, workspace)
      for (const { pk, text } of allPages(tx, workspace)) indexPage(tx, workspace, pk, text)
    }
  },
}
