import { type Access, presentRights } from '../access/rights.ts'
import type { Caller } from '../context.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { type MembershipRow, readAccess, type WorkspaceRow } from './store.ts'
import type { WorkspaceCounts } from './workspaces.ts'

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

export const presentWorkspace = ({ row, counts }: { row: WorkspaceRow; counts: WorkspaceCounts }) => ({
  id: row.id,
  name: row.name,
  created_at: isoTimestamp(row.createdAt),
  counts: {
    notes: counts.notes,
    trashed_notes: counts.trashedNotes,
    structures: counts.structures,
    records: counts.records,
    tags: counts.tags,
    properties: counts.properties,
    presets: counts.presets,
    views: counts.views,
    lenses: counts.lenses,
    quick_access: counts.quickAccess,
    files: counts.files,
    webhooks: counts.webhooks,
  },
})
