import type { Static } from '@sinclair/typebox'
import { read, write } from '../../kernel/operation.ts'
import type { AllowlistEntry } from '../../lib/addresses.ts'
import { pageRequest } from '../../lib/pagination.ts'
import { parseNew } from './columns.ts'
import { deliveryLog, listDeliveries, restart, sendTest } from './deliveries.ts'
import type { CreateWebhookBody, DeliveriesQuery, ListQuery, PatchWebhookBody, RotateBody } from './schema.ts'
import {
  endSubscription,
  getWebhook,
  insertWebhook,
  listWebhooks,
  replaceSecret,
  resume,
  subscribedStructure,
  updateWebhook,
} from './service.ts'
import { presentWebhook, type WebhookRow } from './store.ts'

const covers = 'structures'

interface Named {
  readonly id: string
}

/** The addresses in private networks that subscriptions may call. */
interface Allowing {
  readonly allowlist: readonly AllowlistEntry[]
}

type NewWebhookCall = Allowing & { readonly body: Static<typeof CreateWebhookBody> }

/** A subscription that is pulled signs nothing. */
const withSecret = (webhook: WebhookRow) => ({
  webhook: presentWebhook(webhook),
  secret: webhook.delivery === 'pull' ? null : webhook.secret,
})

export const readWebhooks = read({
  name: 'webhooks.list',
  covers,
  run: (snapshot, caller, { structure }: Static<typeof ListQuery>) => ({
    webhooks: listWebhooks(snapshot, caller, structure).map(presentWebhook),
  }),
})

export const readWebhook = read({
  name: 'webhooks.get',
  covers,
  run: (snapshot, caller, { id }: Named) => ({
    webhook: presentWebhook(getWebhook(snapshot, caller, id, 'read')),
  }),
})

/** Only the first response contains the secret. */
export const createWebhook = write({
  name: 'webhooks.create',
  covers,
  run: (tx, caller, { body, allowlist }: NewWebhookCall) =>
    withSecret(insertWebhook(tx, caller, parseNew(body), allowlist)),
  saved: ({ webhook }) => ({ webhook }),
  check: (tx, caller, { body }) => {
    if (caller.rights) subscribedStructure(tx, caller, parseNew(body))
  },
})

export const patchWebhook = write({
  name: 'webhooks.patch',
  covers,
  object: readWebhook,
  run: (
    tx,
    caller,
    { id, body, allowlist }: Named & Allowing & { body: Static<typeof PatchWebhookBody> },
  ) => ({
    webhook: presentWebhook(updateWebhook(tx, caller, id, body, allowlist)),
  }),
})

/** Ends a pause, so that pending deliveries are sent; without a pause, changes nothing. */
export const resumeWebhook = write({
  name: 'webhooks.resume',
  covers,
  run: (tx, caller, { id }: Named) => ({ webhook: presentWebhook(resume(tx, caller, id)) }),
})

/** From now on only the new secret signs, even older deliveries. */
export const rotateSecretAtOnce = write({
  name: 'webhooks.rotate-secret',
  covers,
  run: (tx, caller, { id }: Named) => withSecret(replaceSecret(tx, caller, id, 0)),
})

export const rotateSecret = write({
  name: 'webhooks.rotate',
  covers,
  run: (tx, caller, { id, body }: Named & { body: Static<typeof RotateBody> }) =>
    withSecret(replaceSecret(tx, caller, id, body.overlap_hours)),
})

/** Sends a `webhook.test` event at once, even while the subscription is disabled or paused. */
export const testWebhook = write({
  name: 'webhooks.test',
  covers,
  run: (tx, caller, { id }: Named) => ({ delivery: sendTest(tx, caller, id) }),
})

export const readDeliveries = read({
  name: 'webhooks.deliveries',
  covers,
  run: (snapshot, caller, { id, status, before, ...page }: Named & Static<typeof DeliveriesQuery>) => ({
    deliveries: listDeliveries(snapshot, caller, id, { status, before, limit: pageRequest(page).limit }),
  }),
})

interface NamedDelivery extends Named {
  readonly deliveryId: string
}

export const readDelivery = read({
  name: 'webhooks.delivery',
  covers,
  run: (snapshot, caller, input: NamedDelivery & { readonly include?: 'responses' | undefined }) =>
    deliveryLog(snapshot, caller, input),
})

export const deleteWebhook = write({
  name: 'webhooks.delete',
  covers,
  object: readWebhook,
  run: (tx, caller, { id }: Named) => {
    endSubscription(tx, caller, id)
    return { deleted: true }
  },
})

/** Sends a delivery's event again at once, whatever its status; its attempts count from 0 again. */
export const redeliver = write({
  name: 'webhooks.redeliver',
  covers,
  run: (tx, caller, { id, deliveryId }: NamedDelivery) => ({
    delivery: restart(tx, caller, id, deliveryId),
  }),
})
