import { asc, eq, sql } from 'drizzle-orm'
import { prepared, type Reader } from '../db/reader.ts'
import { type keys, members, type Role, users, workspaces } from '../db/schema/account.ts'

const placeholder = sql.placeholder

export type WorkspaceRow = typeof workspaces.$inferSelect
export type UserRow = typeof users.$inferSelect
export type KeyRow = typeof keys.$inferSelect

const allWorkspaces = prepared((orm) => orm.select().from(workspaces).orderBy(asc(workspaces.pk)).prepare())
export const listWorkspaces = (reader: Reader): WorkspaceRow[] => allWorkspaces(reader).all()

const workspaceByPk = prepared((orm) =>
  orm
    .select()
    .from(workspaces)
    .where(eq(workspaces.pk, placeholder('pk')))
    .prepare(),
)
export const findWorkspace = (reader: Reader, pk: number) => workspaceByPk(reader).get({ pk })

const insertWorkspaceRow = prepared((orm) =>
  orm
    .insert(workspaces)
    .values({
      id: placeholder('id'),
      name: placeholder('name'),
      nameFold: placeholder('nameFold'),
      createdAt: placeholder('createdAt'),
    })
    .returning()
    .prepare(),
)
export const insertWorkspace = (
  reader: Reader,
  row: Pick<WorkspaceRow, 'id' | 'name' | 'nameFold' | 'createdAt'>,
): WorkspaceRow => insertWorkspaceRow(reader).get(row)

const allUsers = prepared((orm) => orm.select().from(users).orderBy(asc(users.pk)).prepare())
export const listUserRows = (reader: Reader): UserRow[] => allUsers(reader).all()

const USER = `SELECT pk, id, name, name_fold AS nameFold, created_at AS createdAt, password_hash AS passwordHash
  FROM users`

export const findUserByPk = ({ sql }: Reader, pk: number): UserRow | undefined =>
  sql.get(`${USER} WHERE pk = ?`, pk)

export const findUserByFoldedName = ({ sql }: Reader, nameFold: string): UserRow | undefined =>
  sql.get(`${USER} WHERE name_fold = ?`, nameFold)

const insertUserRow = prepared((orm) =>
  orm
    .insert(users)
    .values({
      id: placeholder('id'),
      name: placeholder('name'),
      nameFold: placeholder('nameFold'),
      createdAt: placeholder('createdAt'),
    })
    .returning()
    .prepare(),
)
export const insertUser = (
  reader: Reader,
  row: Pick<UserRow, 'id' | 'name' | 'nameFold' | 'createdAt'>,
): UserRow => insertUserRow(reader).get(row)

export const deleteUser = (reader: Reader, pk: number) => reader.sql.run('DELETE FROM users WHERE pk = ?', pk)

export const setPasswordHash = (reader: Reader, pk: number, hash: string) =>
  reader.sql.run('UPDATE users SET password_hash = ? WHERE pk = ?', hash, pk)

const allMembers = prepared((orm) =>
  orm
    .select({
      userPk: members.user,
      workspacePk: members.workspace,
      workspace: workspaces.name,
      role: members.role,
    })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.pk, members.workspace))
    .orderBy(asc(members.workspace))
    .prepare(),
)
export const listMemberships = (reader: Reader) => allMembers(reader).all()

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
