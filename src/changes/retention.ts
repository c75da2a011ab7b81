import type { Tx } from '../db/writes/transaction.ts'
import { keyOf } from './entries.ts'
import { lastChange } from './log.ts'

/** Removes up to `limit` of the oldest changes, made before an instant; returns how many. */
export function removeChangesBefore(tx: Tx, before: number, limit: number): number {
  let removed = 0
  for (const workspace of tx.sql.column<number>('SELECT pk FROM workspaces'))
    removed += removeIn(tx, workspace, before, limit - removed)
  return removed
}

/** Only from the beginning of the log, and never its last change, from whose number the next one is counted. */
function removeIn(tx: Tx, workspace: number, before: number, limit: number): number {
  const oldest = tx.sql.rows<[key: number, at: number]>(
    'SELECT key, at FROM changes WHERE key > ? AND key < ? ORDER BY key LIMIT ?',
    keyOf(workspace, 0),
    keyOf(workspace, lastChange(tx, workspace)),
    limit,
  )
  const end = oldest.findIndex(([, at]) => at >= before)
  const removed = end === -1 ? oldest : oldest.slice(0, end)
  const last = removed.at(-1)
  if (last) {
    tx.sql.run('DELETE FROM private_changes WHERE last BETWEEN ? AND ?', keyOf(workspace, 0), last[0])
    for (const table of ['changes', 'change_undos'])
      tx.sql.run(`DELETE FROM ${table} WHERE key > ? AND key <= ?`, keyOf(workspace, 0), last[0])
  }
  return removed.length
}
