import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { UNFINISHED } from './store.ts'

/*
 * One process reads the text of a file: it claims the file, and what it finds counts only while the claim is its own.
 * A claim keeps nobody out, so that nothing waits for a process that died. A server never claims what it is reading
 * already, and a command claims only what it added itself, while no server runs; one that starts takes the file over.
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

const WAITING = `status = 'processing' AND ${UNFINISHED}`

/** The files whose text is to be read, oldest first. */
export const listWaiting = ({ sql }: Reader): number[] =>
  sql.column(`SELECT pk FROM files WHERE ${WAITING} ORDER BY pk`)

/** Begins an attempt; answers nothing when the file is not there any more, or read already. */
export function claimFile(tx: Tx, file: number): Claim | undefined {
  const token = tx.newId()
  const { changes } = tx.sql.run(
    `UPDATE files SET claim = ?, attempts = attempts + 1 WHERE pk = ? AND ${WAITING}`,
    token,
    file,
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
    `UPDATE files SET status = ?, pages = ?, error = ?, outline = ?, claim = NULL,
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
