import { refused } from '../refusal.ts'
import type { Call } from './providers.ts'
import { type EventRow, isWhole, type Status } from './store.ts'

/*
 * The bytes that a source keeps of its events: headers and body, or what is sealed of both if that is more. Events that
 * were kept by versions without this account count nothing and go by their age.
 */

/** How much of the body of an ignored event is kept. */
const IGNORED_BODY_BYTES = 65_536

interface KeptBody {
  readonly body: Buffer
  /** The size of the body as it came, where it is cut. */
  readonly size: number | null
}

export function keptOf({ body }: Pick<Call, 'body'>, status: Status): KeptBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return status === 'ignored' && bytes.length > IGNORED_BODY_BYTES
    ? { body: bytes.subarray(0, IGNORED_BODY_BYTES), size: bytes.length }
    : { body: bytes, size: null }
}

/** Refuses to read an event again whose body is not kept whole. */
export function checkKeptWhole(event: EventRow): void {
  if (isWhole(event)) return
  const why = event.isDropped
    ? 'The body of this event is not kept any more: a source keeps the newest 1 GiB.'
    : 'Only the first 64 KiB of this event are kept, because it was ignored.'
  throw refused(`${why} Have the sender send it again.`, { reason: 'dropped' })
}
