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
  /** Null once the user left the workspace. */
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

/** Stores the only valid link of a user; an older one is void from now on. */
export const saveSetupLink = ({ sql }: Tx, userPk: number, hash: string, expiresAt: number) =>
  sql.run(
    'INSERT OR REPLACE INTO setup_links (user, hash, expires_at) VALUES (?, ?, ?)',
    userPk,
    hash,
    expiresAt,
  )

/** Whether there is a link with this hash that has not expired. */
export const hasSetupLink = ({ sql }: Reader, hash: string, now: number): boolean =>
  sql.get('SELECT 1 FROM setup_links WHERE hash = ? AND expires_at > ?', hash, now) !== undefined

/** Removes a link; returns the pk of its user, or undefined if there is no such link or it has expired. */
export function takeSetupLink({ sql }: Tx, hash: string, now: number): number | undefined {
  const link = sql.get<{ user: number; expiresAt: number }>(
    'SELECT user, expires_at AS expiresAt FROM setup_links WHERE hash = ?',
    hash,
  )
  if (!link) return undefined
  sql.run('DELETE FROM setup_links WHERE user = ?', link.user)
  return link.expiresAt > now ? link.user : undefined
}

/** Where the server that runs on this database, or ran last, is reached. */
export const findServerAddress = ({ sql }: Reader): string | undefined =>
  sql.get<{ url: string }>('SELECT url FROM server_address')?.url

export const saveServerAddress = ({ sql }: Tx, url: string) =>
  sql.run('INSERT OR REPLACE INTO server_address (pk, url) VALUES (1, ?)', url)
