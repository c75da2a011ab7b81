import { Empty, Loading, Pane, QueryError } from '../../components/pane.tsx'
import { Time } from '../../components/time.tsx'
import { mayWrite } from '../../data/session.ts'
import { aboutOf, nameOf, useWebhooks, type Webhook } from '../../data/webhooks.ts'
import { address } from '../../router.ts'
import { Directions } from './directions.tsx'
import { LastResult, Pulse } from './pulse.tsx'
import { Status } from './status.tsx'

const MAX_WEBHOOKS = 25

export function WebhookList() {
  const { data, error } = useWebhooks()
  return (
    <main id="main">
      <Pane kind="content" label="Webhooks">
        <header class="bar">
          <h1>Webhooks</h1>
          {data && <small>{`${data.length} of ${MAX_WEBHOOKS} webhooks`}</small>}
          <span class="grow" />
          {mayWrite.value && (
            <a class="button main" href={address(['webhooks', 'new'])} aria-keyshortcuts="n">
              New webhook
            </a>
          )}
        </header>
        <Directions here="out" />
        {error ? (
          <QueryError error={error} />
        ) : data === undefined ? (
          <Loading />
        ) : data.length === 0 ? (
          <Empty>
            <p>
              A webhook sends changes of rows, notes or files to another program. Deliveries are signed and
              retried until they succeed. On the command line, use <code>daybook webhooks create</code>.
            </p>
          </Empty>
        ) : (
          <Table webhooks={data} />
        )}
      </Pane>
    </main>
  )
}

const Table = ({ webhooks }: { webhooks: readonly Webhook[] }) => (
  <table class="table" aria-label="Webhooks">
    <thead>
      <tr>
        <th class="margin" scope="col">
          Created
        </th>
        <th scope="col">Name</th>
        <th scope="col">Table</th>
        <th scope="col">URL</th>
        <th scope="col">Last result</th>
        <th scope="col">Failures, 12 days</th>
        <th scope="col">Status</th>
      </tr>
    </thead>
    <tbody>
      {webhooks.map((webhook) => (
        <tr key={webhook.id} class={webhook.status === 'paused' ? 'trouble' : undefined}>
          <td class="margin">
            <Time at={webhook.created_at} />
          </td>
          <th scope="row" class="top-start">
            <a href={address(['webhooks', webhook.id])}>{nameOf(webhook)}</a>
          </th>
          <td class="bottom-end">{aboutOf(webhook)}</td>
          <td class="bottom-start break code">{webhook.url ?? `pull, ${webhook.pending} pending`}</td>
          <td class="desk">{webhook.delivery !== 'pull' && <LastResult id={webhook.id} />}</td>
          <td class="desk">{webhook.delivery !== 'pull' && <Pulse id={webhook.id} />}</td>
          <td class="top-end">
            <Status of={webhook.status} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
