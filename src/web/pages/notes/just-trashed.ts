import { signal } from '@preact/signals'

/** The note that was moved to the trash last, until that is undone or something else is opened. */
export const justTrashed = signal<{ readonly id: string; readonly title: string } | undefined>(undefined)
