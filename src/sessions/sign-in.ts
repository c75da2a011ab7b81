import { checkedPassword, hashPassword, isPassword } from '../account/passwords.ts'
import {
  endSessionsOf,
  findUserByFoldedName,
  findUserByPk,
  listMembershipsOf,
  setPasswordHash,
} from '../account/store.ts'
import { renameUser } from '../account/users.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { sha256 } from '../lib/sha256.ts'
import { fold } from '../lib/text.ts'
import { fail, Refusal, refused } from '../refusal.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'
import { getOwnSession } from './sessions.ts'
import { hasSetupLink, insertSession, takeSetupLink } from './store.ts'
import { newToken } from './tokens.ts'

/** The browser of a person who signs in. */
export interface Browser {
  readonly address: string
  readonly userAgent: string
}

/** A session that has just begun; the token is shown only now. */
export interface NewSession {
  readonly sessionId: string
  readonly token: string
}

/** The same sentence for an unknown user, a user without a password and a wrong password. */
const wrongPair = () => new Refusal('unauthorized', 'This user name and password do not go together.')

function beginSession(tx: Tx, userPk: number, { address, userAgent }: Browser): NewSession {
  const [workspace] = listMembershipsOf(tx, userPk)
  if (!workspace) throw wrongPair()
  const token = newToken()
  const { workspacePk } = workspace
  const sessionId = insertSession(tx, { hash: sha256(token), userPk, workspacePk, address, userAgent })
  return { sessionId, token }
}

/** Begins a session for a user and their password. */
export async function signIn(
  ctx: AppContext,
  failures: FailedSignIns,
  { user: name, password }: { user: string; password: string },
  browser: Browser,
): Promise<NewSession> {
  const { db } = ctx
  const user = findUserByFoldedName(db, fold(name))
  const check = () => isPassword(password, user?.passwordHash ?? null, ctx)
  if (!(await failures.limit(fold(name), browser.address, check)) || !user) throw wrongPair()
  return db.write((tx) => {
    const isUnchanged = findUserByPk(tx, user.pk)?.passwordHash === user.passwordHash
    return isUnchanged ? beginSession(tx, user.pk, browser) : fail(wrongPair())
  })
}

/** Uses a setup link up: sets the password, and the name if one is given, and begins a session. Other sessions end. */
export async function setUp(
  ctx: AppContext,
  { token, password, user: name }: { token: string; password: string; user?: string },
  browser: Browser,
): Promise<NewSession> {
  const { db, bus, clock } = ctx
  checkedPassword(password)
  // Hashing takes long: a client without a link must not keep others from signing in.
  if (!hasSetupLink(db, sha256(token), clock.now())) throw usedLink()
  const hash = await hashPassword(password, ctx)
  const session = await db.write((tx) => {
    const userPk = takeSetupLink(tx, sha256(token), tx.now) ?? fail(usedLink())
    if (name !== undefined) renameUser(tx, userPk, name)
    setPasswordHash(tx, userPk, hash)
    endSessionsOf(tx, userPk)
    return beginSession(tx, userPk, browser)
  })
  bus.wake()
  return session
}

const usedLink = () =>
  new Refusal(
    'unauthorized',
    'This setup link was used already, has expired, or was replaced by a newer one; ask for a new one.',
  )

/** Changes the password of the caller and ends every other session of theirs. */
export async function changePassword(
  ctx: AppContext,
  failures: FailedSignIns,
  caller: Caller,
  { current, password }: { current: string; password: string },
  { address }: Browser,
): Promise<void> {
  const { db, bus } = ctx
  checkedPassword(password)
  const { userPk, id } = getOwnSession(db, caller)
  const user = findUserByPk(db, userPk)
  const check = () => isPassword(current, user?.passwordHash ?? null, ctx)
  const isRight = await failures.limit(fold(user?.name ?? ''), address, check)
  if (!isRight) throw refused('The current password is wrong.')
  const hash = await hashPassword(password, ctx)
  await db.write((tx): void => {
    setPasswordHash(tx, userPk, hash)
    endSessionsOf(tx, userPk, id)
  })
  bus.wake()
}
