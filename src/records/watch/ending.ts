import type { StreamEvent } from '../../http/sse.ts'
import { Refusal } from '../../refusal.ts'

/** Why the service ends a watch (contract, section 6), and the sentence that goes with it. */
const CLOSED = {
  key_revoked: 'This API key was revoked, or its user may no longer read this workspace.',
  key_expired: 'This API key has expired.',
  structure_deleted: 'The structure was deleted.',
  shutting_down: 'The server is shutting down; connect again in a moment.',
} as const

export type ClosedCode = keyof typeof CLOSED

/** The last event of a stream. */
export const closedEvent = (code: ClosedCode): StreamEvent => ({
  name: 'closed',
  data: JSON.stringify({ error: CLOSED[code], code }),
})

/** One answer failed; what is not a rule of the service is not explained. */
export const problemEvent = (error: unknown): StreamEvent => ({
  name: 'problem',
  data: JSON.stringify(
    error instanceof Refusal
      ? { error: error.message, code: error.code }
      : { error: 'Something failed on the side of the service; the watch goes on.', code: 'internal' },
  ),
})
