import { type Column, DataTable } from '../../../components/data-table.tsx'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { Empty, QueryResult } from '../../../components/pane.tsx'
import { mayWrite } from '../../../data/session.ts'
import {
  type EventStatus,
  replayEvent,
  replayUnmapped,
  type Source,
  type SourceEvent,
  useSourceEvents,
} from '../../../data/sources.ts'
import { address, search, setParameters } from '../../../router.ts'
import { RefusalText } from '../../records/refusal-text.tsx'
import { EventTime } from '../event-time.tsx'

const STATUS_LABELS: Readonly<Record<EventStatus, readonly ['ok' | 'warn' | 'off', string]>> = {
  written: ['ok', 'Created'],
  updated: ['ok', 'Updated'],
  duplicate: ['off', 'Duplicate'],
  ignored: ['off', 'Ignored'],
  stale: ['off', 'Out of date'],
  unmapped: ['warn', 'Unmapped'],
}

const FILTERS = [
  [undefined, 'All'],
  ['unmapped', 'Unmapped'],
  ['written', 'Created'],
  ['updated', 'Updated'],
  ['ignored', 'Ignored'],
] as const

/** Received events, newest first, with the result of each. */
export function SourceEvents({ source, openId }: { source: Source; openId: string | undefined }) {
  const { id, counts } = source
  const status = FILTERS.find(([known]) => known && known === search.value.get('status'))?.[0]
  const before = search.value.get('before') ?? undefined
  const events = useSourceEvents(id, status, before)
  const { run, isRunning, refusal } = useAction(() => replayUnmapped(id))
  const at = (parameters: Record<string, string | undefined>) => address(['webhooks', 'in', id], parameters)
  return (
    <section aria-label="Events">
      <nav class="tools" aria-label="Show events">
        {FILTERS.map(([known, label]) => (
          <a
            key={label}
            class="button"
            href={at({ status: known })}
            aria-current={status === known ? 'true' : undefined}
          >
            {label}
            {known === 'unmapped' && counts.unmapped > 0 && ` ${counts.unmapped}`}
          </a>
        ))}
        <span class="grow" />
        {mayWrite.value && counts.unmapped > 0 && (
          <Button disabled={isRunning.value} onClick={() => void run()}>
            Retry {counts.unmapped} unmapped
          </Button>
        )}
      </nav>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      <QueryResult query={events}>
        {({ events: listed, has_more }) => (
          <>
            <DataTable
              label="Events, newest first"
              columns={COLUMNS}
              items={listed}
              keyOf={(event) => event.id}
              useRow={(event) => useAction(() => replayEvent(id, event.id))}
              errorOf={(_, { refusal: rowRefusal }) => rowRefusal.value}
              highlight={(event) => (event.id === openId ? 'chosen' : undefined)}
              empty={
                <Empty>
                  <p>{status === undefined ? 'No events yet.' : 'No events with this status.'}</p>
                </Empty>
              }
            />
            {(before !== undefined || has_more) && (
              <p class="foot">
                {before !== undefined && <a href={at({ status })}>Newest</a>}
                {has_more && <a href={at({ status, before: listed.at(-1)?.id })}>Older</a>}
              </p>
            )}
          </>
        )}
      </QueryResult>
    </section>
  )
}

const isReplayable = ({ status }: SourceEvent): boolean =>
  status === 'unmapped' || status === 'ignored' || status === 'stale'

const COLUMNS: readonly Column<SourceEvent, ReturnType<typeof useAction<[]>>>[] = [
  { label: 'Received', corner: 'margin', cell: ({ received_at }) => <EventTime at={received_at} /> },
  {
    label: 'Event',
    corner: 'top-start',
    cell: ({ id, event }) => (
      <button type="button" class="as-link" onClick={() => setParameters({ event: id })}>
        {event ?? 'event'}
      </button>
    ),
  },
  {
    label: 'Result',
    corner: 'bottom-start',
    cell: ({ status, error }) => {
      const [kind, label] = STATUS_LABELS[status]
      return (
        <span class={`status ${kind}`}>
          <span>
            {label}
            {error !== null && (
              <>
                : <RefusalText message={error} />
              </>
            )}
          </span>
        </span>
      )
    },
  },
  { label: 'ID', corner: 'desk', look: 'dim cut', cell: ({ external_id }) => external_id },
  {
    label: 'Actions',
    isLabelHidden: true,
    corner: 'top-end',
    isNumber: true,
    cell: (event, { run, isRunning }) =>
      mayWrite.value &&
      isReplayable(event) && (
        <Button kind="quiet" disabled={isRunning.value} onClick={() => void run()}>
          Retry
        </Button>
      ),
  },
]
