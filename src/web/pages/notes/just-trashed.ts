import { signal } from '@preact/signals'

/** The last trashed note, until undo or navigation. */
export const justTrashed = signal<{ readonly id: string; readonly title: string } | undefined>(undefined)
