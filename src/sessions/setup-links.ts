import { ownsWorkspacesOf } from '../account/store.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { sha256 } from '../lib/sha256.ts'
import { findSetupLink, saveSetupLink } from './store.ts'
import { newToken } from './tokens.ts'

/** A setup link is valid for 30 minutes. */
const LINK_VALID_MS = 30 * 60_000

export interface SetupLink {
  readonly link: string
  readonly expiresAt: number
}

/** Whose link it is, and the user who makes it; null for the command line. */
export interface NewSetupLink {
  readonly userPk: number
  readonly maker: number | null
}

/**
 * Makes the link with which a user sets a password and signs in, once; it voids the user's older links. The token is in
 * the fragment of the link, which browsers do not send, so that no log sees it. `origin` is where the application is.
 */
export function createSetupLink(tx: Tx, { userPk, maker }: NewSetupLink, origin: string): SetupLink {
  const token = newToken()
  const expiresAt = tx.now + LINK_VALID_MS
  saveSetupLink(tx, { user: userPk, maker, hash: sha256(token), expiresAt })
  return { link: `${origin}/app#setup=${token}`, expiresAt }
}

/** The pk of the user whose valid link has this token; undefined also where its maker might not make it now. */
export function findUserOfLink(reader: Reader, token: string, now: number): number | undefined {
  const link = findSetupLink(reader, sha256(token))
  if (!link || link.expiresAt <= now) return undefined
  const { user: userPk, maker } = link
  return maker === null || ownsWorkspacesOf(reader, maker, userPk) ? userPk : undefined
}
