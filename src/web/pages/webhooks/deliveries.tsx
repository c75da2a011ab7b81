import { Empty, Loading, QueryError } from '../../components/pane.tsx'
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
  const { data, error } = useDeliveries(id, { ...(status && { status }), ...(before && { before }) })
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
      {error ? (
        <QueryError error={error} />
      ) : data === undefined ? (
        <Loading />
      ) : data.length === 0 ? (
        <Empty>
          <p>
            {status === undefined
              ? 'No deliveries yet. Send a test to check that the receiver responds.'
              : `No ${status} deliveries.`}
          </p>
        </Empty>
      ) : (
        <Table id={id} deliveries={data} at={(open) => at({ status, before, open })} />
      )}
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
}

const Table = ({ id, deliveries, at }: TableProps) => (
  <table class="table" aria-label="Deliveries, newest first">
    <thead>
      <tr>
        <th class="margin" scope="col">
          Created
        </th>
        <th scope="col">Event</th>
        <th scope="col">Status</th>
        <th scope="col">Response</th>
        <th scope="col" class="number">
          Attempts
        </th>
      </tr>
    </thead>
    <tbody>
      {deliveries.map((delivery) => (
        <Row key={delivery.id} id={id} delivery={delivery} at={at} />
      ))}
    </tbody>
  </table>
)

function Row({ id, delivery, at }: Omit<TableProps, 'deliveries'> & { delivery: Delivery }) {
  const isOpen = search.value.get('open') === delivery.id
  return (
    <>
      <tr class={delivery.status === 'failed' ? 'trouble' : isOpen ? 'chosen' : undefined}>
        <td class="margin">
          <EventTime at={delivery.created_at} />
        </td>
        <td class="top-start">
          <a href={at(isOpen ? undefined : delivery.id)} aria-current={isOpen ? 'true' : undefined}>
            {delivery.event}
          </a>
          <Position of={delivery} />
        </td>
        <td class="top-end">
          <DeliveryState of={delivery} />
        </td>
        <td class="bottom-start dim cut answer">
          <DeliveryResult of={delivery} />
        </td>
        <td class="number desk">{delivery.attempts}</td>
      </tr>
      {isOpen && (
        <tr class="open-row">
          <td colSpan={5}>
            <DeliveryLog id={id} deliveryId={delivery.id} />
          </td>
        </tr>
      )}
    </>
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
