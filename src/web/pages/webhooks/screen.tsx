import { Icon } from '../../components/icon.tsx'
import { mayWrite } from '../../data/session.ts'
import { nameOf, useWebhooks } from '../../data/webhooks.ts'
import { address, path } from '../../router.ts'
import { Status } from './status.tsx'
import { EditWebhook, NewWebhook } from './subscription-form.tsx'
import { SubscriptionList } from './subscription-list.tsx'
import { SubscriptionScreen } from './subscription-screen.tsx'

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
    </div>
  )
}

/** All subscriptions, one of them with its deliveries, or the form for one. */
export function Main() {
  const [, id, part] = path.value
  if (id === undefined) return <SubscriptionList />
  if (id === 'new') return <NewWebhook />
  if (part === 'edit') return <EditWebhook key={id} id={id} />
  return <SubscriptionScreen key={id} id={id} />
}
