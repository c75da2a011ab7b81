import { useState } from 'preact/hooks'
import { QueryError } from '../../../components/pane.tsx'
import { Snippet } from '../../../components/snippet.tsx'
import { Time } from '../../../components/time.tsx'
import { api } from '../../../data/api.ts'
import { formatNumber } from '../../../data/formats.ts'
import { unreachableSince } from '../../../data/request.ts'
import { useQuery } from '../../../data/use-query.ts'
import { noteAddress } from '../route.ts'

export const useLinks = (id: string) =>
  useQuery(['note', 'links', id], () =>
    api.get('/v1/notes/{id}/links', { params: { id }, query: { context: true } }),
  )

type Outgoing = NonNullable<ReturnType<typeof useLinks>['data']>['outgoing'][number]

/** A note can have 200,000 links; above this limit only their number is shown. */
const MAX_SHOWN = 200

const More = ({ of: { length } }: { of: readonly unknown[] }) =>
  length > MAX_SHOWN ? <p class="dim">and {formatNumber(length - MAX_SHOWN)} more.</p> : null

/** Backlinks, unlinked mentions and outgoing links of a note. */
export function Links({ id }: { id: string }) {
  const { data } = useLinks(id)
  if (!data) return null
  const { backlinks } = data
  const isOffline = unreachableSince.value !== undefined
  const outgoing = [
    ...Map.groupBy(data.outgoing, ({ note, text }) => note?.id ?? text.toLowerCase()).values(),
  ]
  return (
    <>
      <section class="section">
        <h3>Backlinks {backlinks.length > 0 && <small>{backlinks.length}</small>}</h3>
        {isOffline ? (
          <p class="dim">Offline, only links from notes stored in this browser are known.</p>
        ) : (
          backlinks.length === 0 && <p class="dim">No backlinks yet.</p>
        )}
        <ul class="plain">
          {backlinks.slice(0, MAX_SHOWN).map(({ id: from, title, updated_at, context = '' }) => (
            <li key={from}>
              <a href={noteAddress(from)}>{title}</a>
              <Time at={updated_at} class="dim" />
              <Context text={context} />
            </li>
          ))}
        </ul>
        <More of={backlinks} />
      </section>
      <Mentions key={id} id={id} />
      {outgoing.length > 0 && (
        <section class="section">
          <h3>
            Links in this note <small>{outgoing.length}</small>
          </h3>
          <ul class="plain">
            {outgoing.slice(0, MAX_SHOWN).map((links) => (
              <OutgoingLink links={links} />
            ))}
          </ul>
          <More of={outgoing} />
        </section>
      )}
    </>
  )
}

const WIKI = /!?\[\[([^[\]|]+?)(?:\\?\|([^[\]]*))?\]\]/g
const ID = /^(?:file:)?[0-9a-f]{8}-[0-9a-f-]{27}/

/** The text around a link or mention, with links reduced to their labels. */
function Context({ text }: { text: string }) {
  const shown = text.replace(WIKI, (_, target: string, label = '') => label.trim() || target.replace(ID, '…'))
  return <Snippet text={shown} />
}

const MAX_MENTIONS = 20

/** Notes that mention this one without a link; searched when the section is opened. */
function Mentions({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false)
  const { data, error } = useQuery(
    ['note', 'mentions', id],
    () => api.get('/v1/notes/{id}/mentions', { params: { id }, query: { limit: MAX_MENTIONS } }),
    { enabled: isOpen },
  )
  return (
    <details class="section" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <strong>Unlinked mentions</strong> {data && data.total > 0 && <small>{data.total}</small>}
      </summary>
      {error && <QueryError error={error} />}
      {data?.total === 0 && <p class="dim">No unlinked mentions.</p>}
      <ul class="plain">
        {data?.mentions.map((mention) => (
          <li key={mention.id}>
            <a href={noteAddress(mention.id)}>{mention.title}</a>
            <Context text={mention.snippet} />
          </li>
        ))}
      </ul>
      {data?.has_more && <p class="dim">and {formatNumber(data.total - MAX_MENTIONS)} more.</p>}
    </details>
  )
}

/** One target of the note's links. */
function OutgoingLink({ links: [link, ...more] }: { links: readonly Outgoing[] }) {
  if (!link) return null
  return (
    <li>
      {link.note ? (
        <a href={noteAddress(link.note.id)}>{more.length > 0 ? link.note.title : link.text}</a>
      ) : (
        <span class="dim">
          {link.text}, {unreachableSince.value === undefined ? 'not created yet' : 'not available offline'}
        </span>
      )}
      {more.length > 0 && <small class="dim">{formatNumber(more.length + 1)} times</small>}
    </li>
  )
}
