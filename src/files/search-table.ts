import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/write-queue.ts'
import { indexedText } from '../notes/search/words.ts'
import { deletePage, somePages } from './store.ts'

/** The full-text table over the pages of one workspace's files; its row ids are the keys of pages. */
export const pageTable = (workspacePk: number): string => `file_search_${workspacePk}`

/** Words are folded and segmented before they come here, as for notes (`notes/search/tables.ts`). */
export const PAGE_TABLE = `text, tokenize = 'ascii', content = '', contentless_delete = 1`

/** Made with the first text that is read in the workspace. */
export const ensurePageTable = ({ sql }: Reader, workspacePk: number): void =>
  sql.script(`CREATE VIRTUAL TABLE IF NOT EXISTS ${pageTable(workspacePk)} USING fts5(${PAGE_TABLE})`)

export const hasPageTable = ({ sql }: Reader, workspacePk: number): boolean =>
  sql.get(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`, pageTable(workspacePk)) !==
  undefined

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
