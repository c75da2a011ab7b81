import type { ComponentChildren } from 'preact'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty, QueryResult } from '../../components/pane.tsx'
import { counted } from '../../data/formats.ts'
import { type Delivery, type DeliveryStatus, PAGE, useDeliveries } from '../../data/webhooks.ts'
import { address, search } from '../../router.ts'
import { DeliveryLog } from './delivery-log.tsx'
import { EventTime } from './event-time.tsx'
import { DeliveryResult, DeliveryState } from './status.tsx'

const STATUSES: readonly DeliveryStatus[] = ['failed', 'pending', 'delivered']

/** The deliveries of a webhook, newest first, filtered by status. The address names the open one. */
export function Deliveries({ id }: { id: string }) {
  const status = STATUSES.find((known) => known === search.value.get('status'))
  const before = search.value.get('before') ?? undefined
  const deliveries = useDeliveries(id, { ...(status && { status }), ...(before && { before }) })
  const { data } = deliveries
  const at = (parameters: Record<string, string | undefined>) => address(['webhooks', id], parameters)
  return (
    <>
      <nav class="tools" aria-label="Show deliveries">
        <a class="button" href={at({})} aria-current={status === undefined ? 'true' : undefined}>
          All
        </a>
        {STATUSES.map((known) => (
          <a
            key={known}
            class="button"
            href={at({ status: known })}
            aria-current={status === known ? 'true' : undefined}
          >
            {known[0]?.toUpperCase() + known.slice(1)}
          </a>
        ))}
        <span class="grow desk" />
        <small class="desk">Log kept for 30 days</small>
      </nav>
      <QueryResult query={deliveries}>
        {(known) => (
          <DeliveryTable
            id={id}
            deliveries={known}
            at={(open) => at({ status, before, open })}
            empty={
              <Empty>
                <p>
                  {status === undefined
                    ? 'No deliveries yet. Send a test to check that the receiver responds.'
                    : `No ${status} deliveries.`}
                </p>
              </Empty>
            }
          />
        )}
      </QueryResult>
      <p class="foot">
        <span role="status">{data && counted(data.length, 'delivery', 'deliveries, newest first')}</span>
        {before !== undefined && <a href={at({ status })}>Newest</a>}
        {data?.length === PAGE && <a href={at({ status, before: data.at(-1)?.id })}>Older</a>}
      </p>
    </>
  )
}

interface TableProps {
  readonly id: string
  readonly deliveries: readonly Delivery[]
  /** The address that opens a delivery, or closes it if undefined. */
  readonly at: (open: string | undefined) => string
  readonly empty: ComponentChildren
}

function DeliveryTable({ id, deliveries, at, empty }: TableProps) {
  const openId = search.value.get('open')
  const columns: readonly Column<Delivery>[] = [
    { label: 'Created', corner: 'margin', cell: ({ created_at }) => <EventTime at={created_at} /> },
    {
      label: 'Event',
      corner: 'top-start',
      cell: (delivery) => {
        const isOpen = delivery.id === openId
        return (
          <>
            <a href={at(isOpen ? undefined : delivery.id)} aria-current={isOpen ? 'true' : undefined}>
              {delivery.event}
            </a>
            <Position of={delivery} />
          </>
        )
      },
    },
    { label: 'Status', corner: 'top-end', cell: (delivery) => <DeliveryState of={delivery} /> },
    {
      label: 'Response',
      corner: 'bottom-start',
      look: 'dim cut answer',
      cell: (delivery) => <DeliveryResult of={delivery} />,
    },
    { label: 'Attempts', corner: 'desk', isNumber: true, cell: ({ attempts }) => attempts },
  ]
  return (
    <DataTable
      label="Deliveries, newest first"
      columns={columns}
      items={deliveries}
      keyOf={(delivery) => delivery.id}
      highlight={(delivery) =>
        delivery.status === 'failed' ? 'trouble' : delivery.id === openId ? 'chosen' : undefined
      }
      below={(delivery) => delivery.id === openId && <DeliveryLog id={id} deliveryId={delivery.id} />}
      empty={empty}
    />
  )
}

/** The number of an ordered event. A failed event is a gap in the events that the receiver has. */
function Position({ of: { sequence, status } }: { of: Delivery }) {
  if (sequence === undefined) return null
  return (
    <small>
      {' '}
      #{sequence}
      {status === 'failed' && ', a gap'}
    </small>
  )
}
