import { urlFault } from '../../delivery/client/address-policy.ts'
import { parseAllowlist } from '../../delivery/client/allowlist.ts'
import { createSender, type Send } from '../../delivery/client/attempt.ts'
import { signedHeaders } from '../../delivery/sign.ts'
import type { Clock } from '../../lib/clock.ts'
import { createIdSource } from '../../lib/ids.ts'
import { WrongUsage } from '../command.ts'
import type { Change, WatchAnswer } from './changes.ts'

/** A change in the shape of a delivery (`service.md`, Events); what a watch cannot know is told as `api`. */
export function payloadOf(
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

/** Where changes go, and how each of them fared, in words. */
export interface Forwarding {
  send(event: { id: string; type: string; body: string }): Promise<string>
  close(): void
}

/** The target is the user's own machine: it alone may be called, whatever and wherever it is. */
function senderTo(url: string): { send: Send; close(): void } {
  if (!URL.canParse(url) || !/^https?:\/\//i.test(url)) {
    throw new WrongUsage(`--forward must be an http or https URL, not "${url}".`)
  }
  const allowances = parseAllowlist([new URL(url).host])
  const fault = urlFault(url, allowances)
  if (fault !== undefined) throw new WrongUsage(`--forward: ${fault}`)
  return createSender({ allowances })
}

/** Posts to a local address as a real delivery is posted, once, signed with the secret. */
export function forwardTo(url: string, secret: string, clock: Clock): Forwarding {
  const sender = senderTo(url)
  const newId = createIdSource()
  return {
    send: async ({ id, type, body }) => {
      const atMs = clock.now()
      const delivery = { secret, event: type, eventId: id, deliveryId: newId(atMs), body, atMs }
      const { status, error } = await sender.send({ url, headers: signedHeaders(delivery), body })
      return error ?? String(status)
    },
    close: () => sender.close(),
  }
}
