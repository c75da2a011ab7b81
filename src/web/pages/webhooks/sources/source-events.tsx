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
        {({ events: listed, has_more }) =>
          listed.length === 0 ? (
            <Empty>
              <p>{status === undefined ? 'No events yet.' : 'No events with this status.'}</p>
            </Empty>
          ) : (
            <>
              <table class="table" aria-label="Events, newest first">
                <tbody>
                  {listed.map((event) => (
                    <Row key={event.id} source={id} event={event} isOpen={event.id === openId} />
                  ))}
                </tbody>
              </table>
              {(before !== undefined || has_more) && (
                <p class="foot">
                  {before !== undefined && <a href={at({ status })}>Newest</a>}
                  {has_more && <a href={at({ status, before: listed.at(-1)?.id })}>Older</a>}
                </p>
              )}
            </>
          )
        }
      </QueryResult>
    </section>
  )
}

function Row({ source, event, isOpen }: { source: string; event: SourceEvent; isOpen: boolean }) {
  const { id, status, error, external_id } = event
  const { run, isRunning, refusal } = useAction(() => replayEvent(source, id))
  const [kind, label] = STATUS_LABELS[status]
  const isReplayable = status === 'unmapped' || status === 'ignored' || status === 'stale'
  return (
    <tr class={isOpen ? 'chosen' : undefined}>
      <td class="margin">
        <EventTime at={event.received_at} />
      </td>
      <td class="top-start">
        <button type="button" class="as-link" onClick={() => setParameters({ event: id })}>
          {event.event ?? 'event'}
        </button>
      </td>
      <td class="bottom-start">
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
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      </td>
      <td class="desk dim cut">{external_id}</td>
      <td class="number top-end">
        {mayWrite.value && isReplayable && (
          <Button kind="quiet" disabled={isRunning.value} onClick={() => void run()}>
            Retry
          </Button>
        )}
      </td>
    </tr>
  )
}
