import { defineJob } from '../kernel/jobs.ts'
import { indexedText } from '../lib/words.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { hasPageTable, pageTable } from './search.ts'
import { fileOfKey } from './store.ts'

const PAGES_AT_ONCE = 50

/** Indexes again, after an upgrade, the pages whose words an earlier program split differently. */
export const pageIndexing = defineJob<number, number>('files.index', (tx, _, after) => {
  const pages = tx.sql.all<{ pk: number; text: string }>(
    `SELECT pk, text FROM file_pages WHERE pk > ? ORDER BY pk LIMIT ${PAGES_AT_ONCE}`,
    after,
  )
  for (const { pk, text } of pages) {
    const indexed = indexedText(text)
    if (indexed !== text) replaceEntry(tx, pk, indexed)
  }
  return pages.at(-1)?.pk ?? 'done'
})

/** Pages without an entry belong to files that are not searched yet. */
function replaceEntry(tx: Tx, key: number, indexed: string): void {
  const [workspace] = tx.sql.column<number>('SELECT workspace FROM files WHERE pk = ?', fileOfKey(key))
  if (workspace === undefined || !hasPageTable(tx, workspace)) return
  const table = pageTable(workspace)
  if (tx.sql.get(`SELECT 1 FROM ${table}_docsize WHERE id = ?`, key) === undefined) return
  tx.sql.run(`INSERT OR REPLACE INTO ${table} (rowid, text) VALUES (?, ?)`, key, indexed)
}
