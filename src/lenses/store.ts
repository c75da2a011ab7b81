import type { Reader } from '../db/reader.ts'

export interface LensRow {
  pk: number
  id: string
  name: string
  /** A filter tree as JSON. */
  scope: string | null
  /** `LensSettings` as JSON. */
  settings: string
  isDefault: number
  createdAt: number
  updatedAt: number
}

/** What a caller decides of a lens. */
export type LensColumns = Pick<LensRow, 'name' | 'scope' | 'settings' | 'isDefault'>

const COLUMNS =
  'pk, id, name, scope, settings, is_default AS isDefault, created_at AS createdAt, updated_at AS updatedAt'

/** Lenses by creation. */
export const listLensRows = ({ sql }: Reader, workspace: number): LensRow[] =>
  sql.all(`SELECT ${COLUMNS} FROM lenses WHERE workspace = ? ORDER BY pk`, workspace)

export const findLens = ({ sql }: Reader, workspace: number, id: string): LensRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM lenses WHERE id = ? AND workspace = ?`, id, workspace)

export const findDefaultLens = ({ sql }: Reader, workspace: number): LensRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM lenses WHERE workspace = ? AND is_default = 1`, workspace)

/** The lens made next after this one, else the first of the others. */
export const findNextLens = ({ sql }: Reader, workspace: number, pk: number): LensRow | undefined =>
  sql.get(
    `SELECT ${COLUMNS} FROM lenses WHERE workspace = ? AND pk <> ? ORDER BY pk < ?, pk LIMIT 1`,
    workspace,
    pk,
    pk,
  )

export const countLenses = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT count(*) FROM lenses WHERE workspace = ?', workspace)

export const insertLens = (
  { sql }: Reader,
  row: LensColumns & { id: string; workspace: number; now: number },
) =>
  sql.run(
    `INSERT INTO lenses (id, workspace, name, scope, settings, is_default, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace,
    row.name,
    row.scope,
    row.settings,
    row.isDefault,
    row.now,
    row.now,
  )

/** Moves `updated_at` strictly. */
export const updateLens = ({ sql }: Reader, pk: number, row: LensColumns & { now: number }) =>
  sql.run(
    `UPDATE lenses SET name = ?, scope = ?, settings = ?, is_default = ?, updated_at = max(?, updated_at + 1)
     WHERE pk = ?`,
    row.name,
    row.scope,
    row.settings,
    row.isDefault,
    row.now,
    pk,
  )

/** Leaves the workspace without a default lens, for another to become it. */
export const clearDefault = ({ sql }: Reader, workspace: number, now: number) =>
  sql.run(
    `UPDATE lenses SET is_default = 0, updated_at = max(?, updated_at + 1)
     WHERE workspace = ? AND is_default = 1`,
    now,
    workspace,
  )

export const deleteLensRow = ({ sql }: Reader, pk: number) => sql.run('DELETE FROM lenses WHERE pk = ?', pk)
