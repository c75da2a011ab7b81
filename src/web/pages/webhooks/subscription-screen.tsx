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
import { Status } from './status.tsx'
import { Subscription } from './subscription.tsx'

/** A subscription: its deliveries, and beside them what it sends. */
export function SubscriptionScreen({ id }: { id: string }) {
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
            <Trouble webhook={data} />
            <Deliveries id={id} />
          </>
        )}
      </Pane>
      <Pane kind="side" label="Subscription">
        {data && <Subscription webhook={data} />}
      </Pane>
    </main>
  )
}

function Head({ id, webhook }: { id: string; webhook: Webhook | undefined }) {
  const { run, isRunning, refusal } = useAction(() => sendTest(id))
  return (
    <>
      <header class="bar">
        <a class="button quiet icon-only" href={address(['webhooks'])} aria-label="All subscriptions">
          <Icon name="back" />
        </a>
        <h2 class="cut">{webhook ? nameOf(webhook) : 'Subscription'}</h2>
        <span class="desk">{webhook && <Status of={webhook.status} />}</span>
        <span class="grow" />
        <a
          class="button quiet icon-only narrow"
          href={address(['webhooks', id], { side: 'open' })}
          aria-label="Subscription and signature"
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

/** What waits for a person: a pause, else deliveries that failed for good. */
function Trouble({ webhook }: { webhook: Webhook }) {
  const { data: failed = [] } = useFailed(webhook.id)
  if (webhook.status === 'paused') return <Paused webhook={webhook} />
  return failed.length > 0 ? <FailedForGood id={webhook.id} failed={failed} /> : null
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
        {pause_reason} What happens meanwhile waits, and is sent once it is resumed.
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

interface FailedForGoodProps {
  readonly id: string
  readonly failed: readonly { readonly created_at: string; readonly last_attempt_at: string | null }[]
}

/** One more than a page holds is not counted. */
const MOST_COUNTED = 200

function FailedForGood({ id, failed }: FailedForGoodProps) {
  const instants = failed.map(({ created_at, last_attempt_at }) => last_attempt_at ?? created_at)
  const since = instants.toSorted()[0] ?? ''
  const { run, isRunning, refusal } = useAction(() => recoverSince(id, since))
  const count = failed.length >= MOST_COUNTED ? `${MOST_COUNTED} or more` : String(failed.length)
  return (
    <Banner kind="bad">
      <Icon name="warn" />
      <p>
        <strong>
          {failed.length === 1 ? '1 delivery' : `${count} deliveries`} failed for good since{' '}
          <Time at={since} />.
        </strong>{' '}
        Ten in a row pause the subscription.
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      </p>
      {mayWrite.value && (
        <Button disabled={isRunning.value} onClick={() => void run()}>
          {failed.length === 1 ? 'Send it again' : 'Send them again'}
        </Button>
      )}
    </Banner>
  )
}
