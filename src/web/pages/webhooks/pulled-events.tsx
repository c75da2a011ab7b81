import { Code } from '../../components/code.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty, QueryResult } from '../../components/pane.tsx'
import { counted } from '../../data/formats.ts'
import { usePulled, type Webhook } from '../../data/webhooks.ts'
import { EventTime } from './event-time.tsx'

type PulledEvent = NonNullable<ReturnType<typeof usePulled>['data']>['events'][number]

const COLUMNS: readonly Column<PulledEvent>[] = [
  { label: 'Occurred', corner: 'margin', cell: ({ payload }) => <EventTime at={payload.occurred_at} /> },
  { label: 'Event', corner: 'top-start', cell: ({ payload }) => payload.type },
  {
    label: 'Payload',
    corner: 'bottom-start',
    look: 'dim cut code',
    cell: ({ payload }) => JSON.stringify(payload),
  },
]

/** The first events that a webhook keeps for its reader, and how to read them. */
export function PulledEvents({ webhook: { id, pending = 0, oldest_pending_at } }: { webhook: Webhook }) {
  const query = usePulled(id)
  return (
    <>
      <QueryResult query={query}>
        {({ events }) => (
          <DataTable
            label="Pending events, oldest first"
            columns={COLUMNS}
            items={events}
            keyOf={({ cursor }) => cursor}
            empty={
              <Empty>
                <p>No pending events. Send a test to check that your program reads it.</p>
              </Empty>
            }
          />
        )}
      </QueryResult>
      <section class="section">
        <h3>Read and acknowledge</h3>
        <Code label="Command" text={`daybook webhooks events ${id} --ack --follow`} />
      </section>
      <p class="foot">
        <span role="status">
          {counted(pending, 'pending event')}
          {oldest_pending_at && (
            <>
              , the oldest from <EventTime at={oldest_pending_at} />
            </>
          )}
        </span>
      </p>
    </>
  )
}
