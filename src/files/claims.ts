import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/write-queue.ts'

/*
 * One process reads the text of a file: it claims the file, and what it finds counts only while the claim is its own.
 * A server's claim keeps nobody out, because there is only one server and it knows what it does; a command's claim
 * keeps others out for as long as reading may take.
 */

/** A file whose text its holder reads. */
export interface Claim {
  readonly file: number
  readonly workspace: number
  readonly fileName: string
  /** Of this attempt alone. */
  readonly token: string
  /** How many attempts there were, with this one. */
  readonly attempts: number
}

const WAITING = `status = 'processing' AND status NOT IN ('ready', 'failed')`

/** The files whose text is to be read and which no command reads, oldest first. */
export const listWaiting = ({ sql }: Reader, now: number): number[] =>
  sql.column(`SELECT pk FROM files WHERE ${WAITING} AND coalesce(claimed_until, 0) <= ? ORDER BY pk`, now)

/** Begins an attempt, unless the file is not there any more or another holds it. `forMs` is 0 for a server. */
export function claimFile(tx: Tx, file: number, forMs: number): Claim | undefined {
  const token = tx.newId()
  const { changes } = tx.sql.run(
    `UPDATE files SET claim = ?, claimed_until = ?, attempts = attempts + 1
     WHERE pk = ? AND ${WAITING} AND coalesce(claimed_until, 0) <= ?`,
    token,
    tx.now + forMs,
    file,
    tx.now,
  )
  if (changes === 0) return undefined
  return tx.sql.get<Claim>(
    'SELECT pk AS file, workspace, file_name AS fileName, claim AS token, attempts FROM files WHERE pk = ?',
    file,
  )
}

export const isHeld = ({ sql }: Reader, { file, token }: Claim): boolean =>
  sql.get(`SELECT 1 FROM files WHERE pk = ? AND claim = ? AND ${WAITING}`, file, token) !== undefined

/** Ends the attempt with what came of it; does nothing when the claim is not held any more. */
export const settleClaim = (
  { sql, now }: Tx,
  { file, token }: Claim,
  outcome: { status: 'ready' | 'failed'; pages: number | null; error: string | null; outline: string | null },
) =>
  sql.run(
    `UPDATE files SET status = ?, pages = ?, error = ?, outline = ?, claim = NULL, claimed_until = NULL,
       updated_at = max(?, updated_at + 1)
     WHERE pk = ? AND claim = ? AND ${WAITING}`,
    outcome.status,
    outcome.pages,
    outcome.error,
    outcome.outline,
    now,
    file,
    token,
  )
