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
          {(known) =>
            known.length === 0 ? (
              <Empty>
                <p>
                  A source gives Stripe, GitHub or another service a URL. Events sent there are verified and
                  become rows. On the command line, use <code>daybook sources create</code>.
                </p>
              </Empty>
            ) : (
              <Table sources={known} />
            )
          }
        </QueryResult>
      </Pane>
    </main>
  )
}

const Table = ({ sources }: { sources: readonly Source[] }) => (
  <table class="table" aria-label="Sources">
    <thead>
      <tr>
        <th class="margin" scope="col">
          Latest
        </th>
        <th scope="col">Name</th>
        <th scope="col">Service</th>
        <th scope="col">Table</th>
        <th scope="col">Status</th>
      </tr>
    </thead>
    <tbody>
      {sources.map((source) => (
        <tr key={source.id}>
          <td class="margin">{source.last_event_at && <Time at={source.last_event_at} />}</td>
          <th scope="row" class="top-start">
            <a href={address(['webhooks', 'in', source.id])}>{source.name}</a>
          </th>
          <td class="bottom-start">{PROVIDERS[source.provider].title}</td>
          <td class="bottom-end">{source.structure.name}</td>
          <td class="top-end">
            <SourceState of={source} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** The status of a source, with the number of unmapped events. */
export function SourceState({ of: { enabled, counts } }: { of: Source }) {
  if (!enabled) return <span class="status off">disabled</span>
  if (counts.unmapped > 0) return <span class="status warn">{counts.unmapped} unmapped</span>
  return <span class="status ok">enabled</span>
}
