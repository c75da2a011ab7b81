import { atPlace, nameTaken } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import { beginEpoch } from '../../log/cursors.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { skeletonsOf } from './lookalikes.ts'
import { checkedAccountName, columnsOfName, getOnly, nameKey, rowNamed, storedKey } from './names.ts'
import {
  findWorkspaceById,
  findWorkspaceSpelled,
  insertWorkspace,
  listUserRows,
  listWorkspaces,
  listWorkspacesByKey,
  setMember,
  updateUser,
  updateWorkspace,
  type WorkspaceRow,
} from './store.ts'
import { findUser } from './users.ts'

/** Creates an empty workspace, with the epoch of its change log. */
export function createWorkspace(tx: Tx, name: string): WorkspaceRow {
  const free = freeWorkspaceName(tx, name)
  const workspace = insertWorkspace(tx, {
    id: tx.newId(),
    ...columnsOfName(free),
    createdAt: tx.now,
  })
  beginEpoch(tx, workspace.pk)
  return workspace
}

const findWorkspaceByName = (reader: Reader, name: string): WorkspaceRow | undefined =>
  findWorkspaceSpelled(reader, fold(name)) ?? rowNamed(listWorkspacesByKey(reader, storedKey(name)), name)

/** Returns the name in its stored form; refuses a name that another workspace has. */
export function freeWorkspaceName(reader: Reader, name: string, pk?: number): string {
  const checked = checkedAccountName(name, 'workspace')
  const holder = findWorkspaceByName(reader, checked)
  // A workspace keeps its current name, even beside an older name that looks like it.
  if (holder?.pk === pk && holder) return checked
  const lookalikes = skeletonsOf(nameKey(checked)).flatMap((skeleton) =>
    listWorkspacesByKey(reader, skeleton),
  )
  if (!holder && lookalikes.every((workspace) => workspace.pk === pk)) return checked
  throw nameTaken(
    `A workspace named "${checked}", or with a name that looks the same, exists already; choose another name.`,
    atPlace('name'),
  )
}

/** Creates a workspace owned by the named user; without a name, by the only user. */
export function createOwnedWorkspace(tx: Tx, name: string, ownerName: string | undefined) {
  const known = ownerName === undefined ? undefined : findUser(tx, ownerName)
  const owner = known ?? getOnly(listUserRows(tx), 'user', ownerName)
  const workspace = createWorkspace(tx, name)
  setMember(tx, workspace.pk, owner.pk, 'owner')
  return { workspace, owner }
}

export const findWorkspaceNamed = (reader: Reader, nameOrId: string): WorkspaceRow | undefined =>
  findWorkspaceById(reader, nameOrId) ?? findWorkspaceByName(reader, nameOrId)

/**
 * The workspace with this name or id. Without a name, returns the only workspace, and refuses when there are several.
 */
export const getWorkspaceOrOnly = (reader: Reader, nameOrId: string | undefined): WorkspaceRow =>
  (nameOrId === undefined ? undefined : findWorkspaceNamed(reader, nameOrId)) ??
  getOnly(listWorkspaces(reader), 'workspace', nameOrId)

/** Adds the lookup key to names that an older program stored. */
export function refreshNameKeys(reader: Reader): void {
  const renew = (
    rows: readonly { pk: number; name: string; nameKey: string }[],
    update: typeof updateUser,
  ) => {
    for (const { pk, name, nameKey: stored } of rows)
      if (stored !== storedKey(name)) update(reader, pk, { nameKey: storedKey(name) })
  }
  renew(listWorkspaces(reader), updateWorkspace)
  renew(listUserRows(reader), updateUser)
}
