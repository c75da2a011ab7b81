import type { Tx } from '../db/writes/transaction.ts'
import { newSecret } from '../delivery/sign.ts'
import { getState } from './status.ts'

/**
 * Makes a copy an ordinary database: its keys may write, and its subscriptions, which stay disabled, get secrets of
 * their own. Returns the address of what was the remote.
 */
export function detach(tx: Tx, file: string): string {
  const { remote } = getState(tx, file)
  const { sql } = tx
  sql.run("UPDATE keys SET scope = 'write'")
  for (const pk of sql.column<number>("SELECT pk FROM webhooks WHERE secret = ''"))
    sql.run('UPDATE webhooks SET secret = ?, headers = NULL WHERE pk = ?', newSecret(), pk)
  sql.run('DELETE FROM mirrors')
  sql.run('DELETE FROM mirror_events')
  return remote
}
