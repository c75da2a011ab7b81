import { createHmac } from 'node:crypto'
import type { Answer, TestService } from './service.ts'

/** Signed requests of each provider, in its own format. */

export const hmac = (
  key: string | Buffer,
  text: string | Uint8Array,
  encoding: 'hex' | 'base64' = 'hex',
  algorithm = 'sha256',
): string => createHmac(algorithm, key).update(text).digest(encoding)

export const STRIPE_SECRET = 'whsec_test_of_the_payments'

/** The signature header of Stripe for a body at a time of the test clock. */
export const stripeHeader = (body: string, nowMs: number, secret = STRIPE_SECRET): string => {
  const seconds = Math.floor(nowMs / 1_000)
  return `t=${seconds},v1=${hmac(secret, `${seconds}.${body}`)}`
}

export const pathOf = (url: string): string => new URL(url).pathname

/** Creates a structure for payments with a unique number; returns its id. */
export async function makePayments(service: TestService, more: object = {}): Promise<string> {
  const { status, body } = await service.post('/v1/records/structures', {
    name: 'Payments',
    fields: [
      { key: 'number', type: 'text', unique: true },
      { key: 'amount', type: 'number' },
      { key: 'paid_at', type: 'datetime' },
      { key: 'paid_on', type: 'date' },
      { key: 'paid', type: 'bool' },
      { key: 'raw', type: 'text' },
    ],
    ...more,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.structure.id
}

export const MAP = {
  number: '/data/number',
  amount: { path: '/data/amount', as: 'cents' },
  paid_at: { path: '/created', as: 'epoch_s' },
}

/** Creates a Stripe source that writes to the payments. */
export async function makeSource(service: TestService, more: object = {}) {
  const { status, body } = await service.post('/v1/sources', {
    name: 'Card payments',
    structure: 'Payments',
    provider: 'stripe',
    secret: STRIPE_SECRET,
    map: MAP,
    ...more,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.source
}

/** Posts a body without a key. */
export const call = (
  service: Pick<TestService, 'as'>,
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Answer> => service.as(undefined).request('POST', pathOf(url), body, headers)

export const paymentEvent = (id: string, data: object, more: object = {}): string =>
  JSON.stringify({ id, type: 'payment.paid', created: 1_795_426_871, data, ...more })

/** Posts an event signed as Stripe does. */
export const pay = (
  service: TestService,
  { url }: { url: string },
  id: string,
  data: object,
  more: object = {},
): Promise<Answer> => {
  const body = paymentEvent(id, data, more)
  return call(service, url, body, { 'stripe-signature': stripeHeader(body, service.clock.now()) })
}
