import { presentMembership } from '../account/present.ts'
import { findUserByPk } from '../account/store.ts'
import type { AppContext, Caller } from '../context.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { fail, notFound } from '../refusal.ts'
import { expiryOf, listEnterable } from './sessions.ts'
import { findSessionById, type SessionRow } from './store.ts'
import { isLinked } from './ways-in.ts'

type Sessions = Pick<AppContext, 'db' | 'config' | 'mirrorOf'>

/** Who is signed in, the workspaces they may enter, whether they are linked to the provider, and in a copy the address of the remote. */
export function presentSession({ db: reader, config, mirrorOf }: Sessions, sessionId: string) {
  const row = findSessionById(reader, sessionId) ?? fail(notFound('session'))
  const user = findUserByPk(reader, row.userPk) ?? fail(notFound('user'))
  const workspaces = listEnterable(reader, row.userPk, config)
  const entered =
    workspaces.find(({ workspacePk }) => workspacePk === row.workspacePk) ?? fail(notFound('workspace'))
  return {
    user: { id: user.id, name: user.name },
    workspace: presentMembership(entered),
    workspaces: workspaces.map(presentMembership),
    expires_at: isoTimestamp(expiryOf(row)),
    ...(config.oidc && { oidc_name: config.oidc.name, oidc_linked: isLinked(reader, row.userPk, config) }),
    ...(mirrorOf !== undefined && { mirror_of: mirrorOf }),
  }
}

export const presentListedSession = (row: SessionRow, { sessionId }: Caller) => ({
  id: row.id,
  created_at: isoTimestamp(row.createdAt),
  last_used_at: isoTimestamp(row.lastUsedAt),
  address: row.address,
  user_agent: row.userAgent,
  current: row.id === sessionId,
})
