import { and, desc, eq, getTableColumns, gt, lte, or, sql } from 'drizzle-orm'
import { deleteSessionsIn, membershipOf } from '../account/store.ts'
import { from, insertInto, orm, rowBy, rowsBy, runBy, update, upsertInto } from '../db/query.ts'
import type { Reader } from '../db/reader.ts'
import { users } from '../db/schema/account.ts'
import { serverAddress, sessions, setupLinks, signInAddresses } from '../db/schema/sessions.ts'
import type { Tx } from '../db/writes/transaction.ts'

/** A session with its user and the user's role in the workspace of the session, null where they are no member of it. */
export type SessionRow = NonNullable<ReturnType<typeof findSessionById>>

const { pk, id, hash, createdAt, lastUsedAt } = sessions

const whole = () =>
  from(sessions, {
    pk,
    id,
    hash,
    userPk: sessions.user,
    workspacePk: sessions.workspace,
    createdAt,
    lastUsedAt,
    address: sessions.address,
    userAgent: sessions.userAgent,
    userId: sql<string>`(SELECT id FROM users u WHERE u.pk = sessions.user)`,
    workspaceId: sql<string>`(SELECT id FROM workspaces w WHERE w.pk = sessions.workspace)`,
    ...membershipOf(sql`sessions.workspace`, sql`sessions.user`),
  })

export const findSessionByHash = rowBy((digest: string) => whole().where(eq(hash, digest)))

export const findSessionById = rowBy((session: string) => whole().where(eq(id, session)))

/** When a session began and was last used, and the role and access of its user in a workspace, null for no member of it. */
export const findSessionIn = rowBy((session: string, workspace: number) =>
  from(sessions, {
    createdAt,
    lastUsedAt,
    ...membershipOf(workspace, sql`sessions.user`),
  }).where(eq(id, session)),
)

/** Most recently used first. */
export const listSessionRows = rowsBy((user: number) =>
  whole().where(eq(sessions.user, user)).orderBy(desc(lastUsedAt), desc(pk)),
)

const insert = insertInto(sessions)

type NewSession = Pick<SessionRow, 'hash' | 'userPk' | 'workspacePk' | 'address' | 'userAgent'>

export function insertSession(
  tx: Tx,
  { userPk: user, workspacePk: workspace, ...session }: NewSession,
): string {
  const newId = tx.newId()
  insert(tx, { ...session, id: newId, user, workspace, createdAt: tx.now, lastUsedAt: tx.now })
  return newId
}

export const touchSession = runBy((session: number, now: number) =>
  update(sessions, { lastUsedAt: sql`max(last_used_at, ${now})` }, eq(pk, session)),
)

export const setSessionWorkspace = runBy((session: number, workspace: number) =>
  update(sessions, { workspace }, eq(pk, session)),
)

const setSessionId = runBy((session: number, newId: string) =>
  update(sessions, { id: newId }, eq(pk, session)),
)

/** Ends the sessions of a user that look into a workspace, and what others began there: these go on under another id. */
export function endSessionsIn(tx: Tx, workspace: number, user: number): void {
  deleteSessionsIn(tx, workspace, user)
  for (const session of listSessionRows(tx, user)) setSessionId(tx, session.pk, tx.newId())
}

export const deleteSession = runBy((session: number) => orm.delete(sessions).where(eq(pk, session)))

/** Removes sessions that were last used, or made, before these instants. */
export const deleteSessionsBefore = runBy((usedAt: number, madeAt: number) =>
  orm.delete(sessions).where(or(lte(lastUsedAt, usedAt), lte(createdAt, madeAt))),
)

/** Stores the only valid link of a user; an older one is void from now on. */
export const saveSetupLink = upsertInto(setupLinks, setupLinks.user)

export const findSetupLink = rowBy((digest: string) =>
  from(setupLinks, getTableColumns(setupLinks)).where(eq(setupLinks.hash, digest)),
)

export const setUsedLink = runBy((user: number) => update(users, { usedLink: 1 }, eq(users.pk, user)))

const MAX_ADDRESSES = 1_000

const { user: ofUser, address: ofAddress, at: signedInAt } = signInAddresses

const putAddress = upsertInto(signInAddresses, [ofUser, ofAddress])
const deleteOldAddresses = runBy((user: number) =>
  orm.delete(signInAddresses).where(
    and(
      eq(ofUser, user),
      sql`address IN (SELECT address FROM sign_in_addresses WHERE user = ${user}
        ORDER BY at DESC LIMIT -1 OFFSET ${sql.raw(String(MAX_ADDRESSES))})`,
    ),
  ),
)

/** Notes that a user signed in from an address. */
export function saveSignInAddress(tx: Tx, user: number, address: string): void {
  putAddress(tx, { user, address, at: tx.now })
  deleteOldAddresses(tx, user)
}

const findAddress = rowBy((user: number, address: string, after: number) =>
  from(signInAddresses, { at: signedInAt }).where(
    and(eq(ofUser, user), eq(ofAddress, address), gt(signedInAt, after)),
  ),
)

/** Whether a user has signed in from the address after an instant. */
export const hasSignedInFrom = (reader: Reader, user: number, address: string, after: number): boolean =>
  findAddress(reader, user, address, after) !== undefined

/** Removes addresses from which nobody signed in after this instant. */
export const deleteSignInAddressesBefore = runBy((at: number) =>
  orm.delete(signInAddresses).where(lte(signedInAt, at)),
)

/** Where it listens, in a database of any version. */
export const findServerUrl = (reader: Reader): string | undefined => findUrl(reader)?.url

const findUrl = rowBy(() => from(serverAddress, { url: serverAddress.url }))

/** Where the server that runs on this database, or ran last, is reached. */
export const findServerAddress = rowBy(() => from(serverAddress, getTableColumns(serverAddress)))

export const saveServerAddress = upsertInto(serverAddress, serverAddress.pk)
