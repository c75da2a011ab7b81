import { columnsOf, insertRow } from '../db/crud.ts'
import type { Reader } from '../db/reader.ts'
import { type keys, type Role, users, workspaces } from '../db/schema/account.ts'
import type { Tx } from '../db/writes/transaction.ts'

export type WorkspaceRow = typeof workspaces.$inferSelect
export type UserRow = typeof users.$inferSelect
export type KeyRow = typeof keys.$inferSelect

const WORKSPACE = `SELECT ${columnsOf(workspaces)} FROM workspaces`

export const listWorkspaces = ({ sql }: Reader): WorkspaceRow[] => sql.all(`${WORKSPACE} ORDER BY pk`)

export const findWorkspace = ({ sql }: Reader, pk: number): WorkspaceRow | undefined =>
  sql.get(`${WORKSPACE} WHERE pk = ?`, pk)

type NewRow = Pick<WorkspaceRow, 'id' | 'name' | 'nameFold' | 'createdAt'>

export const insertWorkspace = (reader: Reader, row: NewRow): WorkspaceRow => ({
  ...row,
  pk: insertRow(reader, workspaces, row),
  liveNotes: 0,
  trashedNotes: 0,
  notesInOrder: 1,
})

const USER = `SELECT ${columnsOf(users)} FROM users`

export const listUserRows = ({ sql }: Reader): UserRow[] => sql.all(`${USER} ORDER BY pk`)

export const findUserByPk = ({ sql }: Reader, pk: number): UserRow | undefined =>
  sql.get(`${USER} WHERE pk = ?`, pk)

export const insertUser = (reader: Reader, row: NewRow): UserRow => ({
  ...row,
  pk: insertRow(reader, users, row),
  passwordHash: null,
  usedLink: 0,
})

export const deleteUser = (reader: Reader, pk: number) => reader.sql.run('DELETE FROM users WHERE pk = ?', pk)

/** Sets the password, or with null takes it away; voids the user's setup link. */
export function setPasswordHash(reader: Reader, pk: number, hash: string | null): void {
  reader.sql.run('UPDATE users SET password_hash = ? WHERE pk = ?', hash, pk)
  voidSetupLinks(reader, pk)
}

/** Whether a user owns every workspace that another user belongs to, and so may sign in as that one with a setup link. */
export const ownsWorkspacesOf = ({ sql }: Reader, owner: number, user: number): boolean =>
  sql.get(
    `SELECT 1 FROM members m WHERE m.user = ? AND NOT EXISTS
       (SELECT 1 FROM members o WHERE o.workspace = m.workspace AND o.user = ? AND o.role = 'owner')`,
    user,
    owner,
  ) === undefined

/** After a change of a user's memberships, role or password: voids their setup link, and links that they may make no more. */
function voidSetupLinks(reader: Reader, pk: number): void {
  const links = reader.sql.all<{ user: number }>(
    'SELECT user FROM setup_links WHERE user = ?1 OR maker = ?1',
    pk,
  )
  for (const { user } of links)
    if (user === pk || !ownsWorkspacesOf(reader, pk, user))
      reader.sql.run('DELETE FROM setup_links WHERE user = ?', user)
}

interface Membership {
  readonly userPk: number
  readonly workspacePk: number
  /** The name of the workspace. */
  readonly workspace: string
  readonly role: Role
}

/** Of all users. */
export const listMemberships = ({ sql }: Reader): Membership[] =>
  sql.all(
    `SELECT m.user AS userPk, m.workspace AS workspacePk, w.name AS workspace, m.role
     FROM members m JOIN workspaces w ON w.pk = m.workspace ORDER BY m.workspace`,
  )

/** A workspace and the role of a user in it. */
export interface MembershipRow {
  readonly workspacePk: number
  readonly workspaceId: string
  readonly name: string
  readonly role: Role
}

/** The workspaces of a user, oldest first. */
export const listMembershipsOf = ({ sql }: Reader, userPk: number): MembershipRow[] =>
  sql.all(
    `SELECT m.workspace AS workspacePk, w.id AS workspaceId, w.name, m.role
     FROM members m JOIN workspaces w ON w.pk = m.workspace WHERE m.user = ? ORDER BY m.workspace`,
    userPk,
  )

/** Adds a member, or changes the role of an existing one. */
export function setMember(reader: Reader, workspace: number, user: number, role: Role): void {
  reader.sql.run(
    'INSERT INTO members (workspace, user, role) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET role = excluded.role',
    workspace,
    user,
    role,
  )
  voidSetupLinks(reader, user)
}

/** Removes a member with the keys and sessions that they have in the workspace: they begin anew when added again. */
export function deleteMember(tx: Tx, workspace: number, user: number): void {
  const { sql, now } = tx
  sql.run('DELETE FROM members WHERE workspace = ? AND user = ?', workspace, user)
  sql.run(
    'UPDATE keys SET revoked_at = ? WHERE workspace = ? AND user = ? AND revoked_at IS NULL',
    now,
    workspace,
    user,
  )
  sql.run('DELETE FROM sessions WHERE workspace = ? AND user = ?', workspace, user)
  voidSetupLinks(tx, user)
}

/** Ends the sessions of a user, but for the one that is kept, if any. */
export const endSessionsOf = (reader: Reader, user: number, keptId?: string) =>
  reader.sql.run('DELETE FROM sessions WHERE user = ? AND id IS NOT ?', user, keptId ?? null)
