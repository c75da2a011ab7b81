import { Code } from '../../components/code.tsx'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Loading, QueryError } from '../../components/pane.tsx'
import { CopyButton } from '../../components/secret.tsx'
import { counted } from '../../data/formats.ts'
import { mayWrite } from '../../data/session.ts'
import { redeliver, useDelivery, useWebhook } from '../../data/webhooks.ts'
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

/** The body of a delivery, and the result of each attempt. */
export function DeliveryLog({ id, deliveryId }: { id: string; deliveryId: string }) {
  const { data, error } = useDelivery(id, deliveryId)
  const { data: webhook } = useWebhook(id)
  const { run, isRunning, refusal } = useAction(() => redeliver(id, deliveryId))
  if (error) return <QueryError error={error} />
  if (data === undefined) return <Loading />
  const { delivery, body, attempts } = data
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
              <time dateTime={attempt.at}>{clockTime(attempt.at)}</time>
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
        <h2>Body, {new TextEncoder().encode(body).length} bytes</h2>
        <Code label="Delivery body" text={indented(body)} />
      </div>
    </div>
  )
}
