import type { Static } from '@sinclair/typebox'
import { eq, getTableColumns } from 'drizzle-orm'
import type { AppContext, Caller } from '../../context.ts'
import { unknownPath } from '../../http/errors.ts'
import { guestCredential } from '../../kernel/call.ts'
import { write } from '../../kernel/operation.ts'
import { addressGroup } from '../../lib/address-group.ts'
import { atPlace, fail, invalid, Refusal, refused } from '../../lib/refusal.ts'
import { sha256 } from '../../lib/sha256.ts'
import { notifyAfterCommit } from '../../log/log.ts'
import { from, rowBy, runBy, update, upsertInto } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { users } from '../../storage/schema/account.ts'
import { setupLinks } from '../../storage/schema/sessions.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { nameKey, trimmedName } from '../accounts/names.ts'
import { checkedPassword, hashPassword, isPassword } from '../accounts/passwords.ts'
import {
  endSessionsOf,
  findUserByPk,
  isLinked,
  listPasskeysOf,
  ownsWorkspacesOf,
  type ProviderSettings,
  presentPasskey,
  setClosedWorkspace,
  setPasswordHash,
} from '../accounts/store.ts'
import { findUserByName, freeUserName, getUser, renameUser } from '../accounts/users.ts'
import { newToken } from './cookie.ts'
import { type FailedSignIns, type SignInOrigin, saveSignInAddress } from './failed-sign-ins.ts'
import type { PasswordBody, SetupBody } from './schema.ts'
import { getOwnSession, getRecentSession, insertSession, listEnterable, sessionSettings } from './sessions.ts'

export interface Browser {
  readonly address: string
  readonly userAgent: string
}

/** A new session; the token cannot be read again later. */
export interface NewSession {
  readonly sessionId: string
  readonly token: string
}

/** The same sentence for an unknown user, a user without a password and a wrong password. */
const wrongPair = () => new Refusal('unauthorized', 'This user name and password do not go together.')

/** A browser that begins a session, and the settings of the server that its session depends on. */
export interface Entrance {
  readonly browser: Browser
  readonly settings: ProviderSettings
}

/** Begins a session in the first workspace of a user; throws the refusal if the user belongs to none. */
export function beginSession(
  tx: Tx,
  userPk: number,
  { browser: { address, userAgent }, settings }: Entrance,
  refusal: () => Error,
): NewSession {
  const [workspace] = listEnterable(tx, userPk, settings)
  if (!workspace) throw refusal()
  const token = newToken()
  const { workspacePk } = workspace
  const sessionId = insertSession(tx, { hash: sha256(token), userPk, workspacePk, address, userAgent })
  saveSignInAddress(tx, userPk, addressGroup(address))
  return { sessionId, token }
}

interface CheckedPassword extends Entrance {
  readonly userPk: number
  /** The hash that the password was checked against. */
  readonly hash: string | null
}

export const enterWithPassword = write({
  name: 'sessions.enterWithPassword',
  covers: 'nothing',
  run: (tx, _, { userPk, hash, ...entrance }: CheckedPassword) => {
    if (findUserByPk(tx, userPk)?.passwordHash !== hash) throw wrongPair()
    return beginSession(tx, userPk, entrance, wrongPair)
  },
})

export async function signIn(
  ctx: AppContext,
  failures: FailedSignIns,
  { user: name, password }: { user: string; password: string },
  browser: Browser,
): Promise<NewSession> {
  const { db, kernel } = ctx
  const user = findUserByName(db, name)
  const check = ({ address, isKnown }: SignInOrigin) => {
    const place = { line: isKnown ? 'known addresses' : 'addresses', key: address } as const
    return isPassword(password, user?.passwordHash ?? null, place, ctx)
  }
  const attempt = { user: user?.pk ?? nameKey(name), address: browser.address }
  if (!(await failures.limit(attempt, check)) || !user) throw wrongPair()
  const checked = { userPk: user.pk, hash: user.passwordHash, browser, settings: sessionSettings(ctx) }
  return kernel.call(enterWithPassword, guestCredential(browser.address), checked)
}

/** For the link of a demo server, which signs in without a password. */
export const enterDemo = write({
  name: 'sessions.enterDemo',
  covers: 'nothing',
  run: (tx, _, { user, ...entrance }: Entrance & { readonly user: string }) =>
    beginSession(tx, getUser(tx, user).pk, entrance, unknownPath),
})

interface SetUp extends Entrance {
  readonly token: string
  readonly name: string | undefined
  /** The hash of the new password. */
  readonly hash: string
}

export const enterWithSetupLink = write({
  name: 'sessions.enterWithSetupLink',
  covers: 'nothing',
  run: (tx, _, { token, name, hash, ...entrance }: SetUp) => {
    const userPk = findUserOfLink(tx, token, tx.now) ?? fail(usedLink())
    setPasswordHash(tx, userPk, hash)
    return acceptSetupLink(tx, userPk, name, entrance)
  },
})

