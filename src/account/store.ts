import { asc, eq, sql } from 'drizzle-orm'
import { prepared, type Reader } from '../db/reader.ts'
import { type keys, members, users, workspaces } from '../db/schema/account.ts'

const placeholder = sql.placeholder

export type WorkspaceRow = typeof workspaces.$inferSelect
export type UserRow = typeof users.$inferSelect
export type KeyRow = typeof keys.$inferSelect
export type Role = 'owner' | 'editor' | 'viewer'

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
