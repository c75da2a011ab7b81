import { useSignal } from '@preact/signals'
import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Field, useAction, Why } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Empty, Known, Pane } from '../../components/pane.tsx'
import { type Answer, api } from '../../data/api.ts'
import { useQuery } from '../../data/cache.ts'
import { useKeys } from '../../data/settings.ts'
import {
  createWebhook,
  nameOf,
  updateWebhook,
  useWebhook,
  type Webhook,
  type WebhookInput,
} from '../../data/webhooks.ts'
import { address, navigate } from '../../router.ts'
import { type Condition, conditionsOf, parsedValue } from './condition-text.ts'
import { type ConditionInput, Conditions, conditionInputs } from './conditions.tsx'
import { headersOf, OwnHeaders, useHeaders } from './own-headers.tsx'
import { shownSecret } from './shown-secret.ts'

type Structure = Answer<'/v1/records/structures', 'get'>['structures'][number]

const EVENTS = ['record.created', 'record.updated', 'record.deleted'] as const

const useStructures = () =>
  useQuery(
    ['structure'],
    async ({ signal }) => (await api.get('/v1/records/structures', { signal })).structures,
  )

export function NewWebhook() {
  const structures = useStructures()
  return (
    <FormPane title="New subscription" back={address(['webhooks'])}>
      <Known query={structures}>
        {(known) =>
          known.length === 0 ? (
            <Empty>
              <p>A subscription follows the rows of a structure, and there is no structure yet.</p>
              <a class="button" href={address(['records'])}>
                Go to the records
              </a>
            </Empty>
          ) : (
            <WebhookForm structures={known} />
          )
        }
      </Known>
    </FormPane>
  )
}

export function EditWebhook({ id }: { id: string }) {
  const structures = useStructures()
  const webhook = useWebhook(id)
  return (
    <FormPane title={webhook.data ? `Edit ${nameOf(webhook.data)}` : 'Edit'} back={address(['webhooks', id])}>
      <Known query={structures}>
        {(known) => (
          <Known query={webhook}>{(present) => <WebhookForm structures={known} webhook={present} />}</Known>
        )}
      </Known>
    </FormPane>
  )
}

const FormPane = ({
  title,
  back,
  children,
}: {
  title: string
  back: string
  children: preact.ComponentChildren
}) => (
  <main id="main">
    <Pane kind="content" label={title}>
      <header class="bar">
        <a class="button quiet icon-only" href={back} aria-label="Back">
          <Icon name="back" />
        </a>
        <h1 class="cut">{title}</h1>
      </header>
      {children}
    </Pane>
  </main>
)