/** Uses up a setup link: sets the password and the name, if given, and begins a session. Other sessions end. */
export async function setUp(
  ctx: AppContext,
  { token, password, user: name }: Static<typeof SetupBody>,
  browser: Browser,
): Promise<NewSession> {
  const { db, kernel, clock } = ctx
  checkedPassword(password)
  // Hashing is slow: a client without a valid link must not delay other sign-ins.
  const invited = findUserOfLink(db, token, clock.now()) ?? fail(usedLink())
  const hash = await hashPassword(password, { line: 'users', key: `invited ${invited}` }, ctx)
  const input = { token, name, hash, browser, settings: sessionSettings(ctx) }
  return kernel.call(enterWithSetupLink, guestCredential(browser.address), input)
}

/** The common effect of all setup links: sets the chosen name, if any, begins a session and ends all others. */
export function acceptSetupLink(
  tx: Tx,
  userPk: number,
  name: string | undefined,
  entrance: Entrance,
): NewSession {
  if (name !== undefined) chooseName(tx, userPk, name)
  setUsedLink(tx, userPk)
  setClosedWorkspace(tx, userPk, null)
  endSessionsOf(tx, userPk)
  notifyAfterCommit(tx)
  return beginSession(tx, userPk, entrance, usedLink)
}

export const usedLink = () =>
  new Refusal(
    'unauthorized',
    'This setup link was used, replaced or revoked, or has expired; ask for a new one.',
  )

/** Renames an invited user, who may choose a name with their first setup link. */
function chooseName(tx: Tx, userPk: number, name: string): void {
  checkChoice(tx, userPk, name)
  renameUser(tx, userPk, name)
}

export function checkChoice(reader: Reader, userPk: number, name: string): void {
  const user = findUserByPk(reader, userPk)
  if (user?.name === trimmedName(name)) return
  if (user?.usedLink === 1)
    throw refused(
      `A name is chosen with the first link only; leave the name out, you sign in as "${user.name}".`,
      atPlace('name'),
    )
  freeUserName(reader, name, userPk)
}

/**
 * Checks and hashes a new password of the caller, which `setPassword` then stores. A caller without a password needs no
 * current one, but must have signed in recently.
 */
export async function hashNewPassword(
  ctx: AppContext,
  failures: FailedSignIns,
  caller: Caller,
  { current, password }: Static<typeof PasswordBody>,
  { address }: Browser,
): Promise<{ before: string | null; hash: string }> {
  const { db, clock } = ctx
  checkedPassword(password)
  const { userPk } = getOwnSession(db, caller)
  const place = { line: 'users', key: caller.userId } as const
  const before = findUserByPk(db, userPk)?.passwordHash ?? null
  if (before === null && current === undefined) getRecentSession(db, caller, clock.now())
  else await checkCurrent(current ?? fail(invalid('"current" is required.', atPlace('current'))), before)
  return { before, hash: await hashPassword(password, place, ctx) }

  async function checkCurrent(sent: string, hash: string | null): Promise<void> {
    const isRight = await failures.limit({ user: userPk, address }, () => isPassword(sent, hash, place, ctx))
    if (!isRight) throw refused('The current password is wrong.', atPlace('current'))
  }
}

/** Stores the only valid link of a user; older links become void. */
const saveSetupLink = upsertInto(setupLinks, setupLinks.user)

const findSetupLink = rowBy((digest: string) =>
  from(setupLinks, getTableColumns(setupLinks)).where(eq(setupLinks.hash, digest)),
)

const setUsedLink = runBy((user: number) => update(users, { usedLink: 1 }, eq(users.pk, user)))

const LINK_VALID_MS = 30 * 60_000

export interface SetupLink {
  readonly link: string
  readonly expiresAt: number
}

/** The user that the link signs in, and its creator; null for the command line. */
interface NewSetupLink {
  readonly userPk: number
  readonly maker: number | null
}

/**
 * Creates the link with which a user sets a password and signs in, once; it voids the user's older links. The token is
 * in the fragment of the link, which browsers do not send, so that no log contains it. `origin` is the origin of the
 * application.
 */
export function createSetupLink(tx: Tx, { userPk, maker }: NewSetupLink, origin: string): SetupLink {
  const token = newToken()
  const expiresAt = tx.now + LINK_VALID_MS
  saveSetupLink(tx, { user: userPk, maker, hash: sha256(token), expiresAt })
  return { link: `${origin}/app#setup=${token}`, expiresAt }
}

/**
 * The pk of the user whose valid link has this token. Also undefined if the link's creator could no longer create it
 * now.
 */
export function findUserOfLink(reader: Reader, token: string, now: number): number | undefined {
  const link = findSetupLink(reader, sha256(token))
  if (!link || link.expiresAt <= now) return undefined
  const { user: userPk, maker } = link
  return maker === null || ownsWorkspacesOf(reader, maker, userPk) ? userPk : undefined
}

/** The user of a setup link, with their other sign-in options. */
export function presentSetup({ db: reader, config, clock }: AppContext, token: string) {
  const userPk = findUserOfLink(reader, token, clock.now()) ?? fail(usedLink())
  const user = findUserByPk(reader, userPk) ?? fail(usedLink())
  return {
    user: { name: user.name },
    has_password: user.passwordHash !== null,
    passkeys: listPasskeysOf(reader, userPk).map(presentPasskey),
    oidc_linked: isLinked(reader, userPk, config),
  }
}
