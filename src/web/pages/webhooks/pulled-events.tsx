import { Code } from '../../components/code.tsx'
import { Empty, QueryResult } from '../../components/pane.tsx'
import { counted } from '../../data/formats.ts'
import { usePulled, type Webhook } from '../../data/webhooks.ts'
import { EventTime } from './event-time.tsx'

/** The first events that a webhook keeps for its reader, and how to read them. */
export function PulledEvents({ webhook: { id, pending = 0, oldest_pending_at } }: { webhook: Webhook }) {
  const query = usePulled(id)
  return (
    <>
      <QueryResult query={query}>
        {({ events }) =>
          events.length === 0 ? (
            <Empty>
              <p>No pending events. Send a test to check that your program reads it.</p>
            </Empty>
          ) : (
            <table class="table" aria-label="Pending events, oldest first">
              <thead>
                <tr>
                  <th class="margin" scope="col">
                    Occurred
                  </th>
                  <th scope="col">Event</th>
                  <th scope="col">Payload</th>
                </tr>
              </thead>
              <tbody>
                {events.map(({ cursor, payload }) => (
                  <tr key={cursor}>
                    <td class="margin">
                      <EventTime at={payload.occurred_at} />
                    </td>
                    <td class="top-start">{payload.type}</td>
                    <td class="bottom-start dim cut code">{JSON.stringify(payload)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
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
