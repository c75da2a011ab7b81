import type { Reader } from '../db/reader.ts'
import type { Role } from '../db/schema/account.ts'
import type { Tx } from '../db/writes/transaction.ts'

/** A session with its user and the user's role in the workspace of the session. */
export interface SessionRow {
  pk: number
  id: string
  userPk: number
  userId: string
  workspacePk: number
  workspaceId: string
  /** Null where the user is no member of the workspace. */
  role: Role | null
  createdAt: number
  lastUsedAt: number
  address: string
  userAgent: string
}

const COLUMNS = `s.pk, s.id, s.user AS userPk, s.workspace AS workspacePk, s.created_at AS createdAt,
  s.last_used_at AS lastUsedAt, s.address, s.user_agent AS userAgent,
  (SELECT id FROM users u WHERE u.pk = s.user) AS userId,
  (SELECT id FROM workspaces w WHERE w.pk = s.workspace) AS workspaceId,
  (SELECT role FROM members m WHERE m.workspace = s.workspace AND m.user = s.user) AS role`

export const findSessionByHash = ({ sql }: Reader, hash: string): SessionRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM sessions s WHERE s.hash = ?`, hash)

export const findSessionById = ({ sql }: Reader, id: string): SessionRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM sessions s WHERE s.id = ?`, id)

/** When a session began and was last used, and the role of its user in a workspace, null for no member of it. */
export const findSessionIn = (
  { sql }: Reader,
  id: string,
  workspacePk: number,
): Pick<SessionRow, 'createdAt' | 'lastUsedAt' | 'role'> | undefined =>
  sql.get(
    `SELECT s.created_at AS createdAt, s.last_used_at AS lastUsedAt,
       (SELECT role FROM members m WHERE m.workspace = ? AND m.user = s.user) AS role
     FROM sessions s WHERE s.id = ?`,
    workspacePk,
    id,
  )

/** Most recently used first. */
export const listSessionRows = ({ sql }: Reader, userPk: number): SessionRow[] =>
  sql.all(
    `SELECT ${COLUMNS} FROM sessions s WHERE s.user = ? ORDER BY s.last_used_at DESC, s.pk DESC`,
    userPk,
  )

export interface NewSession {
  readonly hash: string
  readonly userPk: number
  readonly workspacePk: number
  readonly address: string
  readonly userAgent: string
}

export function insertSession(tx: Tx, { hash, userPk, workspacePk, address, userAgent }: NewSession): string {
  const id = tx.newId()
  tx.sql.run(
    `INSERT INTO sessions (id, hash, user, workspace, created_at, last_used_at, address, user_agent)
     VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7)`,
    id,
    hash,
    userPk,
    workspacePk,
    tx.now,
    address,
    userAgent,
  )
  return id
}

export const touchSession = ({ sql }: Tx, pk: number, now: number) =>
  sql.run('UPDATE sessions SET last_used_at = max(last_used_at, ?) WHERE pk = ?', now, pk)

export const setSessionWorkspace = ({ sql }: Tx, pk: number, workspacePk: number) =>
  sql.run('UPDATE sessions SET workspace = ? WHERE pk = ?', workspacePk, pk)

export const deleteSession = ({ sql }: Tx, pk: number) => sql.run('DELETE FROM sessions WHERE pk = ?', pk)

/** Removes sessions that were last used, or made, before these instants. */
export const deleteSessionsBefore = ({ sql }: Tx, lastUsedAt: number, createdAt: number): number =>
  sql.run('DELETE FROM sessions WHERE last_used_at <= ? OR created_at <= ?', lastUsedAt, createdAt).changes

/** A setup link. */
export interface SetupLinkRow {
  readonly userPk: number
  readonly hash: string
  readonly expiresAt: number
  /** The pk of the user who made it; null for the command line. */
  readonly maker: number | null
}

/** Stores the only valid link of a user; an older one is void from now on. */
export const saveSetupLink = ({ sql }: Tx, { userPk, hash, expiresAt, maker }: SetupLinkRow) =>
  sql.run(
    'INSERT OR REPLACE INTO setup_links (user, hash, expires_at, maker) VALUES (?, ?, ?, ?)',
    userPk,
    hash,
    expiresAt,
    maker,
  )

export const findSetupLink = ({ sql }: Reader, hash: string): SetupLinkRow | undefined =>
  sql.get('SELECT user AS userPk, hash, expires_at AS expiresAt, maker FROM setup_links WHERE hash = ?', hash)

/** Notes that a setup link of a user was used. */
export const setUsedLink = ({ sql }: Tx, userPk: number) =>
  sql.run('UPDATE users SET used_link = 1 WHERE pk = ?', userPk)

/** The most addresses that are kept of a user. */
const MAX_ADDRESSES = 1_000

/** Notes that a user signed in from an address. */
export function saveSignInAddress({ sql, now }: Tx, userPk: number, address: string): void {
  sql.run(
    'INSERT OR REPLACE INTO sign_in_addresses (user, address, at) VALUES (?, ?, ?)',
    userPk,
    address,
    now,
  )
  sql.run(
    `DELETE FROM sign_in_addresses WHERE user = ?1 AND address IN
       (SELECT address FROM sign_in_addresses WHERE user = ?1 ORDER BY at DESC LIMIT -1 OFFSET ?2)`,
    userPk,
    MAX_ADDRESSES,
  )
}

/** Whether a user has signed in from the address after an instant. */
export const hasSignedInFrom = ({ sql }: Reader, userPk: number, address: string, after: number): boolean =>
  sql.get(
    'SELECT 1 FROM sign_in_addresses WHERE user = ? AND address = ? AND at > ?',
    userPk,
    address,
    after,
  ) !== undefined

/** Removes addresses from which nobody signed in after this instant. */
export const deleteSignInAddressesBefore = ({ sql }: Tx, at: number) =>
  sql.run('DELETE FROM sign_in_addresses WHERE at <= ?', at)

/** Where the server that runs on this database, or ran last, is reached. */
export interface ServerAddress {
  /** Where it listens. */
  readonly url: string
  /** Its first `--public-url`, if it has one. */
  readonly publicUrl: string | null
  /** 0 if the system chose its port. */
  readonly isPortFixed: number
}

/** Where it listens, in a database of any version. */
export const findServerUrl = ({ sql }: Reader): string | undefined =>
  sql.get<{ url: string }>('SELECT url FROM server_address')?.url

export const findServerAddress = ({ sql }: Reader): ServerAddress | undefined =>
  sql.get('SELECT url, public_url AS publicUrl, is_port_fixed AS isPortFixed FROM server_address')

export const saveServerAddress = ({ sql }: Tx, { url, publicUrl, isPortFixed }: ServerAddress) =>
  sql.run(
    'INSERT OR REPLACE INTO server_address (pk, url, public_url, is_port_fixed) VALUES (1, ?, ?, ?)',
    url,
    publicUrl,
    isPortFixed,
  )
