import type { Tx } from '../db/writes/transaction.ts'
import { Refusal } from '../refusal.ts'
import type { ChangeKind } from './entries.ts'
import type { ChangeAuthor } from './log.ts'
import { isWritableCopy } from './mirror-guard.ts'

const KNOWN = 'SELECT held IS NOT NULL AS isHeld FROM mirror_overlay WHERE kind = ? AND id = ?'
const KEEP = 'INSERT INTO mirror_overlay (kind, id, structure, base, remote) VALUES (?, ?, ?, ?4, ?4)'

/**
 * Called before a write changes an object: in a writable copy of a remote, what the remote has is kept at the first
 * change. `remote` returns it as JSON text, null where there is none.
 */
export function keepRemote(
  tx: Tx,
  author: ChangeAuthor,
  { kind, id, structureId = null }: { kind: ChangeKind; id: string | number; structureId?: string | null },
  remote: () => string | null,
): void {
  if (author.isCopying || !isWritableCopy(tx)) return
  const known = tx.sql.get<{ isHeld: number }>(KNOWN, kind, String(id))
  if (!known) tx.sql.run(KEEP, kind, String(id), structureId, remote())
  if (known?.isHeld === 1)
    throw new Refusal(
      'stale',
      `The ${kind} ${id} was changed here and cannot be shown so beside what the remote has; "daybook mirror diff" says why. Reset it first: "daybook mirror reset ${id}".`,
    )
}
