import { and, eq, getTableColumns, isNull, or, type SQL, sql } from 'drizzle-orm'
import { type Access, readAccess, storedAccess } from '../../kernel/caller.ts'
import { isoOrNull, isoTimestamp } from '../../lib/dates.ts'
import {
  columnBy,
  from,
  insertInto,
  orm,
  rowBy,
  rowsBy,
  runBy,
  update,
  updateOf,
  upsertInto,
} from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { keys, members, type Role, userPreferences, users, workspaces } from '../../storage/schema/account.ts'
import { appCodes, connectedApps } from '../../storage/schema/apps.ts'
import { passkeys, providerLinks, sessions, setupLinks } from '../../storage/schema/sessions.ts'
import type { Tx } from '../../storage/writes/transaction.ts'

export type WorkspaceRow = typeof workspaces.$inferSelect
export type UserRow = typeof users.$inferSelect
export type KeyRow = typeof keys.$inferSelect
export type PasskeyRow = typeof passkeys.$inferSelect

/** The access of a member or key in a response; absent if it is not restricted. */
export const presentAccess = (stored: string | null): { access?: Access } => {
  const access = readAccess(stored)
  return access === null ? {} : { access }
}

const everyWorkspace = () => from(workspaces, getTableColumns(workspaces))

export const listWorkspaces = rowsBy(() => everyWorkspace().orderBy(workspaces.pk))

export const findWorkspaceById = rowBy((id: string) => everyWorkspace().where(eq(workspaces.id, id)))

export const findWorkspaceSpelled = rowBy((nameFold: string) =>
  everyWorkspace().where(eq(workspaces.nameFold, nameFold)),
)

export const listWorkspacesByKey = rowsBy((nameKey: string) =>
  everyWorkspace().where(eq(workspaces.nameKey, nameKey)).orderBy(workspaces.pk),
)

export const findFirstWorkspace = rowBy(() => everyWorkspace().orderBy(workspaces.pk).limit(1))

export const findWorkspace = rowBy((pk: number) => everyWorkspace().where(eq(workspaces.pk, pk)))

export const updateWorkspace = updateOf(workspaces, workspaces.pk)

const insertWorkspaceRow = insertInto(workspaces)

type NewRow = Pick<WorkspaceRow, 'id' | 'name' | 'nameFold' | 'nameKey' | 'createdAt'>

export const insertWorkspace = (reader: Reader, row: NewRow): WorkspaceRow =>
  findWorkspace(reader, insertWorkspaceRow(reader, row)) as WorkspaceRow

const everyUser = () => from(users, getTableColumns(users))

export const listUserRows = rowsBy(() => everyUser().orderBy(users.pk))

export const findUserByPk = rowBy((pk: number) => everyUser().where(eq(users.pk, pk)))

export const findUserById = rowBy((id: string) => everyUser().where(eq(users.id, id)))

export const findUserSpelled = rowBy((nameFold: string) => everyUser().where(eq(users.nameFold, nameFold)))

export const listUsersByKey = rowsBy((nameKey: string) =>
  everyUser().where(eq(users.nameKey, nameKey)).orderBy(users.pk),
)

export const updateUser = updateOf(users, users.pk)

const insertUserRow = insertInto(users)

export const insertUser = (reader: Reader, row: NewRow): UserRow =>
  findUserByPk(reader, insertUserRow(reader, row)) as UserRow

export const findPreferences = rowBy((pk: number) =>
  from(userPreferences, { json: userPreferences.preferences }).where(eq(userPreferences.user, pk)),
)

export const putPreferences = upsertInto(userPreferences, userPreferences.user)

export const deleteUser = runBy((pk: number) => orm.delete(users).where(eq(users.pk, pk)))

/** Sets the password, or removes it if `hash` is null; voids the user's setup link. */
export function setPasswordHash(reader: Reader, pk: number, hash: string | null): void {
  updateUser(reader, pk, { passwordHash: hash })
  voidSetupLinks(reader, pk)
}

