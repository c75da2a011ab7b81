import type { NewSource, Source } from '../../../data/sources.ts'

/** A table for the events of a service, and the map that fills it. */
interface ReadyTable {
  readonly name: string
  readonly description: string
  readonly label_field: string
  readonly fields: readonly object[]
  readonly source: Required<Pick<NewSource, 'map' | 'when' | 'on_conflict' | 'newer_by'>>
}

export const READY_TABLES: Readonly<Partial<Record<Source['provider'], ReadyTable>>> = {
  stripe: {
    name: 'Payments',
    description: 'Card payments, from Stripe.',
    label_field: 'payment',
    fields: [
      { key: 'payment', type: 'text', label: 'Payment', required: true, unique: true },
      { key: 'amount', type: 'number', label: 'Amount' },
      { key: 'currency', type: 'text', label: 'Currency' },
      { key: 'status', type: 'select', label: 'Status', options: ['succeeded', 'pending', 'failed'] },
      { key: 'refunded', type: 'bool', label: 'Refunded' },
      { key: 'email', type: 'text', label: 'Email', format: { style: 'email' } },
      { key: 'description', type: 'text', label: 'Description' },
      { key: 'paid_at', type: 'datetime', label: 'Paid at' },
      { key: 'event_at', type: 'datetime', label: 'Last event at' },
    ],
    source: {
      map: {
        payment: '/data/object/id',
        amount: { path: '/data/object/amount', as: 'cents' },
        currency: '/data/object/currency',
        status: '/data/object/status',
        refunded: '/data/object/refunded',
        email: '/data/object/billing_details/email',
        description: '/data/object/description',
        paid_at: { path: '/data/object/created', as: 'epoch_s' },
        event_at: { path: '/created', as: 'epoch_s' },
      },
      // Events of other objects, such as disputes, have other values in these places.
      when: [
        {
          event: true,
          op: 'in',
          value: [
            'charge.succeeded',
            'charge.pending',
            'charge.failed',
            'charge.captured',
            'charge.updated',
            'charge.refunded',
          ],
        },
      ],
      on_conflict: 'update',
      // Stripe does not send events in order.
      newer_by: 'event_at',
    },
  },
}
