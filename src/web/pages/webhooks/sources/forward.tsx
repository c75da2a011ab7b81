import { Button, Field, useAction } from '../../../components/form.tsx'
import { QueryResult } from '../../../components/pane.tsx'
import { mayWrite } from '../../../data/session.ts'
import {
  redeliverEvent,
  type Source,
  type SourceDelivery,
  useSourceDeliveries,
} from '../../../data/sources.ts'
import { EventTime } from '../event-time.tsx'
import { DeliveryResult, DeliveryState } from '../status.tsx'
import { saveTargets, Targets } from './targets.tsx'

const MAX_TARGETS = 5

/** The URLs that events are passed on to, and the deliveries to them. */
export function Forward({ source }: { source: Source }) {
  const { id, forward = [] } = source
  const { run, isRunning, refusal } = useAction((url: string) => saveTargets(id, [...forward, { url }]))
  return (
    <section class="section" aria-label="Pass events on">
      <h2>Pass events on</h2>
      <p class="dim">
        Every verified event is posted to these URLs as it came, so that the library of the service verifies
        it there. A URL is paused after ten failed deliveries in a row.
      </p>
      {forward.length > 0 && <Targets source={source} />}
      {mayWrite.value && forward.length < MAX_TARGETS && (
        <form
          class="line-form"
          onSubmit={(event) => {
            event.preventDefault()
            void run(String(new FormData(event.currentTarget).get('target')).trim())
          }}
        >
          <Field label="Pass on to (URL)" name="target" type="url" required error={refusal.value} />
          <Button type="submit" disabled={isRunning.value}>
            Add URL
          </Button>
        </form>
      )}
      {source.forward && <ForwardedDeliveries id={id} />}
    </section>
  )
}

const ForwardedDeliveries = ({ id }: { id: string }) => (
  <QueryResult query={useSourceDeliveries(id)}>
    {(deliveries) =>
      deliveries.length === 0 ? (
        <p class="dim">No events were passed on yet.</p>
      ) : (
        <table class="table" aria-label="Deliveries, newest first">
          <tbody>
            {deliveries.map((delivery) => (
              <DeliveryRow key={delivery.id} source={id} delivery={delivery} />
            ))}
          </tbody>
        </table>
      )
    }
  </QueryResult>
)

function DeliveryRow({ source, delivery }: { source: string; delivery: SourceDelivery }) {
  const { id, event, url, status, attempts, created_at } = delivery
  const { run, isRunning, refusal } = useAction(() => redeliverEvent(source, id))
  return (
    <tr class={status === 'failed' ? 'trouble' : undefined}>
      <td class="margin">
        <EventTime at={created_at} />
      </td>
      <td class="top-start cut">{event}</td>
      <td class="cut code desk">{url}</td>
      <td class="top-end">
        <DeliveryState of={delivery} />
      </td>
      <td class="bottom-start dim cut">{refusal.value ?? <DeliveryResult of={delivery} />}</td>
      <td class="number desk">{attempts}</td>
      <td class="bottom-end">
        {mayWrite.value && (
          <Button kind="quiet" disabled={isRunning.value} onClick={() => void run()}>
            Redeliver
          </Button>
        )}
      </td>
    </tr>
  )
}
