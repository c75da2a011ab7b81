import { effect, signal } from '@preact/signals'
import { sessionKey } from '../../data/session-key.ts'

/** The secret that was made last, until somebody else is signed in; the server never shows it again. */
export const shownSecret = signal<{ readonly id: string; readonly secret: string } | undefined>(undefined)

effect(() => {
  void sessionKey.value
  shownSecret.value = undefined
})
