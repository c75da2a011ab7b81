import { signal } from '@preact/signals'

/** Names who is signed in and the workspace that is shown, if anybody is; what belongs to one of them is no other's. */
export const sessionKey = signal<string | undefined>(undefined)
