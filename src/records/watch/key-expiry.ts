import { findKeyState, type KeyState } from '../../account/keys.ts'
import type { AppContext } from '../../context.ts'

/** Why a key opens nothing any more. */
export type KeyEnd = Extract<KeyState, { isValid: false }>['reason']

interface HeldKey {
  readonly onEnd: Set<(why: KeyEnd) => void>
  stopTimer: (() => void) | undefined
}

/** An expiry is looked at so often at least, for the clock of a machine may be set or have slept. */
const LOOK_EVERY_MS = 60_000
const LOOK_AGAIN_MS = 1_000

/** Tells whoever was let in with a key when it opens nothing any more. */
export class KeyWatch {
  readonly #ctx: AppContext
  readonly #held = new Map<string, HeldKey>()
  #stopListening: (() => void) | undefined

  constructor(ctx: AppContext) {
    this.#ctx = ctx
  }

  /** Answers how to stop; may tell before it answers. */
  onEnd(keyId: string, listener: (why: KeyEnd) => void): () => void {
    const key = this.#held.get(keyId) ?? { onEnd: new Set(), stopTimer: undefined }
    this.#held.set(keyId, key)
    key.onEnd.add(listener)
    this.#stopListening ??= this.#ctx.bus.onWakeAll(() => this.#lookAtAll())
    this.#look(keyId, key)
    return () => {
      key.onEnd.delete(listener)
      if (key.onEnd.size === 0 && this.#held.get(keyId) === key) this.#letGo(keyId, key)
    }
  }

  #lookAtAll(): void {
    for (const [keyId, key] of [...this.#held]) this.#look(keyId, key)
  }

  #look(keyId: string, key: HeldKey): void {
    const standing = this.#standing(keyId)
    key.stopTimer?.()
    if (standing.isValid) this.#lookLater(keyId, key, standing.expiresAt)
    else for (const listener of [...key.onEnd]) listener(standing.reason)
  }

  /** While storage fails nobody is sent away. */
  #standing(keyId: string): KeyState {
    try {
      return findKeyState(this.#ctx, keyId)
    } catch (error) {
      this.#ctx.log.warn('a key could not be looked at', { error: String(error) })
      return { isValid: true, expiresAt: this.#ctx.clock.now() + LOOK_AGAIN_MS }
    }
  }

  #lookLater(keyId: string, key: HeldKey, expiresAt: number | null): void {
    if (expiresAt === null) return
    const { clock } = this.#ctx
    const delayMs = Math.min(expiresAt - clock.now(), LOOK_EVERY_MS)
    key.stopTimer = clock.after(delayMs, () => this.#look(keyId, key))
  }

  #letGo(keyId: string, key: HeldKey): void {
    key.stopTimer?.()
    this.#held.delete(keyId)
    if (this.#held.size > 0) return
    this.#stopListening?.()
    this.#stopListening = undefined
  }
}
