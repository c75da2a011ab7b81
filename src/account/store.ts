import { columnsOf, insertRow } from '../db/crud.ts'
import type { Reader } from '../db/reader.ts'
import { type keys, type Role, users, workspaces } from '../db/schema/account.ts'

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

export const findUserByFoldedName = ({ sql }: Reader, nameFold: string): UserRow | undefined =>
  sql.get(`${USER} WHERE name_fold = ?`, nameFold)

export const insertUser = (reader: Reader, row: NewRow): UserRow => ({
  ...row,
  pk: insertRow(reader, users, row),
  passwordHash: null,
})

export const deleteUser = (reader: Reader, pk: number) => reader.sql.run('DELETE FROM users WHERE pk = ?', pk)

export const setPasswordHash = (reader: Reader, pk: number, hash: string) =>
  reader.sql.run('UPDATE users SET password_hash = ? WHERE pk = ?', hash, pk)

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
export const setMember = (reader: Reader, workspace: number, user: number, role: Role) =>
  reader.sql.run(
    'INSERT INTO members (workspace, user, role) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET role = excluded.role',
    workspace,
    user,
    role,
  )

export const deleteMember = (reader: Reader, workspace: number, user: number) =>
  reader.sql.run('DELETE FROM members WHERE workspace = ? AND user = ?', workspace, user)

/** Ends the sessions of a user, but for the one that is kept, if any. */
export const endSessionsOf = (reader: Reader, user: number, keptId?: string) =>
  reader.sql.run('DELETE FROM sessions WHERE user = ? AND id IS NOT ?', user, keptId ?? null)
