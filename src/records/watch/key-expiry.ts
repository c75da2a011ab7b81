import { findKeyState, type KeyState } from '../../account/keys.ts'
import type { AppContext } from '../../context.ts'

/** Why a key is no longer valid. */
export type KeyEnd = Extract<KeyState, { isValid: false }>['reason']

interface WatchedKey {
  readonly listeners: Set<(why: KeyEnd) => void>
  stopTimer: (() => void) | undefined
}

/** The longest time between checks of a key that expires, because the clock may be set or the machine suspended. */
const CHECK_EVERY_MS = 60_000
const RETRY_MS = 1_000

/** Notifies open watches when their key is revoked or expires. */
export class KeyExpiry {
  readonly #ctx: AppContext
  readonly #keys = new Map<string, WatchedKey>()
  #stopListening: (() => void) | undefined

  constructor(ctx: AppContext) {
    this.#ctx = ctx
  }

  /** Returns the function that stops it. The listener may be called before this returns. */
  onEnd(keyId: string, listener: (why: KeyEnd) => void): () => void {
    const key = this.#keys.get(keyId) ?? { listeners: new Set(), stopTimer: undefined }
    this.#keys.set(keyId, key)
    key.listeners.add(listener)
    this.#stopListening ??= this.#ctx.bus.onWakeAll(() => this.#checkAll())
    this.#check(keyId, key)
    return () => {
      key.listeners.delete(listener)
      if (key.listeners.size === 0 && this.#keys.get(keyId) === key) this.#release(keyId, key)
    }
  }

  #checkAll(): void {
    for (const [keyId, key] of [...this.#keys]) this.#check(keyId, key)
  }

  #check(keyId: string, key: WatchedKey): void {
    const state = this.#state(keyId)
    key.stopTimer?.()
    if (state.isValid) this.#checkLater(keyId, key, state.expiresAt)
    else for (const listener of [...key.listeners]) listener(state.reason)
  }

  /** While the database cannot be read, every key counts as valid. */
  #state(keyId: string): KeyState {
    try {
      return findKeyState(this.#ctx, keyId)
    } catch (error) {
      this.#ctx.log.warn('a key could not be checked', { error: String(error) })
      return { isValid: true, expiresAt: this.#ctx.clock.now() + RETRY_MS }
    }
  }

  #checkLater(keyId: string, key: WatchedKey, expiresAt: number | null): void {
    if (expiresAt === null) return
    const { clock } = this.#ctx
    const delayMs = Math.min(expiresAt - clock.now(), CHECK_EVERY_MS)
    key.stopTimer = clock.after(delayMs, () => this.#check(keyId, key))
  }

  #release(keyId: string, key: WatchedKey): void {
    key.stopTimer?.()
    this.#keys.delete(keyId)
    if (this.#keys.size > 0) return
    this.#stopListening?.()
    this.#stopListening = undefined
  }
}
