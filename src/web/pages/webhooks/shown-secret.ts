import { signal } from '@preact/signals'

/** The secret that was made last, until the page is left; the server never shows it again. */
export const shownSecret = signal<{ readonly id: string; readonly secret: string } | undefined>(undefined)
