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
import { MadeTime } from '../made-time.tsx'

const WORDS: Readonly<Record<EventStatus, readonly ['ok' | 'warn' | 'off', string]>> = {
  written: ['ok', 'New row'],
  updated: ['ok', 'Changed'],
  duplicate: ['off', 'Came twice'],
  ignored: ['off', 'Not asked for'],
  stale: ['off', 'Older than the row'],
  unmapped: ['warn', 'To map'],
}

const FILTERS = [
  [undefined, 'All'],
  ['unmapped', 'To map'],
  ['written', 'New rows'],
  ['updated', 'Changed'],
  ['ignored', 'Ignored'],
] as const

/** What came, the newest first, and what became of it. */
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
        {FILTERS.map(([known, word]) => (
          <a
            key={word}
            class="button"
            href={at({ status: known })}
            aria-current={status === known ? 'true' : undefined}
          >
            {word}
            {known === 'unmapped' && counts.unmapped > 0 && ` ${counts.unmapped}`}
          </a>
        ))}
        <span class="grow" />
        {mayWrite.value && counts.unmapped > 0 && (
          <Button disabled={isRunning.value} onClick={() => void run()}>
            {counts.unmapped === 1 ? 'Try it again' : `Try the ${counts.unmapped} again`}
          </Button>
        )}
      </nav>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      <QueryResult query={events}>
        {({ events: listed, has_more }) =>
          listed.length === 0 ? (
            <Empty>
              <p>{status === undefined ? 'Nothing has come yet.' : 'There are no such events.'}</p>
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
  const [kind, word] = WORDS[status]
  const isReplayed = status === 'unmapped' || status === 'ignored' || status === 'stale'
  return (
    <tr class={isOpen ? 'chosen' : undefined}>
      <td class="margin">
        <MadeTime at={event.received_at} />
      </td>
      <td class="top-start">
        <button type="button" class="as-link" onClick={() => setParameters({ event: id })}>
          {event.event ?? 'event'}
        </button>
      </td>
      <td class="bottom-start">
        <span class={`status ${kind}`}>
          <span>
            {word}
            {error !== null && (
              <>
                : <RefusalText sentence={error} />
              </>
            )}
          </span>
        </span>
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      </td>
      <td class="desk dim cut">{external_id}</td>
      <td class="number top-end">
        {mayWrite.value && isReplayed && (
          <Button kind="quiet" disabled={isRunning.value} onClick={() => void run()}>
            Try again
          </Button>
        )}
      </td>
    </tr>
  )
}
