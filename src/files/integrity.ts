import { isPending, keysOf } from '../kernel/jobs.ts'
import { indexedText } from '../lib/words.ts'
import { logUpdate, systemAuthor } from '../log/log.ts'
import { lacksFileContents, remoteOf } from '../log/mirror-guard.ts'
import { searchTableFaults } from '../search/integrity.ts'
import type { IntegrityCheck } from '../storage/integrity.ts'
import { listWorkspacePks } from '../storage/integrity.ts'
import type { Reader } from '../storage/reader.ts'
import { scanByPk } from '../storage/scan-by-pk.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { fileDetachment } from './deletion.ts'
import { presentFile } from './present.ts'
import { ensurePageTable, hasPageTable, indexPage, pageTable } from './search.ts'
import { pageIndexing } from './search-upgrade.ts'
import { fileOfKeySql, findFileByPk, keyRange, partKey } from './store.ts'

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

const isComplete = ({ status }: CheckedFile) => status !== 'arriving'

const storedBytes = ({ sql }: Reader, { pk }: CheckedFile): number =>
  sql.scalar(
    'SELECT coalesce(sum(length(bytes)), 0) FROM file_parts WHERE pk BETWEEN ? AND ?',
    ...keyRange(pk),
  )

/** Whether the pages of a ready file are not exactly 1 to its last page. */
function lacksPages({ sql }: Reader, { pk, status, pages }: CheckedFile): boolean {
  if (status !== 'ready') return false
  const count = 'SELECT count(*) FROM file_pages WHERE pk BETWEEN ? AND ?'
  const [all, wanted] = [keyRange(pk), [partKey(pk, 1), partKey(pk, pages ?? 0)]]
  return [all, wanted].some((range) => sql.scalar<number>(count, ...range) !== pages)
}

/** A job deletes the contents of deleted files. */
const IS_ORPHANED = `${fileOfKeySql('pk')} NOT IN (SELECT pk FROM files UNION ALL ${keysOf(fileDetachment)})`

const countOrphans = ({ sql }: Reader, table: string): number =>
  sql.scalar(`SELECT count(*) FROM ${table} WHERE ${IS_ORPHANED}`)

function extractMissingPagesAgain(tx: Tx): void {
  for (const file of allFiles(tx)) {
    if (!lacksPages(tx, file)) continue
    const before = findFileByPk(tx, file.pk)
    tx.sql.run(
      `UPDATE files SET status = 'processing', pages = NULL, outline = NULL, attempts = 0 WHERE pk = ?`,
      file.pk,
    )
    const after = findFileByPk(tx, file.pk)
    if (!before || !after) continue
    const object = { kind: 'file', id: file.id } as const
    logUpdate(tx, systemAuthor(file.workspace), object, presentFile(before), presentFile(after), ['note_id'])
  }
}

/** Originals and their extracted text are complete. Text can be extracted again; an original cannot be restored. */
export const fileCheck: IntegrityCheck = {
  *faults(reader) {
    const areLeftOut = lacksFileContents(reader)
    for (const file of allFiles(reader)) {
      if (!areLeftOut && isComplete(file) && storedBytes(reader, file) !== file.size)
        yield `The original of the file ${file.id} is not whole; restore it from a backup.`
      if (lacksPages(reader, file))
        yield `The text of the file ${file.id} does not have the pages that it counts.`
    }
    for (const table of ['file_parts', 'file_pages']) {
      if (countOrphans(reader, table) > 0)
        yield `The table ${table} holds something of files that do not exist.`
    }
  },
  repair: (tx) => {
    // A copy receives the text of a file from its remote, and extracts none.
    if (remoteOf(tx) === undefined) extractMissingPagesAgain(tx)
    for (const table of ['file_parts', 'file_pages']) tx.sql.run(`DELETE FROM ${table} WHERE ${IS_ORPHANED}`)
  },
}

const PAGES_PER_CHUNK = 200

/** Every page of a workspace's files, including pages of files that are not ready. */
const allPages = ({ sql }: Reader, workspace: number) =>
  scanByPk((after) =>
    sql.all<{ pk: number; text: string }>(
      `SELECT pk, text FROM file_pages WHERE pk > ? AND ${fileOfKeySql('pk')} IN (SELECT pk FROM files WHERE workspace = ?)
       ORDER BY pk LIMIT ?`,
      after,
      workspace,
      PAGES_PER_CHUNK,
    ),
  )

function* expectedPages(reader: Reader, workspace: number) {
  for (const { pk, text } of allPages(reader, workspace)) yield { pk, columns: { text: indexedText(text) } }
}

const hasPages = (reader: Reader, workspace: number): boolean =>
  allPages(reader, workspace).next().done !== true

/** The search tables of files contain exactly the words of their pages. */
export const fileSearchCheck: IntegrityCheck = {
  *faults(reader) {
    // After an upgrade, a job indexes the pages again.
    if (isPending(reader, pageIndexing, 0)) return
    for (const workspace of listWorkspacePks(reader)) {
      const table = pageTable(workspace)
      if (!hasPageTable(reader, workspace)) {
        if (hasPages(reader, workspace)) yield `The search table ${table} is missing.`
        continue
      }
      const expected = expectedPages(reader, workspace)
      yield* searchTableFaults(reader, { table, expected, outdated: 'SELECT 0 WHERE 0' })
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
