import { findKeyState } from '../account/keys.ts'
import type { AppContext } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { invalidKey, ownerRequired, readOnly, signInNeeded } from '../http/authorizer.ts'
import { type Recheck, type RightData, type Standing, standsForWriting } from '../http/request-right.ts'
import { findSessionState, scopeOfRole } from './sessions.ts'

/** Throws the refusal that the request would get now; returns what its caller may do now. */
export function checkRight(reader: Reader, right: RightData, now: number): Standing {
  const { keyId } = right
  const standing = keyId === null ? standingOfSession(reader, right, now) : standingOfKey(reader, keyId, now)
  if (right.needsOwner && standing.role !== 'owner') throw ownerRequired()
  if (right.needsWrite && !standsForWriting(standing)) throw readOnly({ keyId, scope: standing.scope })
  return standing
}

function standingOfKey(reader: Reader, id: string, now: number): Standing {
  const state = findKeyState(reader, id, now)
  if (state.isValid) return state
  throw invalidKey()
}

function standingOfSession(reader: Reader, { sessionId, workspacePk }: RightData, now: number): Standing {
  const state = findSessionState(reader, sessionId, workspacePk, now)
  if (state.isValid) return { role: state.role, scope: scopeOfRole(state.role) }
  throw signInNeeded()
}

/** Checks rights again: in a transaction with its reader, else by what reads see. */
export const createRecheck =
  ({ db, clock }: Pick<AppContext, 'db' | 'clock'>): Recheck =>
  (right, reader) =>
    checkRight(reader ?? db, right, clock.now())
