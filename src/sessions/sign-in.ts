import { nameKey, trimmedName } from '../account/names.ts'
import { checkedPassword, hashPassword, isPassword } from '../account/passwords.ts'
import { endSessionsOf, findUserByPk, listMembershipsOf, setPasswordHash } from '../account/store.ts'
import { findUserByName, renameUser } from '../account/users.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { addressGroup } from '../lib/address-group.ts'
import { sha256 } from '../lib/sha256.ts'
import { fail, Refusal, refused } from '../refusal.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'
import { getOwnSession } from './sessions.ts'
import { findUserOfLink } from './setup-links.ts'
import { insertSession, saveSignInAddress, setUsedLink } from './store.ts'
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
  saveSignInAddress(tx, userPk, addressGroup(address))
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
  const user = findUserByName(db, name)
  const check = () => isPassword(password, user?.passwordHash ?? null, ctx)
  const attempt = { user: user?.pk ?? nameKey(name), address: browser.address }
  if (!(await failures.limit(attempt, check)) || !user) throw wrongPair()
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
  if (findUserOfLink(db, token, clock.now()) === undefined) throw usedLink()
  const hash = await hashPassword(password, ctx)
  const session = await db.write((tx) => {
    const userPk = findUserOfLink(tx, token, tx.now) ?? fail(usedLink())
    if (name !== undefined) chooseName(tx, userPk, name)
    setPasswordHash(tx, userPk, hash)
    setUsedLink(tx, userPk)
    endSessionsOf(tx, userPk)
    return beginSession(tx, userPk, browser)
  })
  bus.wake()
  return session
}

const usedLink = () =>
  new Refusal(
    'unauthorized',
    'This setup link was used already, has expired, is void after a change of its user or of who made it, or was replaced by a newer one; ask for a new one.',
  )

/** Who is invited may choose another name with their first link; others know them by it from then on. */
function chooseName(tx: Tx, userPk: number, name: string): void {
  const user = findUserByPk(tx, userPk)
  if (user?.name === trimmedName(name)) return
  if (user?.usedLink === 1)
    throw refused(
      `A name is chosen with the first link only; leave the name out, you sign in as "${user.name}".`,
    )
  renameUser(tx, userPk, name)
}

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
  const isRight = await failures.limit({ user: userPk, address }, check)
  if (!isRight) throw refused('The current password is wrong.')
  const hash = await hashPassword(password, ctx)
  await db.write((tx): void => {
    getOwnSession(tx, caller)
    setPasswordHash(tx, userPk, hash)
    endSessionsOf(tx, userPk, id)
  })
  bus.wake()
}
