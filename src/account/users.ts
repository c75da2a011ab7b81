import type { AppContext } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { codePointLength, fold, quoteList } from '../lib/text.ts'
import { fail, invalid, nameTaken, Refusal, refused } from '../refusal.ts'
import type { Usage } from '../usage.ts'
import { createKey } from './keys.ts'
import { checkedName } from './names.ts'
import {
  deleteMember,
  deleteUser,
  insertUser,
  insertWorkspace,
  listMemberships,
  listUserRows,
  listWorkspaceRows,
  type Role,
  setMember,
  setPasswordHash,
  type UserRow,
  type WorkspaceRow,
} from './store.ts'

const MIN_PASSWORD = 8

/** Makes an empty workspace with everything that the features need in one. */
export function createWorkspace(tx: Tx, usage: Usage, name: string): WorkspaceRow {
  const nameFold = fold(checkedName(name, 'workspace'))
  if (listWorkspaceRows(tx).some((row) => row.nameFold === nameFold)) {
    throw nameTaken(`A workspace named "${name}" exists already; choose another name.`)
  }
  const workspace = insertWorkspace(tx, { id: tx.newId(), name, nameFold, createdAt: tx.now })
  usage.onWorkspaceCreated(tx, workspace.pk)
  return workspace
}

export const listWorkspaces = (reader: Reader) => listWorkspaceRows(reader)

/** Every user with the workspaces they belong to and as what. */
export function listUsers(reader: Reader) {
  const memberships = listMemberships(reader)
  return listUserRows(reader).map((user) => ({
    user,
    memberships: memberships.filter(({ userPk }) => userPk === user.pk),
  }))
}

const unknownUser = (nameOrId: string) => new Refusal('not_found', `There is no user "${nameOrId}".`)

interface Named {
  readonly id: string
  readonly name: string
  readonly nameFold: string
}

/** By id, or by name ignoring case. */
const findNamed = <Row extends Named>(rows: readonly Row[], nameOrId: string): Row | undefined =>
  rows.find(({ id, nameFold }) => id === nameOrId || nameFold === fold(nameOrId))

export const findUser = (reader: Reader, nameOrId: string): UserRow | undefined =>
  findNamed(listUserRows(reader), nameOrId)

export const findWorkspaceNamed = (reader: Reader, nameOrId: string): WorkspaceRow | undefined =>
  findNamed(listWorkspaceRows(reader), nameOrId)

/** The one that is named, else the only one there is; refuses with the names when there are several. */
function namedOrOnly<Row extends Named>(
  rows: readonly Row[],
  what: 'user' | 'workspace',
  nameOrId: string | undefined,
): Row {
  const names = quoteList(rows.map(({ name }) => name))
  if (nameOrId !== undefined) {
    return (
      findNamed(rows, nameOrId) ??
      fail(refused(`There is no ${what} "${nameOrId}"; there is ${names || 'none yet'}.`))
    )
  }
  const [only, ...others] = rows
  if (only && others.length === 0) return only
  throw refused(only ? `There are several ${what}s; name one of ${names}.` : `There is no ${what} yet.`)
}

export const getWorkspaceOrOnly = (reader: Reader, nameOrId: string | undefined): WorkspaceRow =>
  namedOrOnly(listWorkspaceRows(reader), 'workspace', nameOrId)

/** The member of the workspace that is named, else its only one. */
export function getMember(reader: Reader, { pk, name }: WorkspaceRow, nameOrId: string | undefined): UserRow {
  const memberships = listMemberships(reader).filter(({ workspacePk }) => workspacePk === pk)
  const members = listUserRows(reader).filter((user) => memberships.some(({ userPk }) => userPk === user.pk))
  const user = nameOrId === undefined ? undefined : findUser(reader, nameOrId)
  if (user && !members.some(({ pk: member }) => member === user.pk)) {
    throw refused(`The user "${user.name}" does not belong to the workspace "${name}"; add them to it first.`)
  }
  return namedOrOnly(members, 'user', nameOrId)
}

/** Makes a workspace that belongs to the user named, else to the only one. */
export function addOwnedWorkspace(tx: Tx, usage: Usage, name: string, owner: string | undefined) {
  const user = namedOrOnly(listUserRows(tx), 'user', owner)
  const workspace = createWorkspace(tx, usage, name)
  setMember(tx, workspace.pk, user.pk, 'owner')
  return { workspace, owner: user }
}

/** Makes the user when there is none of that name, and a member of the workspace in that role. */
export function addUser(tx: Tx, name: string, workspace: WorkspaceRow, role: Role): UserRow {
  const known = findUser(tx, checkedName(name, 'user'))
  const memberships = listMemberships(tx).filter(({ userPk }) => userPk === known?.pk)
  if (memberships.some(({ workspacePk }) => workspacePk === workspace.pk)) {
    throw nameTaken(
      `The user "${name}" belongs to the workspace "${workspace.name}" already; for another role, remove them from it first.`,
    )
  }
  const user = known ?? insertUser(tx, { id: tx.newId(), name, nameFold: fold(name), createdAt: tx.now })
  setMember(tx, workspace.pk, user.pk, role)
  return user
}

/**
 * Takes a user out of one workspace, or out of all with the user itself. Their keys open nothing from then
 * on; a server that does so itself must wake its bus, for watches to close. The last owner of a workspace stays.
 */
export const removeUser = (db: Db, nameOrId: string, workspace: WorkspaceRow | undefined): Promise<UserRow> =>
  db.write((tx) => {
    const user = findUser(tx, nameOrId) ?? fail(unknownUser(nameOrId))
    const all = listMemberships(tx)
    const leaving = all.filter(
      (row) => row.userPk === user.pk && (!workspace || row.workspacePk === workspace.pk),
    )
    if (workspace && leaving.length === 0) {
      throw refused(`The user "${user.name}" does not belong to the workspace "${workspace.name}".`)
    }
    for (const { workspacePk, workspace: name, role } of leaving) {
      const owners = all.filter((row) => row.workspacePk === workspacePk && row.role === 'owner')
      if (role === 'owner' && owners.length === 1) {
        throw refused(`"${user.name}" is the last owner of the workspace "${name}"; add another owner first.`)
      }
      deleteMember(tx, workspacePk, user.pk)
    }
    if (!workspace) deleteUser(tx, user.pk)
    return user
  })

/** Sets the password the user signs in to the application with; at least eight characters. */
export async function setPassword(db: Db, nameOrId: string, password: string): Promise<UserRow> {
  if (codePointLength(password) < MIN_PASSWORD) {
    throw invalid(`A password must be at least ${MIN_PASSWORD} characters long.`)
  }
  const hash = await Bun.password.hash(password)
  return db.write((tx) => {
    const user = findUser(tx, nameOrId) ?? fail(unknownUser(nameOrId))
    setPasswordHash(tx, user.pk, hash)
    return user
  })
}

/** On an empty database makes user `owner`, workspace `Personal` and a write key; answers the key, once. */
export const bootstrap = ({ db, usage }: Pick<AppContext, 'db' | 'usage'>): Promise<string | undefined> =>
  db.write((tx): string | undefined => {
    if (listWorkspaceRows(tx).length > 0) return undefined
    const workspace = createWorkspace(tx, usage, 'Personal')
    const owner = addUser(tx, 'owner', workspace, 'owner')
    const key = {
      workspace: workspace.pk,
      user: owner.pk,
      name: 'first key',
      scope: 'write',
      expiresAt: null,
    } as const
    return createKey(tx, key).secret
  })
