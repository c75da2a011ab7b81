import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Banner, Loading, Pane, QueryError } from '../../components/pane.tsx'
import { Time } from '../../components/time.tsx'
import { mayWrite } from '../../data/session.ts'
import {
  nameOf,
  recoverSince,
  sendTest,
  updateWebhook,
  useFailed,
  useWebhook,
  type Webhook,
} from '../../data/webhooks.ts'
import { address, search } from '../../router.ts'
import { Deliveries } from './deliveries.tsx'
import { PulledEvents } from './pulled-events.tsx'
import { Status } from './status.tsx'
import { WebhookDetails } from './webhook-details.tsx'

/** A webhook: its deliveries, and its settings beside them. */
export function WebhookScreen({ id }: { id: string }) {
  const { data, error } = useWebhook(id)
  const isSideShown = search.value.has('side')
  return (
    <main id="main" class="webhooks-screen" data-show={isSideShown ? 'side' : 'content'}>
      <h1 class="visually-hidden">Webhooks</h1>
      <Pane kind="content" label="Deliveries">
        <Head id={id} webhook={data} />
        {error ? (
          <QueryError error={error} />
        ) : data === undefined ? (
          <Loading />
        ) : (
          <>
            <Problems webhook={data} />
            {data.delivery === 'pull' ? <PulledEvents webhook={data} /> : <Deliveries id={id} />}
          </>
        )}
      </Pane>
      <Pane kind="side" label="Webhook">
        {data && <WebhookDetails webhook={data} />}
      </Pane>
    </main>
  )
}

function Head({ id, webhook }: { id: string; webhook: Webhook | undefined }) {
  const { run, isRunning, refusal } = useAction(() => sendTest(id))
  return (
    <>
      <header class="bar">
        <a class="button quiet icon-only" href={address(['webhooks'])} aria-label="All webhooks">
          <Icon name="back" />
        </a>
        <h2 class="cut">{webhook ? nameOf(webhook) : 'Webhook'}</h2>
        <span class="desk">{webhook && <Status of={webhook.status} />}</span>
        <span class="grow" />
        <a
          class="button quiet icon-only narrow"
          href={address(['webhooks', id], { side: 'open' })}
          aria-label="Settings and signature"
        >
          <Icon name="side" />
        </a>
        {webhook && mayWrite.value && (
          <Button disabled={isRunning.value} onClick={() => void run()}>
            Send test
          </Button>
        )}
      </header>
      {refusal.value !== undefined && (
        <div class="banner bad">
          <ErrorText>{refusal.value}</ErrorText>
        </div>
      )}
    </>
  )
}

/** Reports a pause, else permanently failed deliveries. */
function Problems({ webhook }: { webhook: Webhook }) {
  const { data: failed = [] } = useFailed(webhook.id)
  if (webhook.status === 'paused') return <Paused webhook={webhook} />
  return failed.length > 0 ? <PermanentlyFailed id={webhook.id} failed={failed} /> : null
}

function Paused({ webhook: { id, paused_at, pause_reason, consecutive_failures } }: { webhook: Webhook }) {
  const { run, isRunning, refusal } = useAction(() => updateWebhook(id, { resume: true }))
  return (
    <Banner kind="bad">
      <Icon name="warn" />
      <p>
        <strong>
          Paused since {paused_at && <Time at={paused_at} />}
          {pause_reason === undefined && `: ${consecutive_failures} deliveries failed in a row`}.
        </strong>{' '}
        {pause_reason} New events are queued and sent when you resume.
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      </p>
      {mayWrite.value && (
        <Button disabled={isRunning.value} onClick={() => void run()}>
          Resume
        </Button>
      )}
    </Banner>
  )
}

interface PermanentlyFailedProps {
  readonly id: string
  readonly failed: readonly { readonly created_at: string; readonly last_attempt_at: string | null }[]
}

/** The size of a page; more are not counted. */
const MAX_COUNTED = 200

function PermanentlyFailed({ id, failed }: PermanentlyFailedProps) {
  const instants = failed.map(({ created_at, last_attempt_at }) => last_attempt_at ?? created_at)
  const since = instants.toSorted()[0] ?? ''
  const { run, isRunning, refusal } = useAction(() => recoverSince(id, since))
  const count = failed.length >= MAX_COUNTED ? `${MAX_COUNTED} or more` : String(failed.length)
  return (
    <Banner kind="bad">
      <Icon name="warn" />
      <p>
        <strong>
          {failed.length === 1 ? '1 delivery' : `${count} deliveries`} permanently failed since{' '}
          <Time at={since} />.
        </strong>{' '}
        Ten failures in a row pause the webhook.
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      </p>
      {mayWrite.value && (
        <Button disabled={isRunning.value} onClick={() => void run()}>
          {failed.length === 1 ? 'Redeliver' : 'Redeliver all'}
        </Button>
      )}
    </Banner>
  )
}
