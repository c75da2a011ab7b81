import type { AppContext, Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import type { Authenticate } from '../http/authorizer.ts'
import type { Log } from '../lib/log.ts'
import { fail, Refusal } from '../refusal.ts'
import { checkedName } from './names.ts'
import {
  findKey,
  findKeyByHash,
  findKeyStanding,
  insertKey,
  type KeyRow,
  listKeyRows,
  markKeyRevoked,
  touchKey,
} from './store.ts'

const KEY_FORM = /^dbk_[A-Za-z0-9_-]{43}$/
const LAST_USED_STEP_MS = 60_000

/** `dbk_` and 256 random bits in URL-safe base64. */
const newSecret = (): string =>
  `dbk_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}`

const hashOf = (secret: string): string => new Bun.CryptoHasher('sha256').update(secret).digest('hex')

export interface NewKey {
  workspace: number
  user: number
  name: string
  scope: 'write' | 'read'
  expiresAt: number | null
}

/** Makes a key; `secret` is seen here and never again. */
export function createKey(tx: Tx, input: NewKey): { id: string; secret: string } {
  const secret = newSecret()
  const id = tx.newId()
  insertKey(tx, {
    ...input,
    name: checkedName(input.name, 'key'),
    id,
    hash: hashOf(secret),
    createdAt: tx.now,
  })
  return { id, secret }
}

/** Every key ever made, oldest first, with the names of its workspace and user (null once removed). */
export const listKeys = (reader: Reader) => listKeyRows(reader)

const unknownKey = (id: string) =>
  new Refusal('not_found', `There is no key with the id "${id}"; list the keys to see their ids.`)

/** Revoking a key twice is the same as once. A server that does so itself must wake its bus, for watches to close. */
export const revokeKey = (db: Db, id: string): Promise<KeyRow> =>
  db.write((tx) => {
    const key = findKey(tx, id) ?? fail(unknownKey(id))
    if (key.revokedAt === null) markKeyRevoked(tx, key.pk, tx.now)
    return { ...key, revokedAt: key.revokedAt ?? tx.now }
  })

/** Why a key opens nothing any more, or, while it does, until when (null: until it is revoked). */
export type KeyStanding =
  | { readonly opens: true; readonly expiresAt: number | null }
  | { readonly opens: false; readonly why: 'revoked' | 'expired' }

/** How a key stands that was good once: revoked stands also for a user who was taken out of the workspace. */
export function keyStanding({ db, clock }: Pick<AppContext, 'db' | 'clock'>, id: string): KeyStanding {
  const row = findKeyStanding(db, id)
  if (!row || row.role === null) return { opens: false, why: 'revoked' }
  const { expiresAt } = row
  if (expiresAt !== null && expiresAt <= clock.now()) return { opens: false, why: 'expired' }
  return { opens: true, expiresAt }
}

/** Notes when a key was last used, at most once a minute, without making the request wait. */
function createLastUsed(db: Db, log: Log) {
  const noted = new Map<number, number>()
  return (pk: number, before: number | null, now: number) => {
    const last = noted.get(pk) ?? before ?? 0
    if (now - last < LAST_USED_STEP_MS && now >= last) return
    noted.set(pk, now)
    db.write((tx) => touchKey(tx, pk, now)).catch((error) =>
      log.warn('could not note the use of a key', { error: String(error) }),
    )
  }
}

interface KnownKey {
  pk: number
  expiresAt: number | null
  lastUsedAt: number | null
  caller: Caller
}

/** Whose key this is as of now: with the role of now, so that a viewer may not write and a removed user's key opens nothing. */
function findKnownKey(db: Db, secret: string): KnownKey | undefined {
  const row = findKeyByHash(db, hashOf(secret))
  if (!row || row.userId === null || row.role === null) return undefined
  const { pk, expiresAt, lastUsedAt } = row
  const caller: Caller = {
    workspacePk: row.workspacePk,
    workspaceId: row.workspaceId,
    userId: row.userId,
    keyId: row.id,
    keyName: row.name,
    scope: row.scope,
    mayWrite: row.scope === 'write' && row.role !== 'viewer',
    surface: 'api',
  }
  return { pk, expiresAt, lastUsedAt, caller }
}

/** One that is not known may have been made by another process a moment ago. */
function findKeyAnew(db: Db, secret: string): KnownKey | undefined {
  db.refresh()
  return findKnownKey(db, secret)
}

/**
 * Looks a key up by its hash, once in every snapshot of the database: a revocation holds at once, one by another
 * process a few milliseconds later.
 */
export function createAuthenticate({ db, clock, log }: AppContext): Authenticate {
  const noteUse = createLastUsed(db, log)
  return (secret): Caller | undefined => {
    if (!KEY_FORM.test(secret)) return undefined
    const key = db.sql.remember(secret, () => findKnownKey(db, secret)) ?? findKeyAnew(db, secret)
    const now = clock.now()
    if (!key || (key.expiresAt !== null && key.expiresAt <= now)) return undefined
    noteUse(key.pk, key.lastUsedAt, now)
    return key.caller
  }
}
