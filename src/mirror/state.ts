import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import type { Selection } from './selection.ts'

/** What a copy knows of its remote. */
export interface MirrorState {
  readonly workspace: number
  readonly remote: string
  readonly selection: Selection
  readonly cursor: string
  readonly delayMs: number
  readonly lastContactAt: number
}

interface Row extends Omit<MirrorState, 'selection'> {
  readonly selection: string
}

/** Undefined for a database that is no copy. */
export function findState({ sql }: Reader): MirrorState | undefined {
  const row = sql.get<Row>(
    `SELECT workspace, remote, selection, cursor, delay_ms AS delayMs, last_contact_at AS lastContactAt
     FROM mirrors`,
  )
  return row && { ...row, selection: JSON.parse(row.selection) as Selection }
}

export const insertState = (
  { sql }: Tx,
  { workspace, remote, selection, cursor, delayMs, lastContactAt }: MirrorState,
) =>
  sql.run(
    `INSERT INTO mirrors (workspace, remote, selection, cursor, delay_ms, last_contact_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    workspace,
    remote,
    JSON.stringify(selection),
    cursor,
    delayMs,
    lastContactAt,
  )

/** How far the copy is; stored in the transaction that brings it there. */
export interface Progress {
  readonly cursor: string
  readonly delayMs: number
  readonly lastContactAt: number
  /** Undefined where it is as it was. */
  readonly selection?: Selection
}

export const saveProgress = ({ sql }: Reader, { cursor, delayMs, lastContactAt, selection }: Progress) =>
  sql.run(
    `UPDATE mirrors SET cursor = ?, delay_ms = ?, last_contact_at = ?,
       selection = coalesce(?, selection)`,
    cursor,
    delayMs,
    lastContactAt,
    selection ? JSON.stringify(selection) : null,
  )
