import { useKeys } from '../../data/settings.ts'
import { aboutOf, type Webhook } from '../../data/webhooks.ts'
import { address } from '../../router.ts'
import { dueText } from './due-field.tsx'
import { conditionsOf, conditionText } from './row-conditions.tsx'

const OBJECT = { record: 'a row', note: 'a note', file: 'a file' } as const

/** The settings of a webhook. */
export function Facts({ webhook }: { webhook: Webhook }) {
  const { data: keys = [] } = useKeys()
  const { ignore_key_id, ignore_own_key } = webhook
  const ignored = keys.find(({ id }) => id === ignore_key_id)?.name ?? ignore_key_id
  const ignoredKeys = [ignore_own_key ? 'the key that created it' : null, ignored].filter(
    (part) => part !== null,
  )
  const conditions = conditionsOf(webhook)
  return (
    <dl class="facts">
      {webhook.delivery === 'pull' ? (
        <>
          <dt>Pending</dt>
          <dd>{webhook.pending} (the oldest go after 30 days or 1,000,000)</dd>
          <dt>Dropped</dt>
          <dd>{webhook.dropped}</dd>
        </>
      ) : (
        <>
          <dt>URL</dt>
          <dd class="code">{webhook.url}</dd>
        </>
      )}
      <dt>Table</dt>
      <dd>
        {webhook.structure ? (
          <a href={address(['records', webhook.structure.id])}>{webhook.structure.name}</a>
        ) : (
          aboutOf(webhook)
        )}
      </dd>
      <dt>Events</dt>
      <dd>{webhook.events.map((event) => event.replace(/^.*\./, '')).join(', ')}</dd>
      {webhook.due && (
        <>
          <dt>Due</dt>
          <dd>{dueText(webhook.due)}</dd>
        </>
      )}
      {webhook.kind === 'note' && (
        <>
          <dt>Combined</dt>
          <dd>updates within {webhook.quiet_seconds ?? 30} seconds</dd>
        </>
      )}
      {webhook.format && (
        <>
          <dt>Format</dt>
          <dd>
            {webhook.format}
            {webhook.template && <span class="code">: {webhook.template}</span>}
          </dd>
        </>
      )}
      {webhook.ordered && (
        <>
          <dt>Order</dt>
          <dd>
            {webhook.delivery === 'pull'
              ? 'numbered'
              : `one event of ${OBJECT[webhook.kind ?? 'record']} at a time`}
          </dd>
        </>
      )}
      {conditions.length > 0 && (
        <>
          <dt>Only rows</dt>
          <dd>{conditions.map(conditionText).join(' and ')}</dd>
        </>
      )}
      {webhook.fields && (
        <>
          <dt>Only fields</dt>
          <dd>{webhook.fields.join(', ')}</dd>
        </>
      )}
      {ignoredKeys.length > 0 && (
        <>
          <dt>Except from</dt>
          <dd>{ignoredKeys.join(', ')}</dd>
        </>
      )}
      {webhook.headers && (
        <>
          <dt>Headers</dt>
          <dd>{Object.keys(webhook.headers).join(', ')}</dd>
        </>
      )}
      {webhook.delivery !== 'pull' && (
        <>
          <dt>Failures in a row</dt>
          <dd>{webhook.consecutive_failures} (pauses at 10)</dd>
        </>
      )}
    </dl>
  )
}
