import { effect, signal } from '@preact/signals'
import { sessionKey } from '../../data/session-key.ts'

/** The last created secret, which the server never shows again. Cleared when another user signs in. */
export const shownSecret = signal<{ readonly id: string; readonly secret: string } | undefined>(undefined)

effect(() => {
  void sessionKey.value
  shownSecret.value = undefined
})
