import { read, write } from '../../kernel/operation.ts'
import { fail, notFound, Refusal, refused } from '../../lib/refusal.ts'
import { notifyAfterCommit } from '../../log/log.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import {
  deleteProviderLink,
  endSessionsOf,
  findProviderLink,
  findUserByPk,
  hasPasskey,
  isLinked,
  listPasskeysOf,
  type ProviderSettings,
  presentPasskey,
  setPasswordHash,
} from '../accounts/store.ts'
import {
  checkPasskeyCount,
  deletePasskey,
  findCredential,
  getPasskey,
  insertPasskey,
  type NewPasskey,
  updatePasskey,
} from './passkey-store.ts'
import {
  deleteSession,
  expiryOf,
  findSessionById,
  getOwnSession,
  getRecentSession,
  listEnterable,
  listSessionRows,
  presentListedSession,
  presentSession,
  type SessionRow,
  type SessionSettings,
  setSessionWorkspace,
} from './sessions.ts'

/* The sessions of a user and their sign-in options. Settings of the server are input (`SessionSettings`). */

const covers = 'nothing'

interface WithSettings {
  readonly settings: SessionSettings
}

export const readSession = read({
  name: 'sessions.current',
  covers,
  run: (snapshot, { sessionId = '' }, { settings }: WithSettings) =>
    presentSession(snapshot, settings, sessionId),
})

/** Moves the session to another workspace of its user; its streams in the old one continue. */
export const enterWorkspace = write({
  name: 'sessions.enterWorkspace',
  covers,
  run: (
    tx,
    caller,
    { body, settings }: WithSettings & { readonly body: { readonly workspace_id: string } },
  ) => {
    const own = getOwnSession(tx, caller)
    const entered = listEnterable(tx, own.userPk, settings).find(
      ({ workspaceId }) => workspaceId === body.workspace_id,
    )
    setSessionWorkspace(tx, own.pk, (entered ?? fail(notFound('workspace'))).workspacePk)
    return presentSession(tx, settings, own.id)
  },
})

export const listSessions = read({
  name: 'sessions.list',
  covers,
  run: (snapshot, caller) => {
    const { userPk } = getOwnSession(snapshot, caller)
    const rows = listSessionRows(snapshot, userPk).filter((row) => expiryOf(row) > snapshot.now)
    return { sessions: rows.map((row) => presentListedSession(row, caller)) }
  },
})

/** Ends a session of the caller's user and its open streams at once. */
export const endSession = write({
  name: 'sessions.end',
  covers,
  run: (tx, caller, { id }: { id: string }) => {
    const own = getOwnSession(tx, caller)
    const ending = findSessionById(tx, id)
    if (!ending || ending.userPk !== own.userPk) throw notFound('session')
    deleteSession(tx, ending.pk)
    notifyAfterCommit(tx)
    return { deleted: true, id }
  },
})

interface PasswordChange {
  /** The hash of the current password that the request was checked against; null for none. */
  readonly before: string | null
  readonly hash: string
}

/** Stores a precomputed password hash, and ends every other session of the user. */
export const setPassword = write({
  name: 'sessions.setPassword',
  covers,
  run: (tx, caller, { before, hash }: PasswordChange) => {
    const { userPk, id } = getOwnSession(tx, caller)
    if (findUserByPk(tx, userPk)?.passwordHash !== before)
      throw refused('The password was changed meanwhile; try again.')
    setPasswordHash(tx, userPk, hash)
    endSessionsOf(tx, userPk, id)
    notifyAfterCommit(tx)
    return { changed: true }
  },
})

/**
 * Removes a sign-in option from a user, who must keep another one. Every other session of the user ends, because it may
 * have begun with the removed option.
 */
function removeSignInOption(
  tx: Tx,
  { userPk, id }: SessionRow,
  settings: ProviderSettings,
  remove: () => void,
): void {
  remove()
  if (
    findUserByPk(tx, userPk)?.passwordHash === null &&
    !hasPasskey(tx, userPk) &&
    !isLinked(tx, userPk, settings)
  )
    throw refused('This is your last way to sign in; add another one first, such as a password or a passkey.')
  endSessionsOf(tx, userPk, id)
  notifyAfterCommit(tx)
}

/** Removes the caller's password; the caller must have another sign-in option. */
export const removePassword = write({
  name: 'sessions.removePassword',
  covers,
  run: (tx, caller, { settings }: WithSettings) => {
    const session = getRecentSession(tx, caller, tx.now)
    if (findUserByPk(tx, session.userPk)?.passwordHash === null)
      throw new Refusal('not_found', 'You have no password.')
    removeSignInOption(tx, session, settings, () => setPasswordHash(tx, session.userPk, null))
    return { removed: true }
  },
})

export const unlinkProvider = write({
  name: 'sessions.unlinkProvider',
  covers,
  run: (tx, caller, { settings }: WithSettings) => {
    const session = getRecentSession(tx, caller, tx.now)
    const link = findProviderLink(tx, session.userPk)
    if (!link) throw new Refusal('not_found', 'You are not linked to an account of the provider.')
    if (settings.oidc?.roleClaim && link.closedWorkspace !== null)
      throw refused(
        'Your account at the provider says which workspaces you enter; ask an owner to change that.',
      )
    removeSignInOption(tx, session, settings, () => void deleteProviderLink(tx, session.userPk))
    return { removed: true }
  },
})

export const listPasskeys = read({
  name: 'sessions.passkeys',
  covers,
  run: (snapshot, caller) => {
    const { userPk } = getOwnSession(snapshot, caller)
    return { passkeys: listPasskeysOf(snapshot, userPk).map(presentPasskey) }
  },
})

const presentOwn = (tx: Tx, userPk: number, id: string) => ({
  passkey: presentPasskey(getPasskey(tx, userPk, id)),
})

/** Adds an already verified passkey. */
export const addPasskey = write({
  name: 'sessions.addPasskey',
  covers,
  run: (tx, caller, { passkey }: { readonly passkey: NewPasskey }) => {
    const { userPk } = getRecentSession(tx, caller, tx.now)
    checkPasskeyCount(listPasskeysOf(tx, userPk))
    if (findCredential(tx, passkey.credential)) throw refused('This passkey is added already.')
    const id = tx.newId()
    insertPasskey(tx, { ...passkey, id, user: userPk, createdAt: tx.now })
    return presentOwn(tx, userPk, id)
  },
})

export const renamePasskey = write({
  name: 'sessions.renamePasskey',
  covers,
  run: (tx, caller, { id, body }: { readonly id: string; readonly body: { readonly name: string } }) => {
    const { userPk } = getOwnSession(tx, caller)
    updatePasskey(tx, getPasskey(tx, userPk, id).pk, { name: body.name.trim() })
    return presentOwn(tx, userPk, id)
  },
})

export const removePasskey = write({
  name: 'sessions.removePasskey',
  covers,
  run: (tx, caller, { id, settings }: WithSettings & { readonly id: string }) => {
    const session = getOwnSession(tx, caller)
    const { pk } = getPasskey(tx, session.userPk, id)
    removeSignInOption(tx, session, settings, () => void deletePasskey(tx, pk))
    return { deleted: true, id }
  },
})
