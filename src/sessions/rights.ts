import { findKeyState } from '../account/keys.ts'
import type { AppContext } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { invalidKey, ownerRequired, readOnly, signInNeeded } from '../http/authorizer.ts'
import {
  type Recheck,
  type RightData,
  type Standing,
  standsForWriting,
  workspaceOf,
} from '../http/request-right.ts'
import { findSessionState } from './sessions.ts'

/** Throws the refusal that the request would get now; returns what its caller may do now. */
export function checkRight(reader: Reader, right: RightData, now: number): Standing {
  const { keyId, sessionId, workspacePk } = right
  const state =
    keyId === null ? findSessionState(reader, sessionId, workspacePk, now) : findKeyState(reader, keyId, now)
  if (!state.isValid) throw keyId === null ? signInNeeded() : invalidKey()
  const { standing } = state
  if (right.needsOwner && standing.role !== 'owner') throw ownerRequired()
  if (right.needsWrite && !standsForWriting(standing)) throw readOnly({ keyId, scope: standing.scope })
  workspaceOf(right, standing.rights)
  return standing
}

/** Checks rights again: in a transaction with its reader, else by what reads see. */
export const createRecheck =
  ({ db, clock }: Pick<AppContext, 'db' | 'clock'>): Recheck =>
  (right, reader) =>
    checkRight(reader ?? db, right, clock.now())
