import type { Tx } from '../db/writes/transaction.ts'
import { sha256 } from '../lib/sha256.ts'
import { saveSetupLink } from './store.ts'
import { newToken } from './tokens.ts'

/** A setup link is valid for 30 minutes. */
const LINK_VALID_MS = 30 * 60_000

export interface SetupLink {
  readonly link: string
  readonly expiresAt: number
}

/**
 * Makes the link with which a user sets a password and signs in, once; it voids the user's older links. The token is in
 * the fragment of the link, which browsers do not send, so that no log sees it. `origin` is where the application is.
 */
export function createSetupLink(tx: Tx, userPk: number, origin: string): SetupLink {
  const token = newToken()
  const expiresAt = tx.now + LINK_VALID_MS
  saveSetupLink(tx, userPk, sha256(token), expiresAt)
  return { link: `${origin}/app#setup=${token}`, expiresAt }
}
