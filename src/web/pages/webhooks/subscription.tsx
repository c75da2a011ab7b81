import { useState } from 'preact/hooks'
import { Button, ErrorText, Field, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { TypedConfirmation } from '../../components/modal.tsx'
import { Secret } from '../../components/secret.tsx'
import { mayWrite } from '../../data/session.ts'
import {
  deleteWebhook,
  nameOf,
  recoverSince,
  rotateSecret,
  updateWebhook,
  type Webhook,
} from '../../data/webhooks.ts'
import { address, navigate } from '../../router.ts'
import { Facts } from './facts.tsx'
import { shownSecret } from './shown-secret.ts'
import { Verify } from './verify.tsx'

/** What a subscription sends, how it is signed, and what ends it. */
export function Subscription({ webhook }: { webhook: Webhook }) {
  const { id } = webhook
  const secret = shownSecret.value?.id === id ? shownSecret.value.secret : undefined
  return (
    <>
      <header class="bar">
        <a
          class="button quiet icon-only narrow"
          href={address(['webhooks', id])}
          aria-label="Back to the deliveries"
        >
          <Icon name="back" />
        </a>
        <h2>Subscription</h2>
        <span class="grow" />
        {mayWrite.value && (
          <a class="button quiet" href={address(['webhooks', id, 'edit'])}>
            Edit
          </a>
        )}
      </header>
      <section class="section">
        <Facts webhook={webhook} />
      </section>
      <section class="section">
        <h3>Signature</h3>
        {secret === undefined ? (
          <p class="dim">The secret was shown when it was made, and cannot be read again.</p>
        ) : (
          <Secret
            title="The secret is shown only now."
            label={`Secret of ${nameOf(webhook)}`}
            text={secret}
          />
        )}
        {mayWrite.value && <NewSecret id={id} />}
      </section>
      <Verify id={id} />
      {mayWrite.value && <Recover id={id} />}
      {mayWrite.value && <Ends webhook={webhook} />}
    </>
  )
}

const MOST_HOURS = 72

function NewSecret({ id }: { id: string }) {
  const { run, isRunning, refusal } = useAction(async (hours: number) => {
    shownSecret.value = { id, secret: await rotateSecret(id, hours) }
  })
  return (
    <details class="more">
      <summary class="button">New secret…</summary>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run(Number(new FormData(event.currentTarget).get('hours')))
        }}
      >
        <Field
          label={`Hours that the old one signs too, 0 to ${MOST_HOURS}`}
          name="hours"
          type="number"
          defaultValue="24"
          required
          error={refusal.value}
        />
        <p class="dim">With 0 the old secret stops working at once.</p>
        <p class="actions">
          <Button type="submit" disabled={isRunning.value}>
            Make a new secret
          </Button>
        </p>
      </form>
    </details>
  )
}

function Recover({ id }: { id: string }) {
  const [sent, setSent] = useState<number>()
  const { run, isRunning, refusal } = useAction(async (since: string) => {
    setSent(undefined)
    setSent(await recoverSince(id, new Date(since).toISOString()))
  })
  return (
    <section class="section">
      <h3>Send again</h3>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run(String(new FormData(event.currentTarget).get('since')))
        }}
      >
        <Field
          label="What failed for good since"
          name="since"
          type="datetime-local"
          required
          error={refusal.value}
        />
        <p class="actions">
          <Button type="submit" disabled={isRunning.value}>
            Send again
          </Button>
          <small role="status">{sent !== undefined && `${sent} on their way`}</small>
        </p>
      </form>
    </section>
  )
}

function Ends({ webhook }: { webhook: Webhook }) {
  const { id, enabled } = webhook
  const [isAsked, setAsked] = useState(false)
  const { run, isRunning, refusal } = useAction(() => updateWebhook(id, { enabled: !enabled }))
  const name = nameOf(webhook)
  return (
    <section class="section">
      <p class="actions">
        <Button disabled={isRunning.value} onClick={() => void run()}>
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <Button kind="danger" onClick={() => setAsked(true)}>
          Delete…
        </Button>
      </p>
      <p class="dim">While it is disabled, nothing is recorded or sent.</p>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      {isAsked && (
        <TypedConfirmation
          title={`Delete ${name}`}
          word={name}
          action="Delete"
          act={async () => {
            await deleteWebhook(id)
            navigate(address(['webhooks']), { replace: true })
          }}
          onClose={() => setAsked(false)}
        >
          The subscription ends and its log of deliveries goes with it. What is pending is not sent any more.
        </TypedConfirmation>
      )}
    </section>
  )
}
