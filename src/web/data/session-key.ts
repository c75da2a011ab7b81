import { signal } from '@preact/signals'

/** Identifies the current user and workspace; undefined without a session. Data in memory is stored under this key. */
export const sessionKey = signal<string | undefined>(undefined)
