import { and, count, eq, getTableColumns, gt, isNull, or, sql } from 'drizzle-orm'
import { type AppContext, type Caller, isReadOnlyCopy } from '../../context.ts'
import type { Authenticate } from '../../http/authorizer.ts'
import { type Access, type CredentialState, readAccess, rightsOf, storedAccess } from '../../kernel/caller.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Log } from '../../lib/log.ts'
import { fail, Refusal, refused } from '../../lib/refusal.ts'
import { sha256 } from '../../lib/sha256.ts'
import type { Db } from '../../storage/database.ts'
import { from, insertInto, rowBy, rowsBy, updateOf, valueBy } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { keys, type Role } from '../../storage/schema/account.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { checkedName } from './names.ts'
import { type KeyRow, membershipOf } from './store.ts'

const KEY_PATTERN = /^dbk_[A-Za-z0-9_-]{43}$/

/** `dbk_` and 256 random bits in URL-safe base64. */
const newSecret = (): string =>
  `dbk_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}`

interface NewKey {
  workspace: number
  user: number
  name: string
  scope: 'write' | 'read'
  expiresAt: number | null
  /** The part of the user's access that the key has; null for all of it. */
  access?: Access | null
}

const MAX_KEYS = 100

const insertKey = insertInto(keys)

/** Creates a key. Only its hash is stored, so `secret` cannot be read again later. A member has up to 100 valid keys. */
export function createKey(tx: Tx, input: NewKey): { id: string; secret: string } {
  refuseTooMany(tx, input)
  const secret = newSecret()
  const id = tx.newId()
  const { workspace, user, scope, expiresAt } = input
  const access = storedAccess(input.access)
  const name = checkedName(input.name, 'key')
  const hash = sha256(secret)
  insertKey(tx, { id, workspace, user, name, scope, access, hash, createdAt: tx.now, expiresAt })
  return { id, secret }
}

const countValid = valueBy((workspace: number, user: number, now: number) =>
  from(keys, { value: count() }).where(
    and(
      eq(keys.workspace, workspace),
      eq(keys.user, user),
      isNull(keys.revokedAt),
      or(isNull(keys.expiresAt), gt(keys.expiresAt, now)),
    ),
  ),
)

function refuseTooMany(tx: Tx, { workspace, user }: NewKey): void {
  if (countValid(tx, workspace, user, tx.now) >= MAX_KEYS)
    throw refused(`A member has at most ${MAX_KEYS} keys in a workspace; revoke one that is no longer used.`)
}

const unknownKey = (nameOrId: string) =>
  new Refusal('not_found', `There is no key with the name or id "${nameOrId}"; list the keys to see them.`)

/** The key with this id, or else with this name. A name matches a revoked key only when no valid key has it. */
export function getKey(reader: Reader, nameOrId: string): KeyRow {
  const byId = findKey(reader, nameOrId)
  if (byId) return byId
  const named = listKeys(reader).filter(({ name }) => name === nameOrId)
  const valid = named.filter(({ revokedAt }) => revokedAt === null)
  if (valid.length > 1) {
    throw refused(
      `Several keys have the name "${nameOrId}"; give the id of one: ${valid.map(({ id }) => id).join(', ')}.`,
    )
  }
  return valid[0] ?? named.at(-1) ?? fail(unknownKey(nameOrId))
}

const updateKey = updateOf(keys, keys.pk)

/** Replaces the access of a key; null grants everything that its user can access. */
export const setKeyAccess = (tx: Tx, { pk }: KeyRow, access: Access | null): void =>
  updateKey(tx, pk, { access: storedAccess(access) })

/**
 * Revokes a key; repeating this changes nothing. A server that calls this must also notify its bus, so that streams are
 * closed.
 */
export function revokeKey(tx: Tx, { id }: KeyRow): void {
  const key = findKey(tx, id)
  if (key?.revokedAt === null) updateKey(tx, key.pk, { revokedAt: tx.now })
}

/** The current state of a key that was once valid. A key whose user left the workspace counts as revoked. */
export function findKeyState(reader: Reader, id: string, now: number): CredentialState {
  const row = reader.sql.memoize(`key ${id}`, () => {
    const found = findUnrevokedKey(reader, id)
    return found && { ...found, rights: rightsOfKey(found) }
  })
  if (!row || row.role === null) return { isValid: false, end: 'key_revoked' }
  const { expiresAt, scope, role, rights } = row
  if (expiresAt !== null && expiresAt <= now) return { isValid: false, end: 'key_expired' }
  return { isValid: true, expiresAt, permissions: { scope, role, rights } }
}

interface KnownKey {
  pk: number
  expiresAt: number | null
  lastUsedAt: number | null
  caller: Caller
}

/**
 * The key with the current role of its user: viewers may not write, and keys of removed users are not found. In a
 * read-only copy no key may write.
 */
