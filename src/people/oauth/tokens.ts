import { eq, getTableColumns, lte } from 'drizzle-orm'
import type { Access } from '../../kernel/caller.ts'
import { storedAccess } from '../../kernel/caller.ts'
import { write } from '../../kernel/operation.ts'
import { DAY_MS, HOUR_MS } from '../../lib/dates.ts'
import { nodeCrypto } from '../../lib/node-modules.ts'
import { sha256 } from '../../lib/sha256.ts'
import { notifyAfterCommit } from '../../log/log.ts'
import { from, insertInto, orm, rowBy, runBy } from '../../storage/query.ts'
import { appCodes } from '../../storage/schema/apps.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import {
  ACCESS_TOKEN,
  type AppRow,
  addAccessToken,
  addApp,
  disconnect,
  findAppOfCode,
  findAppOfFamily,
  findAppOfToken,
  isAlive,
  removeExpiredApps,
  removeExpiredTokens,
  setRefreshToken,
} from '../accounts/apps.ts'
import { newToken } from '../sessions/cookie.ts'
import { removeUnusedClients } from './clients.ts'

/*
 * Codes, access tokens and refresh tokens. Only their hashes are stored. All refresh tokens of an app begin with the
 * same secret part, its family: a token of a known family that is not the current one was used before, which means that
 * it was copied.
 */

const CODE_MS = 60_000
export const ACCESS_TOKEN_SECONDS = HOUR_MS / 1_000
const REFRESH_TOKEN_MS = 30 * DAY_MS

const CODE = /^dbc_[A-Za-z0-9_-]{43}$/
const FAMILY_LENGTH = 'dbr_'.length + 43
const REFRESH_TOKEN = /^dbr_[A-Za-z0-9_-]{86}$/

const familyOf = (refreshToken: string): string => sha256(refreshToken.slice(0, FAMILY_LENGTH))

/** The consent of a user to a client. */
export interface Consent {
  readonly workspace: number
  readonly user: number
  readonly client: string
  readonly name: string
  readonly host: string
  readonly scope: 'write' | 'read'
  readonly access: Access | null
  readonly redirectUri: string
  readonly challenge: string
}

const insertCode = insertInto(appCodes)

/** A code for a client, which is valid once and for 60 seconds. */
export function issueCode(tx: Tx, { access, ...consent }: Consent): string {
  const code = `dbc_${newToken()}`
  const expiresAt = tx.now + CODE_MS
  insertCode(tx, { ...consent, hash: sha256(code), access: storedAccess(access), expiresAt })
  return code
}

const findCode = rowBy((hash: string) =>
  from(appCodes, getTableColumns(appCodes)).where(eq(appCodes.hash, hash)),
)
const deleteCode = runBy((pk: number) => orm.delete(appCodes).where(eq(appCodes.pk, pk)))
const deleteCodesBefore = runBy((now: number) => orm.delete(appCodes).where(lte(appCodes.expiresAt, now)))

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly scope: 'write' | 'read'
}

/** The reason why a code or refresh token gives no tokens. `replayed` means that the app was disconnected. */
export type TokenFailure = 'unknown' | 'replayed' | 'mismatch' | 'too-wide'

function newAccessToken(tx: Tx, app: number): string {
  const accessToken = `dba_${newToken()}`
  addAccessToken(tx, app, sha256(accessToken), tx.now + HOUR_MS)
  return accessToken
}

function endReplayed(tx: Tx, app: AppRow): TokenFailure {
  disconnect(tx, app)
  notifyAfterCommit(tx)
  return 'replayed'
}

interface CodeExchange {
  readonly type: 'authorization_code'
  readonly code: string
  /** Undefined if the client does not repeat it. */
  readonly redirectUri: string | undefined
  readonly verifier: string
}

interface Refresh {
  readonly type: 'refresh_token'
  readonly token: string
  readonly wantsWrite: boolean
}

/** The credential that a client exchanges for tokens, by grant type. */
export type TokenCredential = CodeExchange | Refresh

interface Issue {
  /** The id of the client. */
  readonly client: string
}

export const issueTokens = write({
  name: 'oauth.issueTokens',
  covers: 'nothing',
  run: (tx, _, input: TokenCredential & Issue) =>
    input.type === 'refresh_token'
      ? refresh(tx, input.token, input.client, input.wantsWrite)
      : exchangeCode(tx, input),
})

/** The challenge (S256) of a PKCE verifier. */
const challengeOf = (verifier: string): string =>
  nodeCrypto().createHash('sha256').update(verifier).digest('base64url')

/** Connects the app. A code that comes again disconnects the app that the first use has connected. */
export function exchangeCode(
  tx: Tx,
  { code, client, redirectUri, verifier }: Omit<CodeExchange, 'type'> & Issue,
): Tokens | TokenFailure {
  if (!CODE.test(code)) return 'unknown'
  const codeHash = sha256(code)
  const used = findAppOfCode(tx, codeHash)
  if (used) return endReplayed(tx, used)
  const found = findCode(tx, codeHash)
  if (!found || found.expiresAt <= tx.now) return 'unknown'
  const { pk, hash: _, redirectUri: requested, challenge, expiresAt: __, ...consent } = found
  const isSame = client === found.client && (redirectUri ?? requested) === requested
  if (!isSame || challengeOf(verifier) !== challenge) return 'mismatch'
  deleteCode(tx, pk)
  const refreshToken = `dbr_${newToken()}${newToken()}`
  const app = addApp(tx, {
    ...consent,
    codeHash,
    familyHash: familyOf(refreshToken),
    refreshHash: sha256(refreshToken),
    refreshExpiresAt: tx.now + REFRESH_TOKEN_MS,
  })
  return { accessToken: newAccessToken(tx, app), refreshToken, scope: found.scope }
}

/** Rotates the refresh token of an app. A token that was rotated before disconnects the app. */
export function refresh(tx: Tx, token: string, client: string, wantsWrite: boolean): Tokens | TokenFailure {
  if (!REFRESH_TOKEN.test(token)) return 'unknown'
  const app = findAppOfFamily(tx, familyOf(token))
  if (!app || !isAlive(app, tx.now)) return 'unknown'
  if (app.refreshHash !== sha256(token)) return endReplayed(tx, app)
  if (app.client !== client) return 'mismatch'
  if (wantsWrite && app.scope === 'read') return 'too-wide'
  const refreshToken = token.slice(0, FAMILY_LENGTH) + newToken()
  setRefreshToken(tx, app.pk, sha256(refreshToken), tx.now + REFRESH_TOKEN_MS)
  return { accessToken: newAccessToken(tx, app.pk), refreshToken, scope: app.scope }
}

/** Disconnects the app of an access or refresh token (RFC 7009), unless the client says it is another one. */
export const revokeToken = write({
  name: 'oauth.revokeToken',
  covers: 'nothing',
  run: (tx, _, { token, client }: { readonly token: string; readonly client: string | undefined }): void => {
    const app = REFRESH_TOKEN.test(token)
      ? findAppOfFamily(tx, familyOf(token))
      : ACCESS_TOKEN.test(token)
        ? findAppOfToken(tx, sha256(token))
        : undefined
    if (!app || (client !== undefined && client !== app.client)) return
    disconnect(tx, app)
    notifyAfterCommit(tx)
  },
})

/** Removes what has expired: codes, tokens, apps that can get no more tokens, and unused clients. */
export function removeExpired(tx: Tx): void {
  deleteCodesBefore(tx, tx.now)
  removeExpiredTokens(tx)
  removeExpiredApps(tx)
  removeUnusedClients(tx)
}
