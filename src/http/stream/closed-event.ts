import type { StreamEvent } from './sse.ts'

/** Why the server ends a stream, and the sentence that the client is sent. */
const CLOSED = {
  key_revoked: 'This API key was revoked, or its user may no longer read this workspace.',
  key_expired: 'This API key has expired.',
  session_ended: 'The session has ended; sign in again.',
  structure_deleted: 'The structure was deleted.',
  cursor_expired:
    'The changes after the last one that was sent are no longer kept; begin again with GET /v1/changes/snapshot.',
  shutting_down: 'The server is shutting down; connect again in a moment.',
} as const

export type ClosedCode = keyof typeof CLOSED

export const closedSentence = (code: ClosedCode): string => CLOSED[code]

/** The last event of a stream. */
export const closedEvent = (code: ClosedCode): StreamEvent => ({
  name: 'closed',
  data: JSON.stringify({ error: closedSentence(code), code }),
})