function findKnownKey(reader: Reader, mayNobodyWrite: boolean, secret: string): KnownKey | undefined {
  const row = findKeyByHash(reader, sha256(secret))
  if (!row || row.userId === null || row.role === null) return undefined
  const { pk, expiresAt, lastUsedAt } = row
  const caller: Caller = {
    workspacePk: row.workspacePk,
    workspaceId: row.workspaceId,
    userId: row.userId,
    keyId: row.id,
    keyName: row.name,
    scope: row.scope,
    role: row.role,
    mayWrite: row.scope === 'write' && row.role !== 'viewer' && !mayNobodyWrite,
    surface: 'api',
    rights: rightsOfKey(row),
  }
  return { pk, expiresAt, lastUsedAt, caller }
}

/** Authenticates by the hash of the key. `Sql.memoize` caches the lookup across requests. */
export function createAuthenticate(ctx: AppContext): Authenticate {
  const { db, clock } = ctx
  const isReadOnly = isReadOnlyCopy(ctx)
  const recordUse = createUsageRecorder(ctx, 'key', touchKey)
  return (secret): Caller | undefined => {
    if (!KEY_PATTERN.test(secret)) return undefined
    const key = db.sql.memoize(secret, () => findKnownKey(db, isReadOnly, secret))
    const now = clock.now()
    if (!key || (key.expiresAt !== null && key.expiresAt <= now)) return undefined
    recordUse(key.pk, key.lastUsedAt, now)
    return key.caller
  }
}

/** The permissions of a key, derived from its scope and access and from its user's role and access. */
const rightsOfKey = ({ access, memberAccess, scope, role }: KeyAccess) =>
  rightsOf([readAccess(memberAccess), readAccess(access)], scope === 'write' && role !== 'viewer')

interface KeyAccess {
  readonly access: string | null
  readonly memberAccess: string | null
  readonly scope: Caller['scope']
  readonly role: Role | null
}

/** The current membership of its user in the workspace. */
const MEMBERSHIP = membershipOf(sql`keys.workspace`, sql`keys.user`)
const RIGHT = {
  expiresAt: keys.expiresAt,
  scope: keys.scope,
  access: keys.access,
  role: MEMBERSHIP.role,
  memberAccess: MEMBERSHIP.access,
}
const USER_ID = sql<string | null>`(SELECT id FROM users u WHERE u.pk = keys.user)`

/** The key with its user; undefined for a revoked key. */
const findKeyByHash = rowBy((hash: string) =>
  from(keys, {
    ...RIGHT,
    pk: keys.pk,
    id: keys.id,
    name: keys.name,
    lastUsedAt: keys.lastUsedAt,
    workspacePk: keys.workspace,
    workspaceId: sql<string>`(SELECT id FROM workspaces w WHERE w.pk = keys.workspace)`,
    userId: USER_ID,
  }).where(and(eq(keys.hash, hash), isNull(keys.revokedAt))),
)

const findUnrevokedKey = rowBy((id: string) =>
  from(keys, RIGHT).where(and(eq(keys.id, id), isNull(keys.revokedAt))),
)

const touchKey = (tx: Tx, pk: number, now: number) => updateKey(tx, pk, { lastUsedAt: now })

/** A key of any workspace, revoked ones too. */
export const findKey = rowBy((id: string) => from(keys, getTableColumns(keys)).where(eq(keys.id, id)))

/** Keys with the names of their workspace and user; the user's name is null once the user is deleted. */
const withNames = () =>
  from(keys, {
    ...getTableColumns(keys),
    workspaceName: sql<string>`(SELECT name FROM workspaces w WHERE w.pk = keys.workspace)`,
    userName: sql<string | null>`(SELECT name FROM users u WHERE u.pk = keys.user)`,
    userId: USER_ID,
  })

export type ListedKey = ReturnType<typeof listKeys>[number]

/** All keys, revoked ones included, oldest first. */
export const listKeys = rowsBy(() => withNames().orderBy(keys.pk))

export const listKeysOf = rowsBy((workspace: number) =>
  withNames().where(eq(keys.workspace, workspace)).orderBy(keys.pk),
)

const INTERVAL_MS = 60_000
const MAX_KNOWN = 10_000

/**
 * Records the last use of a key, session or connected app, at most once a minute and without delaying the request. `touch` writes it;
 * `lastUsedAt` is the value that was read with it, null before its first use.
 */
export function createUsageRecorder(
  { db, log }: { db: Db; log: Log },
  what: 'key' | 'session' | 'connected app',
  touch: (tx: Tx, pk: number, now: number) => unknown,
): (pk: number, lastUsedAt: number | null, now: number) => void {
  const recorded = new BoundedCache<number, number>(MAX_KNOWN)
  return (pk, lastUsedAt, now) => {
    const last = recorded.get(pk) ?? lastUsedAt ?? 0
    if (now - last < INTERVAL_MS && now >= last) return
    recorded.set(pk, now)
    db.write((tx): void => void touch(tx, pk, now)).catch((error) =>
      log.warn(`could not record the use of a ${what}`, { error: String(error) }),
    )
  }
}
