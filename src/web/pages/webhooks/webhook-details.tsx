import { useState } from 'preact/hooks'
import { confirm } from '../../components/confirm.tsx'
import { Button, ErrorText, Field, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
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

/** The settings of a webhook, its signature, and buttons to disable or delete it. */
export function WebhookDetails({ webhook }: { webhook: Webhook }) {
  const { id } = webhook
  const secret = shownSecret.value?.id === id ? shownSecret.value.secret : undefined
  return (
    <>
      <header class="bar">
        <a
          class="button quiet icon-only narrow"
          href={address(['webhooks', id])}
          aria-label="Back to deliveries"
        >
          <Icon name="back" />
        </a>
        <h2>Webhook</h2>
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
      {webhook.delivery !== 'pull' && <Signature webhook={webhook} secret={secret} />}
      {mayWrite.value && <WebhookActions webhook={webhook} />}
    </>
  )
}

/** The secret, code that verifies signatures, and the redelivery of failed events. */
function Signature({ webhook, secret }: { webhook: Webhook; secret: string | undefined }) {
  const { id } = webhook
  return (
    <>
      <section class="section">
        <h3>Signature</h3>
        {secret === undefined ? (
          <p class="dim">
            The secret was shown once, when it was created. Create a new one if you have lost it.
          </p>
        ) : (
          <Secret
            title="Copy the secret now; it will not be shown again."
            label={`Secret of ${nameOf(webhook)}`}
            text={secret}
          />
        )}
        {mayWrite.value && <NewSecret id={id} />}
      </section>
      <Verify id={id} />
      {mayWrite.value && <Recover id={id} />}
    </>
  )
}

const MAX_HOURS = 72

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
          label={`Keep the old secret valid for (hours, 0 to ${MAX_HOURS})`}
          name="hours"
          type="number"
          defaultValue="24"
          required
          error={refusal.value}
        />
        <p class="dim">With 0, the old secret stops working at once.</p>
        <p class="actions">
          <Button type="submit" disabled={isRunning.value}>
            Create secret
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
      <h3>Redeliver</h3>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run(String(new FormData(event.currentTarget).get('since')))
        }}
      >
        <Field
          label="Permanently failed since"
          name="since"
          type="datetime-local"
          required
          error={refusal.value}
        />
        <p class="actions">
          <Button type="submit" disabled={isRunning.value}>
            Redeliver failed
          </Button>
          <small role="status">{sent !== undefined && `${sent} queued`}</small>
        </p>
      </form>
    </section>
  )
}

function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { id, enabled } = webhook
  const { run, isRunning, refusal } = useAction(() => updateWebhook(id, { enabled: !enabled }))
  const name = nameOf(webhook)
  const askToDelete = () =>
    confirm({
      title: `Delete ${name}`,
      consequence: 'The webhook and its delivery log are deleted. Pending deliveries are not sent.',
      action: 'Delete webhook',
      word: name,
      act: async () => {
        await deleteWebhook(id)
        navigate(address(['webhooks']), { replace: true })
      },
    })
  return (
    <section class="section">
      <p class="actions">
        <Button disabled={isRunning.value} onClick={() => void run()}>
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <Button kind="danger" onClick={() => void askToDelete()}>
          Delete…
        </Button>
      </p>
      <p class="dim">A disabled webhook neither records nor sends events.</p>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
    </section>
  )
}
