import { type AttemptOutcome, createSender, type Send } from '../../events/delivery/client/sender.ts'
import { parseAllowlist, urlError } from '../../lib/addresses.ts'
import type { Clock } from '../../lib/clock.ts'
import { createIdSource } from '../../lib/ids.ts'
import { signedHeaders } from '../../log/message.ts'
import { WrongUsage } from '../command.ts'
import type { Change, WatchAnswer } from './listen.ts'

/** A change in the format of a webhook event. A watch does not name the source of a change, so it is always `api`. */
export function eventPayload(
  { type, record, changed, previous }: Change,
  about: {
    readonly id: string
    readonly workspaceId: string
    readonly structure: WatchAnswer['structure']
  },
) {
  return {
    id: about.id,
    type,
    occurred_at: record.updated_at,
    workspace_id: about.workspaceId,
    structure: { id: about.structure.id, name: about.structure.name },
    record,
    changed,
    previous,
    source: { surface: 'api', key_id: null },
  }
}

export type Forwarder = ReturnType<typeof createForwarder>

/** The status of a response, or the reason why there is none, for messages. */
export const outcomeText = ({ status, error }: AttemptOutcome): string => error ?? String(status)

/** The allowlist holds only the host of the URL, so that private addresses can be called. */
function senderTo(url: string): { send: Send; close(): void } {
  if (!URL.canParse(url) || !/^https?:\/\//i.test(url)) {
    throw new WrongUsage(`--forward must be an http or https URL, not "${url}".`)
  }
  const allowlist = parseAllowlist([new URL(url).host])
  const fault = urlError(url, allowlist)
  if (fault !== undefined) throw new WrongUsage(`--forward: ${fault}`)
  return createSender({ allowlist })
}

/** Events are posted once, without retries, with the headers and signatures of a webhook delivery. */
export function createForwarder(url: string, secret: string, clock: Clock) {
  const sender = senderTo(url)
  const newId = createIdSource()
  return {
    send: ({ id, type, body }: { id: string; type: string; body: string }) => {
      const atMs = clock.now()
      const delivery = { secrets: [secret], event: type, eventId: id, deliveryId: newId(atMs), body, atMs }
      return sender.send({ url, headers: signedHeaders(delivery), body })
    },
    close: () => sender.close(),
  }
}
