import { Icon } from '../../components/icon.tsx'
import { addStyles } from '../../components/styles.ts'
import { mayWrite } from '../../data/session.ts'
import { useSources } from '../../data/sources.ts'
import { nameOf, useWebhooks } from '../../data/webhooks.ts'
import { address, path } from '../../router.ts'
import styles from '../../styles/sources.css' with { type: 'text' }
import { NewSource } from './sources/new-source.tsx'
import { SourceList, SourceState } from './sources/source-list.tsx'
import { SourceScreen } from './sources/source-screen.tsx'
import { Status } from './status.tsx'
import { EditWebhook, NewWebhook } from './subscription-form.tsx'
import { SubscriptionList } from './subscription-list.tsx'
import { SubscriptionScreen } from './subscription-screen.tsx'

addStyles(styles)

/** The most subscriptions that a workspace holds. */
const MOST = 25

export function Side() {
  const { data = [] } = useWebhooks()
  const [, current] = path.value
  return (
    <div class="rail-sub">
      <h2>
        Subscriptions <span class="dim">{`${data.length} of ${MOST}`}</span>
      </h2>
      <ul>
        {data.map((webhook) => (
          <li key={webhook.id}>
            <a
              href={address(['webhooks', webhook.id])}
              aria-current={current === webhook.id ? 'true' : undefined}
            >
              <span class="cut">{nameOf(webhook)}</span>
              <Status of={webhook.status} isShort />
            </a>
          </li>
        ))}
        {mayWrite.value && (
          <li>
            <a href={address(['webhooks', 'new'])} aria-current={current === 'new' ? 'true' : undefined}>
              <Icon name="plus" />
              New subscription
            </a>
          </li>
        )}
      </ul>
      <Sources />
    </div>
  )
}

/** What comes in, below what goes out. */
function Sources() {
  const { data = [] } = useSources()
  const [, part, current] = path.value
  const isHere = (id: string) => (part === 'in' && current === id ? 'true' : undefined)
  return (
    <>
      <h2>Sources</h2>
      <ul>
        <li>
          <a href={address(['webhooks', 'in'])} aria-current={part === 'in' && !current ? 'true' : undefined}>
            All sources
          </a>
        </li>
        {data.map((source) => (
          <li key={source.id}>
            <a href={address(['webhooks', 'in', source.id])} aria-current={isHere(source.id)}>
              <span class="cut">{source.name}</span>
              <span class="at-end">
                <SourceState of={source} />
              </span>
            </a>
          </li>
        ))}
        {mayWrite.value && (
          <li>
            <a href={address(['webhooks', 'in', 'new'])} aria-current={isHere('new')}>
              <Icon name="plus" />
              New source
            </a>
          </li>
        )}
      </ul>
    </>
  )
}

/** All subscriptions, one of them with its deliveries, or the form for one. */
export function Main() {
  const [, id, part] = path.value
  if (id === undefined) return <SubscriptionList />
  if (id === 'in')
    return part === undefined ? (
      <SourceList />
    ) : part === 'new' ? (
      <NewSource />
    ) : (
      <SourceScreen key={part} id={part} />
    )
  if (id === 'new') return <NewWebhook />
  if (part === 'edit') return <EditWebhook key={id} id={id} />
  return <SubscriptionScreen key={id} id={id} />
}
