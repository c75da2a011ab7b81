import { Button, ErrorText, Field, useAction } from '../../../components/form.tsx'
import { QueryResult } from '../../../components/pane.tsx'
import { mayWrite } from '../../../data/session.ts'
import {
  redeliverEvent,
  resumeTarget,
  type Source,
  type SourceDelivery,
  type Target,
  updateSource,
  useSourceDeliveries,
} from '../../../data/sources.ts'
import { EventTime } from '../event-time.tsx'
import { DeliveryState } from '../status.tsx'

const MAX_TARGETS = 5

/** The URLs that events are passed on to, and the deliveries to them. */
export function Forward({ source }: { source: Source }) {
  const { id, forward = [] } = source
  const { run, isRunning, refusal } = useAction(async (targets: readonly Target[], added?: string) => {
    const kept = targets.map(({ url, when }) => ({ url: url ?? '', ...(when && { when }) }))
    await updateSource(id, { forward: added === undefined ? kept : [...kept, { url: added }] })
  })
  return (
    <section class="section" aria-label="Pass events on">
      <h2>Pass events on</h2>
      <p class="dim">
        Every verified event is posted to these URLs as it came, so that the library of the service verifies
        it there.
      </p>
      {forward.length > 0 && (
        <table class="table" aria-label="URLs that events are passed on to">
          <tbody>
            {forward.map((target, index) => (
              <TargetRow
                key={target.url ?? index}
                source={id}
                target={target}
                onRemove={() => void run(forward.filter((other) => other !== target))}
              />
            ))}
          </tbody>
        </table>
      )}
      {mayWrite.value && forward.length < MAX_TARGETS && (
        <form
          class="line-form"
          onSubmit={(event) => {
            event.preventDefault()
            void run(forward, String(new FormData(event.currentTarget).get('target')).trim())
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

interface TargetRowProps {
  readonly source: string
  readonly target: Target
  readonly onRemove: () => void
}

function TargetRow({ source, target: { url, when, status }, onRemove }: TargetRowProps) {
  const { run, isRunning, refusal } = useAction(() => resumeTarget(source, url ?? ''))
  const name = url ?? 'a URL shown to members who can write'
  return (
    <tr class={status === 'paused' ? 'trouble' : undefined}>
      <td class="break code">{name}</td>
      <td class="dim">{conditionsText(when?.length ?? 0)}</td>
      <td>
        <span class={`status ${status === 'paused' ? 'bad' : 'ok'}`}>{status}</span>
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      </td>
      <td>
        {mayWrite.value && status === 'paused' && (
          <Button disabled={isRunning.value} onClick={() => void run()}>
            Resume
          </Button>
        )}
        {mayWrite.value && (
          <Button kind="quiet" onClick={onRemove}>
            Remove
          </Button>
        )}
      </td>
    </tr>
  )
}

const conditionsText = (count: number): string =>
  count === 0 ? 'all events' : count === 1 ? '1 condition' : `${count} conditions`

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
  const { id, event, url, status, error, attempts, created_at } = delivery
  const { run, isRunning, refusal } = useAction(() => redeliverEvent(source, id))
  return (
    <tr class={status === 'failed' ? 'trouble' : undefined}>
      <td class="margin">
        <EventTime at={created_at} />
      </td>
      <td class="cut">{event}</td>
      <td class="cut code desk">{url}</td>
      <td>
        <DeliveryState of={status} />
      </td>
      <td class="dim cut">{refusal.value ?? error}</td>
      <td class="number desk">{attempts}</td>
      <td>
        {mayWrite.value && (
          <Button kind="quiet" disabled={isRunning.value} onClick={() => void run()}>
            Redeliver
          </Button>
        )}
      </td>
    </tr>
  )
}
