import { type Column, DataTable } from '../../../components/data-table.tsx'
import { Empty, Pane, QueryResult } from '../../../components/pane.tsx'
import { Time } from '../../../components/time.tsx'
import { mayWrite } from '../../../data/session.ts'
import { type Source, useSources } from '../../../data/sources.ts'
import { address } from '../../../router.ts'
import { Directions } from '../directions.tsx'
import { PROVIDERS } from './providers.ts'

export function SourceList() {
  const sources = useSources()
  return (
    <main id="main">
      <Pane kind="content" label="Sources">
        <header class="bar">
          <h1>Webhooks</h1>
          <span class="grow" />
          {mayWrite.value && (
            <a class="button main" href={address(['webhooks', 'in', 'new'])} aria-keyshortcuts="n">
              New source
            </a>
          )}
        </header>
        <Directions here="in" />
        <QueryResult query={sources}>
          {(known) => (
            <DataTable
              label="Sources"
              columns={COLUMNS}
              items={known}
              keyOf={({ id }) => id}
              empty={
                <Empty>
                  <p>
                    A source gives Stripe, GitHub or another service a URL. Events sent there are verified and
                    become rows. On the command line, use <code>daybook sources create</code>.
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

const COLUMNS: readonly Column<Source>[] = [
  {
    label: 'Latest',
    corner: 'margin',
    cell: ({ last_event_at }) => last_event_at && <Time at={last_event_at} />,
  },
  {
    label: 'Name',
    corner: 'top-start',
    isRowHeading: true,
    cell: ({ id, name }) => <a href={address(['webhooks', 'in', id])}>{name}</a>,
  },
  { label: 'Service', corner: 'bottom-start', cell: ({ provider }) => PROVIDERS[provider].title },
  { label: 'Table', corner: 'bottom-end', cell: ({ structure }) => structure.name },
  { label: 'Status', corner: 'top-end', cell: (source) => <SourceState of={source} /> },
]

/** The status of a source, with the number of unmapped events. */
export function SourceState({ of: { enabled, counts } }: { of: Source }) {
  if (!enabled) return <span class="status off">disabled</span>
  if (counts.unmapped > 0) return <span class="status warn">{counts.unmapped} unmapped</span>
  return <span class="status ok">enabled</span>
}