/** The attribute that a refusal names first, if it is one that the form has. */
const attributeOf = (refusal: string | undefined) =>
  refusal && (/"(url|events|filter|fields|ignore_key_id|description|headers)\b/.exec(refusal)?.[1] ?? 'url')

function WebhookForm({ structures, webhook }: { structures: readonly Structure[]; webhook?: Webhook }) {
  const [structureId, setStructureId] = useState(webhook?.structure?.id ?? structures[0]?.id ?? '')
  const structure = structures.find(({ id }) => id === structureId)
  const conditions = useSignal<readonly ConditionInput[]>(
    conditionInputs(webhook ? conditionsOf(webhook) : []),
  )
  const headers = useHeaders(webhook)
  const { run, isRunning, refusal } = useAction(async (data: FormData) => {
    const own = headersOf(headers.peek())
    const input = { ...inputOf(data, conditions.peek(), structure), ...(own && { headers: own }) }
    if (webhook) {
      await updateWebhook(webhook.id, input)
      navigate(address(['webhooks', webhook.id]))
      return
    }
    const made = await createWebhook({ ...input, structure: structureId })
    shownSecret.value = { id: made.webhook.id, secret: made.secret }
    navigate(address(['webhooks', made.webhook.id], { side: 'open' }))
  })
  const refused = attributeOf(refusal.value)
  const why = (name: string) => (refused === name ? refusal.value : undefined)
  return (
    <form
      class="body stack wide"
      onSubmit={(event: TargetedSubmitEvent<HTMLFormElement>) => {
        event.preventDefault()
        void run(new FormData(event.currentTarget))
      }}
    >
      <p class="field">
        <label for="structure">Structure</label>
        <select
          class="input"
          id="structure"
          disabled={webhook !== undefined}
          value={structureId}
          onChange={({ currentTarget }) => {
            setStructureId(currentTarget.value)
            conditions.value = []
          }}
        >
          {structures.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </p>
      <Field
        label="Goes to (a public https address)"
        name="url"
        type="url"
        required
        defaultValue={webhook?.url ?? ''}
        why={why('url')}
      />
      <Field
        label="Description (optional)"
        name="description"
        defaultValue={webhook?.description ?? ''}
        why={why('description')}
      />
      <fieldset class="field">
        <legend class="label">Events</legend>
        {EVENTS.map((event) => (
          <label key={event} class="check">
            <input
              type="checkbox"
              name="events"
              value={event}
              defaultChecked={webhook?.events.includes(event) ?? true}
            />
            {event.replace('record.', '')}
          </label>
        ))}
        {why('events') && <Why>{why('events')}</Why>}
      </fieldset>
      {structure && <Fields structure={structure} chosen={webhook?.fields ?? []} />}
      {why('fields') && <Why>{why('fields')}</Why>}
      {structure && <Conditions structure={structure} conditions={conditions} why={why('filter')} />}
      <OwnHeaders webhook={webhook} inputs={headers} why={why('headers')} />
      <IgnoredKey webhook={webhook} why={why('ignore_key_id')} />
      <p class="actions">
        <Button kind="main" type="submit" disabled={isRunning.value}>
          {webhook ? 'Save' : 'Make subscription'}
        </Button>
        <a class="button" href={address(webhook ? ['webhooks', webhook.id] : ['webhooks'])}>
          Cancel
        </a>
      </p>
    </form>
  )
}

const Fields = ({ structure, chosen }: { structure: Structure; chosen: readonly string[] }) => (
  <fieldset class="field" key={structure.id}>
    <legend class="label">An update is sent only when one of these fields changed (none chosen: any)</legend>
    <div class="tags">
      {structure.fields.map(({ key, label }) => (
        <label key={key} class="check">
          <input type="checkbox" name="fields" value={key} defaultChecked={chosen.includes(key)} />
          {label || key}
        </label>
      ))}
    </div>
  </fieldset>
)

function IgnoredKey({ webhook, why }: { webhook: Webhook | undefined; why: string | undefined }) {
  const { data: keys = [] } = useKeys()
  return (
    <>
      <p class="field">
        <label for="ignored">Writes with this key are not sent</label>
        <select class="input" id="ignored" name="ignore_key_id" key={keys.length}>
          <option value="">none</option>
          {keys.map(({ id, name }) => (
            <option key={id} value={id} selected={id === webhook?.ignore_key_id}>
              {name}
            </option>
          ))}
        </select>
      </p>
      {webhook?.created_by_key_id && (
        <label class="check">
          <input type="checkbox" name="ignore_own_key" defaultChecked={webhook.ignore_own_key} />
          Neither are writes with the key that made the subscription
        </label>
      )}
      {why && <Why>{why}</Why>}
    </>
  )
}

function inputOf(
  data: FormData,
  conditions: readonly ConditionInput[],
  structure: Structure | undefined,
): WebhookInput {
  const fields = data.getAll('fields').map(String)
  const typeOf = (key: string) => structure?.fields.find((field) => field.key === key)?.type
  const filter = conditions.map(({ field, op, value }): Condition => {
    const parsed = parsedValue(value, op, typeOf(field))
    return parsed === undefined ? { field, op } : { field, op, value: parsed }
  })
  return {
    url: String(data.get('url')).trim(),
    description: String(data.get('description')).trim() || null,
    events: EVENTS.filter((event) => data.getAll('events').includes(event)),
    fields: fields.length === 0 ? null : fields,
    filter,
    ignore_key_id: String(data.get('ignore_key_id')) || null,
    ignore_own_key: data.get('ignore_own_key') !== null,
  }
}
