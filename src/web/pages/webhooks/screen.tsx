import { addStyles } from '../../components/styles.ts'
import { path } from '../../router.ts'
import sourceStyles from '../../styles/sources.css' with { type: 'text' }
import styles from '../../styles/webhooks.css' with { type: 'text' }
import { NewSource } from './sources/new-source.tsx'
import { SourceList } from './sources/source-list.tsx'
import { SourceScreen } from './sources/source-screen.tsx'
import { EditWebhook, NewWebhook } from './subscription-form.tsx'
import { SubscriptionList } from './subscription-list.tsx'
import { SubscriptionScreen } from './subscription-screen.tsx'

addStyles(styles)
addStyles(sourceStyles)

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
