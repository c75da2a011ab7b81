import { type Column, DataTable } from '../../../components/data-table.tsx'
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
    {(deliveries) => (
      <DataTable
        label="Deliveries, newest first"
        columns={COLUMNS}
        items={deliveries}
        keyOf={(delivery) => delivery.id}
        useRow={(delivery) => useAction(() => redeliverEvent(id, delivery.id))}
        errorOf={(_, { refusal }) => refusal.value}
        highlight={({ status }) => (status === 'failed' ? 'trouble' : undefined)}
        empty={<p class="dim">No events were passed on yet.</p>}
      />
    )}
  </QueryResult>
)

const COLUMNS: readonly Column<SourceDelivery, ReturnType<typeof useAction<[]>>>[] = [
  { label: 'Created', corner: 'margin', cell: ({ created_at }) => <EventTime at={created_at} /> },
  { label: 'Event', corner: 'top-start', look: 'cut', cell: ({ event }) => event },
  { label: 'URL', corner: 'desk', look: 'cut code', cell: ({ url }) => url },
  { label: 'Status', corner: 'top-end', cell: (delivery) => <DeliveryState of={delivery} /> },
  {
    label: 'Response',
    corner: 'bottom-start',
    look: 'dim cut',
    cell: (delivery) => <DeliveryResult of={delivery} />,
  },
  { label: 'Attempts', corner: 'desk', isNumber: true, cell: ({ attempts }) => attempts },
  {
    label: 'Actions',
    isLabelHidden: true,
    corner: 'bottom-end',
    cell: (_, { run, isRunning }) =>
      mayWrite.value && (
        <Button kind="quiet" disabled={isRunning.value} onClick={() => void run()}>
          Redeliver
        </Button>
      ),
  },
]
