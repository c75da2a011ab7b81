import { asc, eq, sql } from 'drizzle-orm'
import { prepared, type Reader } from '../db/reader.ts'
import { keys, members, users, workspaces } from '../db/schema/account.ts'

const placeholder = sql.placeholder

export type WorkspaceRow = typeof workspaces.$inferSelect
export type UserRow = typeof users.$inferSelect
export type KeyRow = typeof keys.$inferSelect
export type Role = 'owner' | 'editor' | 'viewer'

export interface PresentedKey {
  pk: number
  id: string
  name: string
  scope: 'write' | 'read'
  expiresAt: number | null
  lastUsedAt: number | null
  workspacePk: number
  workspaceId: string
  userId: string | null
  role: Role | null
}

/**
 * The key with its user and the user's current role; null where the user is deleted or no longer a member.
 * Undefined for a revoked key. Uses subqueries because SQLite prepares a join with bound values again at every run.
 */
export const findKeyByHash = ({ sql }: Reader, hash: string): PresentedKey | undefined =>
  sql.get(
    `SELECT k.pk, k.id, k.name, k.scope, k.expires_at AS expiresAt, k.last_used_at AS lastUsedAt,
       k.workspace AS workspacePk, (SELECT id FROM workspaces w WHERE w.pk = k.workspace) AS workspaceId,
       (SELECT id FROM users u WHERE u.pk = k.user) AS userId,
       (SELECT role FROM members m WHERE m.workspace = k.workspace AND m.user = k.user) AS role
     FROM keys k WHERE k.hash = ? AND k.revoked_at IS NULL`,
    hash,
  )

/** The role is null once the user left the workspace. */
export const findUnrevokedKey = (
  { sql }: Reader,
  id: string,
): { expiresAt: number | null; role: Role | null } | undefined =>
  sql.get(
    `SELECT k.expires_at AS expiresAt,
       (SELECT role FROM members m WHERE m.workspace = k.workspace AND m.user = k.user) AS role
     FROM keys k WHERE k.id = ? AND k.revoked_at IS NULL`,
    id,
  )

export const touchKey = (reader: Reader, pk: number, now: number) =>
  reader.sql.run('UPDATE keys SET last_used_at = ? WHERE pk = ?', now, pk)

const keyById = prepared((orm) =>
  orm
    .select()
    .from(keys)
    .where(eq(keys.id, placeholder('id')))
    .prepare(),
)
/** A key of any workspace, revoked ones too. */
export const findKey = (reader: Reader, id: string): KeyRow | undefined => keyById(reader).get({ id })

const insertKeyRow = prepared((orm) =>
  orm
    .insert(keys)
    .values({
      id: placeholder('id'),
      workspace: placeholder('workspace'),
      user: placeholder('user'),
      name: placeholder('name'),
      scope: placeholder('scope'),
      hash: placeholder('hash'),
      createdAt: placeholder('createdAt'),
      expiresAt: placeholder('expiresAt'),
    })
    .prepare(),
)
export const insertKey = (
  reader: Reader,
  row: Pick<KeyRow, 'id' | 'workspace' | 'user' | 'name' | 'scope' | 'hash' | 'createdAt' | 'expiresAt'>,
): void => void insertKeyRow(reader).run(row)

export const markKeyRevoked = (reader: Reader, pk: number, now: number) =>
  reader.sql.run('UPDATE keys SET revoked_at = ? WHERE pk = ?', now, pk)

const allKeys = prepared((orm) =>
  orm
    .select({ key: keys, workspace: workspaces.name, user: users.name })
    .from(keys)
    .innerJoin(workspaces, eq(workspaces.pk, keys.workspace))
    .leftJoin(users, eq(users.pk, keys.user))
    .orderBy(asc(keys.pk))
    .prepare(),
)
export const listKeyRows = (reader: Reader) => allKeys(reader).all()

const allWorkspaces = prepared((orm) => orm.select().from(workspaces).orderBy(asc(workspaces.pk)).prepare())
export const listWorkspaceRows = (reader: Reader): WorkspaceRow[] => allWorkspaces(reader).all()

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
