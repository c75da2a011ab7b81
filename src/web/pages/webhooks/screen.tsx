import { path } from '../../router.ts'
import { addStyles } from '../../styles/add-styles.ts'
import sourceStyles from '../../styles/sources.css' with { type: 'text' }
import styles from '../../styles/webhooks.css' with { type: 'text' }
import { NewSource } from './sources/new-source.tsx'
import { SourceList } from './sources/source-list.tsx'
import { SourceScreen } from './sources/source-screen.tsx'
import { EditWebhook, NewWebhook } from './webhook-form.tsx'
import { WebhookList } from './webhook-list.tsx'
import { WebhookScreen } from './webhook-screen.tsx'

addStyles(styles)
addStyles(sourceStyles)

/** The list of webhooks or sources, one of them, or the form for a new one. */
export function Main() {
  const [, id, part] = path.value
  if (id === undefined) return <WebhookList />
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
  return <WebhookScreen key={id} id={id} />
}
