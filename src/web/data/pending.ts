import { signal } from '@preact/signals'

/** How many changes wait in this browser until the server can be reached. */
export const pendingCount = signal(0)