/** A workspace of a user that the other user does not own. */
const findNotOwned = rowBy((owner: number, user: number) =>
  from(members, { workspace: members.workspace })
    .where(
      and(
        eq(members.user, user),
        sql`NOT EXISTS (SELECT 1 FROM members o
          WHERE o.workspace = members.workspace AND o.user = ${owner} AND o.role = 'owner'
            AND NOT EXISTS (SELECT 1 FROM provider_links p
              WHERE p.user = o.user AND p.closed_workspace = o.workspace))`,
      ),
    )
    .limit(1),
)

/** Whether a user owns every workspace of another user, and may therefore sign in as that user with a setup link. */
export const ownsWorkspacesOf = (reader: Reader, owner: number, user: number): boolean =>
  findNotOwned(reader, owner, user) === undefined

const listLinksWith = columnBy((user: number) =>
  from(setupLinks, { value: setupLinks.user }).where(
    or(eq(setupLinks.user, user), eq(setupLinks.maker, user)),
  ),
)
export const deleteSetupLink = runBy((user: number) =>
  orm.delete(setupLinks).where(eq(setupLinks.user, user)),
)

/**
 * Must follow a change of a user's memberships, role or password. Voids the user's setup link, and links that the user
 * may no longer create.
 */
function voidSetupLinks(reader: Reader, pk: number): void {
  for (const user of listLinksWith(reader, pk))
    if (user === pk || !ownsWorkspacesOf(reader, pk, user)) deleteSetupLink(reader, user)
}

/**
 * The role and access of a user in a workspace, null for non-members. Uses subqueries, because SQLite prepares a join
 * with bound values again at every run.
 */
export const membershipOf = <R extends Role | null = Role | null>(workspace: SQL | number, user: SQL) => ({
  role: sql<R>`(SELECT role FROM members m WHERE m.workspace = ${workspace} AND m.user = ${user})`,
  access: sql<
    string | null
  >`(SELECT access FROM members m WHERE m.workspace = ${workspace} AND m.user = ${user})`,
})

export type MemberRow = UserRow & { readonly role: Role; readonly access: string | null }

/** The members of a workspace, in the creation order of their users. */
export const listMembers: (reader: Reader, workspace: number) => MemberRow[] = rowsBy((workspace: number) =>
  from(users, {
    ...getTableColumns(users),
    ...membershipOf<Role>(workspace, sql`users.pk`),
  })
    .where(sql`pk IN (SELECT user FROM members WHERE workspace = ${workspace})`)
    .orderBy(users.pk),
)

/** The memberships of all users, with the names of the workspaces. */
export const listMemberships = rowsBy(() =>
  from(members, {
    userPk: members.user,
    workspacePk: members.workspace,
    workspace: sql<string>`(SELECT name FROM workspaces w WHERE w.pk = members.workspace)`,
    role: members.role,
  }).orderBy(members.workspace),
)

export interface MembershipRow {
  readonly workspacePk: number
  readonly workspaceId: string
  readonly name: string
  readonly role: Role
}

export const presentMembership = ({ workspaceId: id, name, role }: MembershipRow) => ({ id, name, role })

/** The workspaces of a user, oldest first. */
export const listMembershipsOf: (reader: Reader, user: number) => MembershipRow[] = rowsBy((user: number) =>
  from(members, {
    workspacePk: members.workspace,
    workspaceId: sql<string>`(SELECT id FROM workspaces w WHERE w.pk = members.workspace)`,
    name: sql<string>`(SELECT name FROM workspaces w WHERE w.pk = members.workspace)`,
    role: members.role,
  })
    .where(eq(members.user, user))
    .orderBy(members.workspace),
)

const putMember = upsertInto(members, [members.workspace, members.user])

/** Adds a member, or changes the role and access of an existing one; owners can access everything. */
export function setMember(
  reader: Reader,
  workspace: number,
  user: number,
  role: Role,
  access: Access | null = null,
): void {
  putMember(reader, { workspace, user, role, access: role === 'owner' ? null : storedAccess(access) })
  voidSetupLinks(reader, user)
}

