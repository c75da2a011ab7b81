import type { Rights } from '../access/rights.ts'
import { type CredentialEnd, type CredentialState, findKeyState } from '../account/keys.ts'
import type { AppContext, Caller } from '../context.ts'
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

/** Whether what a stream sends is touched by what its caller reaches now. */
export type IsTouched = (rights: Rights | undefined) => boolean

interface Listener {
  readonly end: (why: CredentialEnd) => void
  readonly isTouched: IsTouched
}

interface Watched {
  /** Undefined while the database cannot be read: then everything counts as valid. */
  readonly state: () => CredentialState | undefined
  readonly listeners: Set<Listener>
  stopTimer: (() => void) | undefined
}

/** The longest time between checks of what expires, because the clock may be set or the machine suspended. */
const CHECK_EVERY_MS = 60_000
const RETRY_MS = 1_000

/**
 * Notifies open streams when the key or the session that they were opened with is no longer valid, or no longer reaches what
 * they send.
 */
export class CredentialMonitor {
  /** By the id of the key, or those of the session and the workspace. */
  readonly #watched = new Map<string, Watched>()
  #stopListening: (() => void) | undefined

  constructor(private readonly ctx: AppContext) {}

  /** Returns the function that stops it. The listener may be called before this returns. */
  onEnd(
    { keyId, sessionId, workspacePk }: Caller,
    end: (why: CredentialEnd) => void,
    isTouched: IsTouched = () => false,
  ): () => void {
    const { db, clock } = this.ctx
    const listener = { end, isTouched }
    if (keyId !== null) return this.#watch(keyId, () => findKeyState(db, keyId, clock.now()), listener)
    if (sessionId === undefined) return () => {}
    const state = () => findSessionState(db, sessionId, workspacePk, clock.now())
    return this.#watch(`${sessionId} ${workspacePk}`, state, listener)
  }

  #watch(id: string, state: () => CredentialState, listener: Listener): () => void {
    const watched = this.#watched.get(id) ?? { state, listeners: new Set(), stopTimer: undefined }
    this.#watched.set(id, watched)
    watched.listeners.add(listener)
    this.#stopListening ??= this.ctx.bus.onWakeAll(() => this.#checkAll())
    this.#check(watched, [listener])
    return () => {
      watched.listeners.delete(listener)
      if (watched.listeners.size === 0 && this.#watched.get(id) === watched) this.#release(id, watched)
    }
  }

  #checkAll(): void {
    for (const watched of [...this.#watched.values()]) this.#check(watched)
  }

  /** Tells all listeners of an end, and of a change of access those that are `asked`. */
  #check(watched: Watched, asked: Iterable<Listener> = watched.listeners): void {
    const state = this.#stateOf(watched)
    watched.stopTimer?.()
    if (state === undefined) this.#checkLater(watched, this.ctx.clock.now() + RETRY_MS)
    else if (state.isValid) {
      this.#checkLater(watched, state.expiresAt)
      for (const { end, isTouched } of [...asked]) if (isTouched(state.standing.rights)) end('access_changed')
    } else for (const { end } of [...watched.listeners]) end(state.end)
  }

  #stateOf({ state }: Watched): CredentialState | undefined {
    try {
      return state()
    } catch (error) {
      this.ctx.log.warn('a key or session could not be checked', { error: String(error) })
      return undefined
    }
  }

  #checkLater(watched: Watched, expiresAt: number | null): void {
    if (expiresAt === null) return
    const { clock } = this.ctx
    const delayMs = Math.min(expiresAt - clock.now(), CHECK_EVERY_MS)
    watched.stopTimer = clock.after(delayMs, () => this.#check(watched))
  }

  #release(id: string, watched: Watched): void {
    watched.stopTimer?.()
    this.#watched.delete(id)
    if (this.#watched.size > 0) return
    this.#stopListening?.()
    this.#stopListening = undefined
  }
}

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
