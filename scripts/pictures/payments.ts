import type { Page } from 'puppeteer-core'
import { STRIPE_SECRET, stripeHeader } from '../../test/support/sources.ts'
import { call } from './call.ts'

/** Charges of a shop, as Stripe tells of them. */
const CHARGES = [
  { id: 'ch_3SXq01', customer: 'Ada Berg', amount: 148_000 },
  { id: 'ch_3SXq02', customer: 'Farid Costa', amount: 36_000 },
  { id: 'ch_3SXq03', customer: 'Greta Engel', amount: 92_000 },
  { id: 'ch_3SXq04', customer: 'Ines Duval', amount: 174_000 },
  { id: 'ch_3SXq05', customer: 'Jonas Haddad', amount: 58_000 },
  { id: 'ch_3SXq06', customer: 'Chiara Fischer', amount: 121_000 },
]

const STRUCTURE = {
  name: 'Shop payments',
  fields: [
    { key: 'charge', type: 'text', unique: true },
    { key: 'customer', type: 'text' },
    { key: 'amount', type: 'number', unit: 'EUR' },
    { key: 'paid_at', type: 'datetime' },
  ],
}

const SOURCE = {
  name: 'Shop',
  structure: STRUCTURE.name,
  provider: 'stripe',
  secret: STRIPE_SECRET,
  on_conflict: 'update',
  when: [{ event: true, op: 'eq', value: 'charge.succeeded' }],
  map: {
    charge: '/data/object/id',
    customer: '/data/object/billing_details/name',
    amount: { path: '/data/object/amount', as: 'cents' },
    paid_at: { path: '/created', as: 'epoch_s' },
  },
}

/** Makes a source, sends it what Stripe would, and answers the path of its screen. */
export async function receivePayments(page: Page): Promise<string> {
  await call(page, '/v1/records/structures', STRUCTURE)
  const { source } = await call(page, '/v1/sources', SOURCE)
  for (const { id, customer, amount } of CHARGES) {
    const created = Math.floor(Date.now() / 1_000)
    const object = { id, object: 'charge', amount, currency: 'eur', billing_details: { name: customer } }
    const body = JSON.stringify({
      id: id.replace('ch_', 'evt_'),
      type: 'charge.succeeded',
      created,
      data: { object },
    })
    const headers = { 'stripe-signature': stripeHeader(body, Date.now()) }
    const { ok, status } = await fetch(source.url, { method: 'POST', body, headers })
    if (!ok) throw new Error(`the source answered ${status}`)
  }
  return `/app/webhooks/in/${source.id}`
}
