import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty, Pane, QueryResult } from '../../components/pane.tsx'
import { Time } from '../../components/time.tsx'
import { mayWrite } from '../../data/session.ts'
import { aboutOf, nameOf, useWebhooks, type Webhook } from '../../data/webhooks.ts'
import { address } from '../../router.ts'
import { Directions } from './directions.tsx'
import { LastResult, Pulse } from './pulse.tsx'
import { Status } from './status.tsx'

const MAX_WEBHOOKS = 25

export function WebhookList() {
  const webhooks = useWebhooks()
  return (
    <main id="main">
      <Pane kind="content" label="Webhooks">
        <header class="bar">
          <h1>Webhooks</h1>
          {webhooks.data && <small>{`${webhooks.data.length} of ${MAX_WEBHOOKS} webhooks`}</small>}
          <span class="grow" />
          {mayWrite.value && (
            <a class="button main" href={address(['webhooks', 'new'])} aria-keyshortcuts="n">
              New webhook
            </a>
          )}
        </header>
        <Directions here="out" />
        <QueryResult query={webhooks}>
          {(known) => (
            <DataTable
              label="Webhooks"
              columns={COLUMNS}
              items={known}
              keyOf={({ id }) => id}
              highlight={({ status }) => (status === 'paused' ? 'trouble' : undefined)}
              empty={
                <Empty>
                  <p>
                    A webhook sends changes of rows, notes or files to another program. Deliveries are signed
                    and retried until they succeed. On the command line, use{' '}
                    <code>daybook webhooks create</code>.
                  </p>
                </Empty>
              }
            />
          )}
        </QueryResult>
      </Pane>
    </main>
  )
}

const COLUMNS: readonly Column<Webhook>[] = [
  { label: 'Created', corner: 'margin', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    label: 'Name',
    corner: 'top-start',
    isRowHeading: true,
    cell: (webhook) => <a href={address(['webhooks', webhook.id])}>{nameOf(webhook)}</a>,
  },
  { label: 'Table', corner: 'bottom-end', cell: aboutOf },
  {
    label: 'URL',
    corner: 'bottom-start',
    look: 'break code',
    cell: ({ url, pending }) => url ?? `pull, ${pending} pending`,
  },
  {
    label: 'Last result',
    corner: 'desk',
    cell: ({ id, delivery }) => delivery !== 'pull' && <LastResult id={id} />,
  },
  {
    label: 'Failures, 12 days',
    corner: 'desk',
    cell: ({ id, delivery }) => delivery !== 'pull' && <Pulse id={id} />,
  },
  { label: 'Status', corner: 'top-end', cell: ({ status }) => <Status of={status} /> },
]
