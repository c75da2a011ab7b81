import { Empty, Loading, Pane, QueryError } from '../../components/pane.tsx'
import { Time } from '../../components/time.tsx'
import { mayWrite } from '../../data/session.ts'
import { aboutOf, nameOf, useWebhooks, type Webhook } from '../../data/webhooks.ts'
import { address } from '../../router.ts'
import { Directions } from './directions.tsx'
import { Status } from './status.tsx'

/** The most subscriptions that a workspace holds. */
const MOST = 25

/** Every subscription of the workspace. */
export function SubscriptionList() {
  const { data, error } = useWebhooks()
  return (
    <main id="main">
      <Pane kind="content" label="Subscriptions">
        <header class="bar">
          <h1>Webhooks</h1>
          {data && <small>{`${data.length} of ${MOST} subscriptions`}</small>}
          <span class="grow" />
          {mayWrite.value && (
            <a class="button main" href={address(['webhooks', 'new'])}>
              New subscription
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
              A subscription sends the changes of rows, notes or files to another program, signed, and tries
              again until it answers. The same on the command line: <code>daybook webhooks create</code>.
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
  <table class="table" aria-label="Subscriptions">
    <thead>
      <tr>
        <th class="margin" scope="col">
          Made
        </th>
        <th scope="col">Name</th>
        <th scope="col">About</th>
        <th scope="col">URL</th>
        <th scope="col">State</th>
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
          <td class="bottom-start break code">{webhook.url}</td>
          <td class="top-end">
            <Status of={webhook.status} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
