import { type Access, presentRights } from '../access/rights.ts'
import type { Caller } from '../context.ts'
import { type MembershipRow, readAccess } from './store.ts'

export const presentKeyInfo = (caller: Caller) => ({
  user_id: caller.userId,
  workspace_id: caller.workspaceId,
  key: caller.keyId === null ? null : { id: caller.keyId, name: caller.keyName ?? '', scope: caller.scope },
  ...(caller.rights && { access: presentRights(caller.rights) }),
})

/** What a member or a key may reach; absent where that is everything. */
export const presentAccess = (stored: string | null): { access?: Access } => {
  const access = readAccess(stored)
  return access === null ? {} : { access }
}

export const presentMembership = ({ workspaceId: id, name, role }: MembershipRow) => ({ id, name, role })
