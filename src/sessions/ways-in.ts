import {
  deleteProviderLink,
  endSessionsOf,
  findProviderLink,
  findUserByPk,
  hasPasskey,
  setPasswordHash,
} from '../account/store.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { Refusal, refused } from '../refusal.ts'
import { getRecentSession } from './sessions.ts'
import type { SessionRow } from './store.ts'

/** Whether the user has an account at the provider that this server has now. */
export function isLinked(reader: Reader, userPk: number, { oidc }: AppContext['config']): boolean {
  const issuer = findProviderLink(reader, userPk)?.issuer
  return oidc !== undefined && issuer !== undefined && new URL(issuer).href === new URL(oidc.issuer).href
}

/**
 * Takes a way to sign in away from a user, who must keep another one. Every other session of theirs ends: it may have begun
 * with what is taken away.
 */
export function removeWayIn(
  { config }: AppContext,
  tx: Tx,
  { userPk, id }: SessionRow,
  remove: () => void,
): void {
  remove()
  if (
    findUserByPk(tx, userPk)?.passwordHash === null &&
    !hasPasskey(tx, userPk) &&
    !isLinked(tx, userPk, config)
  )
    throw refused('This is your last way to sign in; add another one first, such as a password or a passkey.')
  endSessionsOf(tx, userPk, id)
}

/** Removes the password of the caller, who signs in another way. */
export async function removePassword(ctx: AppContext, caller: Caller): Promise<void> {
  await ctx.db.write((tx): void => {
    const session = getRecentSession(tx, caller, tx.now)
    if (findUserByPk(tx, session.userPk)?.passwordHash === null)
      throw new Refusal('not_found', 'You have no password.')
    removeWayIn(ctx, tx, session, () => setPasswordHash(tx, session.userPk, null))
  })
  ctx.bus.wake()
}

export async function unlinkProvider(ctx: AppContext, caller: Caller): Promise<void> {
  await ctx.db.write((tx): void => {
    const session = getRecentSession(tx, caller, tx.now)
    const link = findProviderLink(tx, session.userPk)
    if (!link) throw new Refusal('not_found', 'You are not linked to an account of the provider.')
    if (ctx.config.oidc?.roleClaim && link.closedWorkspace !== null)
      throw refused(
        'Your account at the provider says which workspaces you enter; ask an owner to change that.',
      )
    removeWayIn(ctx, tx, session, () => void deleteProviderLink(tx, session.userPk))
  })
  ctx.bus.wake()
}
