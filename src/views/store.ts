import { type ChangeAuthor, logLostDefault } from '../changes/log.ts'
import { clearDefault, columnsOf, countRows, deleteRow, insertRow, updateRow } from '../db/crud.ts'
import type { Reader } from '../db/reader.ts'
import { views } from '../db/schema/views.ts'
import type { Tx } from '../db/writes/transaction.ts'

export type ViewRow = typeof views.$inferSelect

/** What a caller decides of a view. */
export type ViewColumns = Omit<ViewRow, 'pk' | 'id' | 'workspace' | 'createdAt' | 'updatedAt'>

const SELECT = `SELECT ${columnsOf(views)} FROM views`

/** Views by creation. */
export const listViewRows = ({ sql }: Reader, workspace: number): ViewRow[] =>
  sql.all(`${SELECT} WHERE workspace = ? ORDER BY pk`, workspace)

/** The ids of the views of a workspace by creation. */
export const listViewIds = ({ sql }: Reader, workspace: number): string[] =>
  sql.column('SELECT id FROM views WHERE workspace = ? ORDER BY pk', workspace)

/** The names of the views of a workspace, by creation. */
export const listViewNames = ({ sql }: Reader, workspace: number): Pick<ViewRow, 'id' | 'name'>[] =>
  sql.all('SELECT id, name FROM views WHERE workspace = ? ORDER BY pk', workspace)

export const findView = ({ sql }: Reader, workspace: number, id: string): ViewRow | undefined =>
  sql.get(`${SELECT} WHERE id = ? AND workspace = ?`, id, workspace)

export const countViews = (reader: Reader, workspace: number) => countRows(reader, views, workspace)

export const insertView = (tx: Tx, row: ViewColumns & { id: string; workspace: number }) =>
  insertRow(tx, views, { ...row, createdAt: tx.now, updatedAt: tx.now })

export const updateView = (tx: Tx, pk: number, columns: ViewColumns) =>
  updateRow(tx, views, pk, columns, tx.now)

/** Leaves the workspace without a default view. */
export const clearDefaultView = (tx: Tx, author: ChangeAuthor): void =>
  logLostDefault(tx, author, 'view', clearDefault(tx, views, author.workspacePk, tx.now))

export const deleteViewRow = (tx: Tx, pk: number) => deleteRow(tx, views, pk)
