import { findUserByPk, presentMembership } from '../account/store.ts'
import type { AppContext, Caller } from '../context.ts'
import { isoOrNull, isoTimestamp } from '../lib/dates.ts'
import { fail, notFound } from '../refusal.ts'
import { listPasskeyRows, type PasskeyRow } from './passkeys.ts'
import { expiryOf, listEnterable } from './sessions.ts'
import { findUserOfLink, usedLink } from './sign-in.ts'
import { findSessionById, type SessionRow } from './store.ts'
import { isLinked } from './ways-in.ts'

type Sessions = Pick<AppContext, 'db' | 'config' | 'mirrorOf' | 'isMirrorWritable'>

/** Who is signed in, the workspaces they may enter, whether they are linked to the provider, and in a copy the address of the remote. */
export function presentSession(
  { db: reader, config, mirrorOf, isMirrorWritable }: Sessions,
  sessionId: string,
) {
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
    ...(mirrorOf !== undefined && {
      mirror_of: mirrorOf,
      ...(isMirrorWritable && { mirror_writable: true }),
    }),
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

export const presentPasskey = ({ id, name, createdAt, lastUsedAt, isSynced }: PasskeyRow) => ({
  id,
  name,
  created_at: isoTimestamp(createdAt),
  last_used_at: isoOrNull(lastUsedAt),
  synced: isSynced === 1,
})

/** Who uses a setup link, and how they sign in without it: they see what they do not know. */
export function presentSetup({ db: reader, config, clock }: AppContext, token: string) {
  const userPk = findUserOfLink(reader, token, clock.now()) ?? fail(usedLink())
  const user = findUserByPk(reader, userPk) ?? fail(usedLink())
  return {
    user: { name: user.name },
    has_password: user.passwordHash !== null,
    passkeys: listPasskeyRows(reader, userPk).map(presentPasskey),
    oidc_linked: isLinked(reader, userPk, config),
  }
}
