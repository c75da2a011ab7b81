import { useState } from 'preact/hooks'
import { Code } from '../../components/code.tsx'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Loading, QueryError } from '../../components/pane.tsx'
import { CopyButton } from '../../components/secret.tsx'
import { counted } from '../../data/formats.ts'
import { mayWrite } from '../../data/session.ts'
import { type Attempt, redeliver, useDelivery, useWebhook } from '../../data/webhooks.ts'
import { curlOf } from './curl.ts'
import { clockTime } from './event-time.tsx'

const duration = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`)

/** Indents JSON, which is sent without line breaks. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const Headers = ({ of, label }: { of: readonly (readonly [string, string])[]; label: string }) => (
  <details class="more">
    <summary class="button quiet">{label}</summary>
    <dl class="facts code">
      {of.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd class="break">{value}</dd>
        </>
      ))}
    </dl>
  </details>
)

/** The response to an attempt. */
function Response({ to: { response, response_status } }: { to: Attempt }) {
  if (!response)
    return <p class="dim">{response_status === null ? 'No response.' : 'The response is not stored.'}</p>
  const { headers, body, truncated } = response
  return (
    <>
      {body !== '' && <Code label="Response body" text={indented(body)} />}
      {body === '' && !truncated && <p class="dim">The response has no body.</p>}
      {truncated && <p class="dim">Only the beginning of the response is stored.</p>}
      <Headers
        label={counted(headers.length, 'response header')}
        of={headers.map(({ name, value }) => [name, value])}
      />
    </>
  )
}

/** The request of a delivery, and each attempt with its response. */
export function DeliveryLog({ id, deliveryId }: { id: string; deliveryId: string }) {
  const { data, error } = useDelivery(id, deliveryId)
  const { data: webhook } = useWebhook(id)
  const [chosenAt, setChosenAt] = useState<string>()
  const { run, isRunning, refusal } = useAction(() => redeliver(id, deliveryId))
  if (error) return <QueryError error={error} />
  if (data === undefined) return <Loading />
  const { delivery, body, attempts, request_headers = {} } = data
  const chosen = attempts.find(({ at }) => at === chosenAt) ?? attempts.at(-1)
  return (
    <div class="split">
      <div>
        <h2>{counted(attempts.length, 'attempt')}</h2>
        <ol class="tries">
          {attempts.map((attempt) => (
            <li key={attempt.at}>
              <span class={attempt.error === null ? 'status ok' : 'status bad'}>
                <span class="visually-hidden">{attempt.error === null ? 'delivered' : 'failed'}</span>
              </span>
              <button
                type="button"
                class="link"
                aria-pressed={attempt === chosen}
                onClick={() => setChosenAt(attempt.at)}
              >
                <time dateTime={attempt.at}>{clockTime(attempt.at)}</time>
              </button>
              <span>{attempt.response_status ?? attempt.error}</span>
              <small>{duration(attempt.ms)}</small>
            </li>
          ))}
        </ol>
        <p class="actions">
          {mayWrite.value && (
            <Button kind="main" disabled={isRunning.value} onClick={() => void run()}>
              Redeliver
            </Button>
          )}
          {webhook && <CopyButton text={curlOf(webhook, delivery, body)} word="Copy as cURL" />}
        </p>
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      </div>
      <div>
        {chosen && (
          <>
            <h2>
              Response at {clockTime(chosen.at)}
              {chosen.response_status !== null && `: ${chosen.response_status}`}
            </h2>
            <Response to={chosen} />
          </>
        )}
        <h2>Request, {new TextEncoder().encode(body).length} bytes</h2>
        <Code label="Delivery body" text={indented(body)} />
        <Headers
          label={`${Object.keys(request_headers).length} request headers`}
          of={Object.entries(request_headers)}
        />
      </div>
    </div>
  )
}
