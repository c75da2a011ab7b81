import { createHmac } from 'node:crypto'

/** Sends a write of a user, by default of the owner. */
export type Post = (
  path: string,
  body: object | string,
  more?: { readonly as?: string; readonly headers?: Readonly<Record<string, string>> },
) => Promise<Record<string, unknown>>

/** The colleagues of the owner. */
export const COLLEAGUES = ['Mira', 'Tom'] as const

/* The events around the books of the workshop: a receiver that fails, payments from Stripe, and a discussion. */

/** No name below `.invalid` exists, so that each attempt to deliver fails without reaching anybody. */
export const failingWebhook = (post: Post) =>
  post('/v1/webhooks', {
    structure: 'Orders',
    url: 'https://accounting.workshop.invalid/orders',
    events: ['record.created'],
    description: 'Accounting',
  })

const PAYMENTS = {
  name: 'Payments',
  description: 'Card payments, from Stripe.',
  label_field: 'number',
  fields: [
    { key: 'number', type: 'text', required: true, unique: true },
    {
      key: 'amount',
      type: 'number',
      required: true,
      format: { style: 'currency', currency: 'EUR', decimals: 2 },
    },
    { key: 'email', type: 'text', format: { style: 'email' } },
  ],
}

const charge = (number: string, amount: number, email: string) => ({
  type: 'charge.succeeded',
  data: { object: { id: number, amount, receipt_email: email } },
})

/** Payouts have no receipt, and their amount is elsewhere: the map of the source does not fit them. */
const payout = (number: string) => ({
  type: 'payout.paid',
  data: { object: { id: number, balance: { cents: 184_000 } } },
})

const CALLS = [
  charge('ch_demo_1', 48_000, 'ada@example.com'),
  payout('po_demo_1'),
  charge('ch_demo_2', 126_000, 'chiara@example.com'),
  payout('po_demo_2'),
]

const SECRET = 'whsec_of_the_demo'

/** Receives calls signed as Stripe signs them; two stay unmapped. */
export async function stripeSource(post: Post, now: () => number): Promise<void> {
  await post('/v1/records/structures', PAYMENTS)
  const { source } = (await post('/v1/sources', {
    name: 'Card payments',
    structure: 'Payments',
    provider: 'stripe',
    secret: SECRET,
    map: {
      number: '/data/object/id',
      amount: { path: '/data/object/amount', as: 'cents' },
      email: '/data/object/receipt_email',
    },
  })) as { source: { url: string } }
  for (const [at, call] of CALLS.entries()) {
    const body = JSON.stringify({ id: `evt_demo_${at + 1}`, ...call })
    const seconds = Math.floor(now() / 1_000)
    const signature = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex')
    const headers = { 'stripe-signature': `t=${seconds},v1=${signature}` }
    await post(new URL(source.url).pathname, body, { headers })
  }
}

interface Discussed {
  /** The note "Long table". */
  readonly note: string
  /** An order that is due today. */
  readonly order: string
}

export async function discuss(post: Post, { note, order }: Discussed): Promise<void> {
  const { comment } = (await post(
    '/v1/comments',
    {
      note_id: note,
      passage: { text: 'Top of three boards' },
      text: '@owner would two do? The mill has larch of 45 cm.',
    },
    { as: 'Mira' },
  )) as { comment: { id: string } }
  await post(
    '/v1/comments',
    { thread: comment.id, text: 'At 45 cm they cup. I would stay with three.' },
    { as: 'Tom' },
  )
  await post('/v1/comments', { record_id: order, text: '@Mira is the van free today?' }, { as: 'Tom' })
}