const deleteMembership = runBy((workspace: number, user: number) =>
  orm.delete(members).where(and(eq(members.workspace, workspace), eq(members.user, user))),
)
const revokeKeysOf = runBy((workspace: number, user: number, now: number) =>
  update(
    keys,
    { revokedAt: now },
    and(eq(keys.workspace, workspace), eq(keys.user, user), isNull(keys.revokedAt)),
  ),
)
const deleteAppsIn = runBy((workspace: number, user: number) =>
  orm.delete(connectedApps).where(and(eq(connectedApps.workspace, workspace), eq(connectedApps.user, user))),
)
const deleteCodesIn = runBy((workspace: number, user: number) =>
  orm.delete(appCodes).where(and(eq(appCodes.workspace, workspace), eq(appCodes.user, user))),
)
/** Ends a user's sessions whose current workspace is this one. */
export const deleteSessionsIn = runBy((workspace: number, user: number) =>
  orm.delete(sessions).where(and(eq(sessions.workspace, workspace), eq(sessions.user, user))),
)

/**
 * Removes a member with their keys, connected apps and sessions in the workspace, so that a member who is added again
 * starts without them.
 */
export function deleteMember(tx: Tx, workspace: number, user: number): void {
  deleteMembership(tx, workspace, user)
  revokeKeysOf(tx, workspace, user, tx.now)
  deleteAppsIn(tx, workspace, user)
  deleteCodesIn(tx, workspace, user)
  deleteSessionsIn(tx, workspace, user)
  voidSetupLinks(tx, user)
}

const deleteSessionsBut = runBy((user: number, keptId: string | null) =>
  orm.delete(sessions).where(and(eq(sessions.user, user), sql`id IS NOT ${keptId}`)),
)

/** Ends the sessions of a user, except the given one, if any. */
export const endSessionsOf = (reader: Reader, user: number, keptId?: string) =>
  deleteSessionsBut(reader, user, keptId ?? null)

const { user: linkedUser, issuer, subject } = providerLinks

const everyLink = () => from(providerLinks, getTableColumns(providerLinks))

/** The identity of a user at an OpenID Connect provider, possibly one that the server no longer uses. */
export const findProviderLink = rowBy((user: number) => everyLink().where(eq(linkedUser, user)))

/**
 * The OpenID Connect provider of a server, if any, and whether a claim determines which workspace its users may enter.
 */
export interface ProviderSettings {
  readonly oidc?: { readonly issuer: string; readonly roleClaim?: unknown } | undefined
}

/** Whether the user is linked to an account at the server's current provider. */
export function isLinked(reader: Reader, user: number, { oidc }: ProviderSettings): boolean {
  const linked = findProviderLink(reader, user)?.issuer
  return oidc !== undefined && linked !== undefined && new URL(linked).href === new URL(oidc.issuer).href
}

export const findLinkOf = rowBy((ofIssuer: string, ofSubject: string) =>
  everyLink().where(and(eq(issuer, ofIssuer), eq(subject, ofSubject))),
)

export const saveProviderLink = upsertInto(providerLinks, linkedUser)

export const setClosedWorkspace = runBy((user: number, closedWorkspace: number | null) =>
  update(providerLinks, { closedWorkspace }, eq(linkedUser, user)),
)

export const deleteProviderLink = runBy((user: number) =>
  orm.delete(providerLinks).where(eq(linkedUser, user)),
)

const findAny = rowBy((user: number) =>
  from(passkeys, { pk: passkeys.pk }).where(eq(passkeys.user, user)).limit(1),
)

export const hasPasskey = (reader: Reader, user: number): boolean => findAny(reader, user) !== undefined

export const deletePasskeysOf = runBy((user: number) => orm.delete(passkeys).where(eq(passkeys.user, user)))

/** Oldest first. */
export const listPasskeysOf = rowsBy((user: number) =>
  from(passkeys, getTableColumns(passkeys)).where(eq(passkeys.user, user)).orderBy(passkeys.pk),
)

export const presentPasskey = ({ id, name, createdAt, lastUsedAt, isSynced }: PasskeyRow) => ({
  id,
  name,
  created_at: isoTimestamp(createdAt),
  last_used_at: isoOrNull(lastUsedAt),
  synced: isSynced === 1,
})
