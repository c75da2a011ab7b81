import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { hasTable, WORD_OPTIONS } from '../search/tables.ts'
import { indexedText } from '../search/tokenizer.ts'
import { deletePage, somePages } from './store.ts'

/** The full-text table over the pages of one workspace's files; its row ids are the keys of pages. */
export const pageTable = (workspacePk: number): string => `file_search_${workspacePk}`

/** What it is made of. */
export const PAGE_TABLE = `text, ${WORD_OPTIONS}`

/** Made with the first text that is read in the workspace. */
export const ensurePageTable = ({ sql }: Reader, workspacePk: number): void =>
  sql.script(`CREATE VIRTUAL TABLE IF NOT EXISTS ${pageTable(workspacePk)} USING fts5(${PAGE_TABLE})`)

export const hasPageTable = (reader: Reader, workspacePk: number): boolean =>
  hasTable(reader, pageTable(workspacePk))

export const indexPage = ({ sql }: Tx, workspacePk: number, place: number, text: string) =>
  sql.run(`INSERT INTO ${pageTable(workspacePk)} (rowid, text) VALUES (?, ?)`, place, indexedText(text))

/** Removes at most so many pages of a file, from the search too; answers how many. */
export function removeSomePages(tx: Tx, workspacePk: number, file: number, most: number): number {
  const places = somePages(tx, file, most)
  const isIndexed = hasPageTable(tx, workspacePk)
  for (const place of places) {
    if (isIndexed) tx.sql.run(`DELETE FROM ${pageTable(workspacePk)} WHERE rowid = ?`, place)
    deletePage(tx, place)
  }
  return places.length
}
