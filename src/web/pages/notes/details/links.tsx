import { useState } from 'preact/hooks'
import { QueryError } from '../../../components/pane.tsx'
import { Snippet } from '../../../components/snippet.tsx'
import { Time } from '../../../components/time.tsx'
import { api } from '../../../data/api.ts'
import { formatNumber } from '../../../data/formats.ts'
import { useQuery } from '../../../data/use-query.ts'
import { noteAddress } from '../place.ts'

export const useLinks = (id: string) =>
  useQuery(['note', 'links', id], () =>
    api.get('/v1/notes/{id}/links', { params: { id }, query: { context: true } }),
  )

type Outgoing = NonNullable<ReturnType<typeof useLinks>['data']>['outgoing'][number]

/** A note may have 200,000 links; of more than anybody looks through the number is shown. */
const SHOWN = 200

const More = ({ of: { length } }: { of: readonly unknown[] }) =>
  length > SHOWN ? <p class="dim">and {formatNumber(length - SHOWN)} more.</p> : null

/** Which notes lead here, and where this one leads. */
export function Links({ id }: { id: string }) {
  const { data } = useLinks(id)
  if (!data) return null
  const { backlinks } = data
  const outgoing = [
    ...Map.groupBy(data.outgoing, ({ note, text }) => note?.id ?? text.toLowerCase()).values(),
  ]
  return (
    <>
      <section class="section">
        <h3>Backlinks {backlinks.length > 0 && <small>{backlinks.length}</small>}</h3>
        {backlinks.length === 0 && <p class="dim">No note links here.</p>}
        <ul class="plain">
          {backlinks.slice(0, SHOWN).map(({ id: from, title, updated_at, context = '' }) => (
            <li key={from}>
              <a href={noteAddress(from)}>{title}</a>
              <Time at={updated_at} class="dim" />
              <Around text={context} />
            </li>
          ))}
        </ul>
        <More of={backlinks} />
      </section>
      <Mentions key={id} id={id} />
      {outgoing.length > 0 && (
        <section class="section">
          <h3>
            Links from here <small>{outgoing.length}</small>
          </h3>
          <ul class="plain">
            {outgoing.slice(0, SHOWN).map((links) => (
              <OutgoingLink links={links} />
            ))}
          </ul>
          <More of={outgoing} />
        </section>
      )}
    </>
  )
}

const WIKI = /!?\[\[([^[\]|]+)(?:\|([^[\]]*))?\]\]/g
const ID = /^(?:file:)?[0-9a-f]{8}-[0-9a-f-]{27}/

/** The text around a link or a name, with links as they read. */
function Around({ text }: { text: string }) {
  const shown = text.replace(WIKI, (_, target: string, label = '') => label.trim() || target.replace(ID, '…'))
  return <Snippet text={shown} />
}

const MENTIONS = 20

/** Notes that name this one without a link; they are looked for when somebody wants to know. */
function Mentions({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false)
  const { data, error } = useQuery(
    ['note', 'mentions', id],
    () => api.get('/v1/notes/{id}/mentions', { params: { id }, query: { limit: MENTIONS } }),
    { enabled: isOpen },
  )
  return (
    <details class="section" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <strong>Mentions without a link</strong> {data && data.total > 0 && <small>{data.total}</small>}
      </summary>
      {error && <QueryError error={error} />}
      {data?.total === 0 && <p class="dim">No other note names this one.</p>}
      <ul class="plain">
        {data?.mentions.map((mention) => (
          <li key={mention.id}>
            <a href={noteAddress(mention.id)}>{mention.title}</a>
            <Around text={mention.snippet} />
          </li>
        ))}
      </ul>
      {data?.has_more && <p class="dim">and {formatNumber(data.total - MENTIONS)} more.</p>}
    </details>
  )
}

/** Where one or several links of the note lead. */
function OutgoingLink({ links: [link, ...more] }: { links: readonly Outgoing[] }) {
  if (!link) return null
  return (
    <li>
      {link.note ? (
        <a href={noteAddress(link.note.id)}>{more.length > 0 ? link.note.title : link.text}</a>
      ) : (
        <span class="dim">{link.text}, no such note yet</span>
      )}
      {more.length > 0 && <small class="dim">{formatNumber(more.length + 1)} times</small>}
    </li>
  )
}
