import { type ChangeAuthor, logLostDefault } from '../changes/log.ts'
import { clearDefault, columnsOf, countRows, deleteRow, insertRow, updateRow } from '../db/crud.ts'
import type { Reader } from '../db/reader.ts'
import { lenses } from '../db/schema/lenses.ts'
import type { Tx } from '../db/writes/transaction.ts'

export type LensRow = typeof lenses.$inferSelect

/** What a caller decides of a lens. */
export type LensColumns = Pick<LensRow, 'name' | 'scope' | 'settings' | 'isDefault'>

const SELECT = `SELECT ${columnsOf(lenses)} FROM lenses`

/** Lenses by creation. */
export const listLensRows = ({ sql }: Reader, workspace: number): LensRow[] =>
  sql.all(`${SELECT} WHERE workspace = ? ORDER BY pk`, workspace)

/** The ids of the lenses of a workspace by creation. */
export const listLensIds = ({ sql }: Reader, workspace: number): string[] =>
  sql.column('SELECT id FROM lenses WHERE workspace = ? ORDER BY pk', workspace)

export const findLens = ({ sql }: Reader, workspace: number, id: string): LensRow | undefined =>
  sql.get(`${SELECT} WHERE id = ? AND workspace = ?`, id, workspace)

/** Undefined only while the workspace has no lens. */
export const findDefaultLens = ({ sql }: Reader, workspace: number): LensRow | undefined =>
  sql.get(`${SELECT} WHERE workspace = ? AND is_default = 1`, workspace)

/** The lens made next after this one, else the first of the others. */
export const findNextLens = ({ sql }: Reader, workspace: number, pk: number): LensRow | undefined =>
  sql.get(`${SELECT} WHERE workspace = ? AND pk <> ? ORDER BY pk < ?, pk LIMIT 1`, workspace, pk, pk)

export const countLenses = (reader: Reader, workspace: number) => countRows(reader, lenses, workspace)

export const insertLens = (tx: Tx, row: LensColumns & { id: string; workspace: number }) =>
  insertRow(tx, lenses, { ...row, createdAt: tx.now, updatedAt: tx.now })

export const updateLens = (tx: Tx, pk: number, columns: Partial<LensColumns>) =>
  updateRow(tx, lenses, pk, columns, tx.now)

/** Leaves the workspace without a default lens, for another to become it. */
export const clearDefaultLens = (tx: Tx, author: ChangeAuthor): void =>
  logLostDefault(tx, author, 'lens', clearDefault(tx, lenses, author.workspacePk, tx.now))

export const deleteLensRow = (tx: Tx, pk: number) => deleteRow(tx, lenses, pk)
