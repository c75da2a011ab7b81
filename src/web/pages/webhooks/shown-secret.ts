import { effect, signal } from '@preact/signals'
import { whose } from '../../data/whose.ts'

/** The secret that was made last, until somebody else is signed in; the server never shows it again. */
export const shownSecret = signal<{ readonly id: string; readonly secret: string } | undefined>(undefined)

effect(() => {
  void whose.value
  shownSecret.value = undefined
})
