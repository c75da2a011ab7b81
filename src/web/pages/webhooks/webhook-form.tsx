import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { Check } from '../../components/check.tsx'
import { ConditionList } from '../../components/conditions/condition-list.tsx'
import { GroupEditor } from '../../components/conditions/group-editor.tsx'
import { Button, ErrorText, Field, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Pane, QueryResult } from '../../components/pane.tsx'
import { type Answer, api } from '../../data/api.ts'
import { columnsOf } from '../../data/records/conditions.ts'
import type { Fault } from '../../data/request.ts'
import { useKeys } from '../../data/settings.ts'
import { useQuery } from '../../data/use-query.ts'
import {
  createWebhook,
  nameOf,
  updateWebhook,
  useWebhook,
  type Webhook,
  type WebhookInput,
  type WebhookKind,
} from '../../data/webhooks.ts'
import { address, navigate } from '../../router.ts'
import { useDefinitions } from '../views/data.ts'
import { asFilter, asGroup, noteLanguage, type Tree } from '../views/filter/tree.ts'
import { CustomHeaders, headersOf, useHeaders } from './custom-headers.tsx'
import { DueField, dueOf } from './due-field.tsx'
import { FormatField, formatOf } from './format-field.tsx'
import { conditionsOf, draftsOf, readDrafts, rowLanguage } from './row-conditions.tsx'
import { shownSecret } from './shown-secret.ts'

type Structure = Answer<'/v1/records/structures', 'get'>['structures'][number]

type Event = Webhook['events'][number]

const EVENTS: Readonly<Record<WebhookKind, readonly Event[]>> = {
  record: ['record.created', 'record.updated', 'record.deleted'],
  note: ['note.created', 'note.updated', 'note.deleted', 'note.restored'],
  file: ['file.created', 'file.updated', 'file.deleted'],
}
const DUE = 'record.due'

const KINDS: readonly (readonly [WebhookKind, string])[] = [
  ['record', 'a table'],
  ['note', 'notes'],
  ['file', 'files'],
]

const useStructures = () =>
  useQuery(
    ['structure'],
    async ({ signal }) => (await api.get('/v1/records/structures', { signal })).structures,
  )

export function NewWebhook() {
  const structures = useStructures()
  return (
    <FormPane title="New webhook" back={address(['webhooks'])}>
      <QueryResult query={structures}>{(known) => <WebhookForm structures={known} />}</QueryResult>
    </FormPane>
  )
}

export function EditWebhook({ id }: { id: string }) {
  const structures = useStructures()
  const webhook = useWebhook(id)
  return (
    <FormPane title={webhook.data ? `Edit ${nameOf(webhook.data)}` : 'Edit'} back={address(['webhooks', id])}>
      <QueryResult query={structures}>
        {(known) => (
          <QueryResult query={webhook}>
            {(current) => <WebhookForm structures={known} webhook={current} />}
          </QueryResult>
        )}
      </QueryResult>
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

const ATTRIBUTES: ReadonlySet<string | undefined> = new Set([
  'url',
  'events',
  'filter',
  'fields',
  'ignore_key_id',
  'description',
  'headers',
  'due',
  'quiet_seconds',
  'template',
  'structure',
])

/** The attribute where a refusal is shown: the faulty one if the form has it, else the first. */
const attributeOf = (fault: Fault | undefined) => (ATTRIBUTES.has(fault?.path[0]) ? fault?.path[0] : 'url')

function WebhookForm({ structures, webhook }: { structures: readonly Structure[]; webhook?: Webhook }) {
  const [kind, setKind] = useState<WebhookKind>(webhook?.kind ?? (structures.length > 0 ? 'record' : 'note'))
  const [isDue, setDue] = useState(webhook?.events.includes(DUE) ?? false)
  const [group, setGroup] = useState(() => asGroup(treeOf(webhook)))
  const definitions = useDefinitions()
  const [structureId, setStructureId] = useState(webhook?.structure?.id ?? structures[0]?.id ?? '')
  const structure = kind === 'record' ? structures.find(({ id }) => id === structureId) : undefined
  const dateFields = structure?.fields.filter(({ type }) => type === 'date' || type === 'datetime') ?? []
  const columns = structure ? columnsOf(structure) : []
  const [drafts, setDrafts] = useState(() => draftsOf(webhook ? conditionsOf(webhook) : [], columns))
  const headers = useHeaders(webhook)
  const [isPulled, setPulled] = useState(webhook?.delivery === 'pull')
  const { run, isRunning, refusal, fault } = useAction(async (data: FormData) => {
    const own = isPulled ? undefined : headersOf(headers.peek())
    const input = {
      ...inputOf(data, kind, isPulled),
      filter:
        kind === 'record' ? await readDrafts(drafts, columns) : kind === 'note' ? asFilter(group) : null,
      ...(own && { headers: own }),
      ...(data.has('ordered') !== (webhook?.ordered ?? false) && { ordered: data.has('ordered') }),
    }
    if (webhook) {
      await updateWebhook(webhook.id, input)
      navigate(address(['webhooks', webhook.id]))
      return
    }
    const about = structure ? { structure: structure.id } : { kind }
    const created = await createWebhook({ ...input, ...about, ...(isPulled && { delivery: 'pull' }) })
    const { secret } = created
    if (secret !== undefined) shownSecret.value = { id: created.webhook.id, secret }
    navigate(address(['webhooks', created.webhook.id], { side: 'open' }))
  })
  const refused = attributeOf(fault.value)
  const error = (name: string) => (refused === name ? refusal.value : undefined)
  return (
    <form
      class="body stack wide"
      onSubmit={(event: TargetedSubmitEvent<HTMLFormElement>) => {
        event.preventDefault()
        void run(new FormData(event.currentTarget))
      }}
    >
      <p class="field">
        <label for="kind">Changes in</label>
        <select
          class="input"
          id="kind"
          disabled={webhook !== undefined}
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value as WebhookKind)}
        >
          {KINDS.map(([value, name]) => (
            <option key={value} value={value} disabled={value === 'record' && structures.length === 0}>
              {name}
            </option>
          ))}
        </select>
      </p>
      {kind === 'record' && (
        <p class="field">
          <label for="structure">Table</label>
          <select
            class="input"
            id="structure"
            disabled={webhook !== undefined}
            value={structureId}
            onChange={({ currentTarget }) => {
              setStructureId(currentTarget.value)
              setDrafts([])
            }}
          >
            {structures.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </p>
      )}
      <Check
        label="Keep the events until a program reads them, instead of sending them"
        checked={isPulled}
        disabled={webhook !== undefined}
        onChange={(isOn) => setPulled(isOn)}
      />
      {!isPulled && (
        <Field
          label="URL (public, https)"
          name="url"
          type="url"
          required
          defaultValue={webhook?.url ?? ''}
          error={error('url')}
        />
      )}
      {isPulled && error('url') && <ErrorText>{error('url')}</ErrorText>}
      <Field
        label="Description (optional)"
        name="description"
        defaultValue={webhook?.description ?? ''}
        error={error('description')}
      />
      <fieldset class="field">
        <legend class="label">Events</legend>
        {EVENTS[kind].map((event) => (
          <label key={event} class="check">
            <input
              type="checkbox"
              name="events"
              value={event}
              defaultChecked={webhook?.events.includes(event) ?? true}
            />
            {event.replace(/^.*\./, '')}
          </label>
        ))}
        {dateFields.length > 0 && (
          <label class="check">
            <input
              type="checkbox"
              name="events"
              value={DUE}
              checked={isDue}
              onChange={({ currentTarget }) => setDue(currentTarget.checked)}
            />
            due (when a date in the row arrives)
          </label>
        )}
        {error('events') && <ErrorText>{error('events')}</ErrorText>}
      </fieldset>
      {isDue && dateFields.length > 0 && (
        <DueField key={structureId} fields={dateFields} due={webhook?.due} />
      )}
      {error('due') && <ErrorText>{error('due')}</ErrorText>}
      {kind === 'note' && (
        <>
          <Field
            label="Combine updates within (seconds, 0 to 3,600)"
            name="quiet_seconds"
            type="number"
            required
            defaultValue={String(webhook?.quiet_seconds ?? QUIET_SECONDS)}
            error={error('quiet_seconds')}
          />
          <label class="check">
            <input
              type="checkbox"
              name="include_content"
              defaultChecked={webhook?.include_content ?? false}
            />
            Include the text of the note
          </label>
          {definitions && (
            <GroupEditor language={noteLanguage(definitions)} group={group} onChange={setGroup} />
          )}
          {error('filter') && <ErrorText>{error('filter')}</ErrorText>}
        </>
      )}
      {structure && <Fields structure={structure} selected={webhook?.fields ?? []} />}
      {error('fields') && <ErrorText>{error('fields')}</ErrorText>}
      {structure && (
        <ConditionList
          language={rowLanguage(columns)}
          drafts={drafts}
          legend="Only rows that match all conditions"
          error={error('filter')}
          onChange={setDrafts}
        />
      )}
      <label class="check">
        <input type="checkbox" name="ordered" defaultChecked={webhook?.ordered ?? false} />
        {isPulled
          ? 'Number the events'
          : `Send the events of one ${kind === 'record' ? 'row' : kind} one at a time, in order`}
      </label>
      {!isPulled && (
        <>
          <FormatField
            key={`${kind} ${structure?.id}`}
            kind={kind}
            structure={structure}
            webhook={webhook}
            error={error('template')}
          />
          <CustomHeaders webhook={webhook} inputs={headers} error={error('headers')} />
        </>
      )}
      <IgnoredKey webhook={webhook} error={error('ignore_key_id')} />
      <p class="actions">
        <Button kind="main" type="submit" disabled={isRunning.value}>
          {webhook ? 'Save' : 'Create webhook'}
        </Button>
        <a class="button" href={address(webhook ? ['webhooks', webhook.id] : ['webhooks'])}>
          Cancel
        </a>
      </p>
    </form>
  )
}

/** Roll-ups change without a change of the row. */
const fieldsOf = ({ fields }: Structure) => fields.filter(({ type }) => type !== 'rollup')

const Fields = ({ structure, selected }: { structure: Structure; selected: readonly string[] }) => (
  <fieldset class="field" key={structure.id}>
    <legend class="label">Send updates only when these fields change (default: any)</legend>
    <div class="tags">
      {fieldsOf(structure).map(({ key, label }) => (
        <label key={key} class="check">
          <input type="checkbox" name="fields" value={key} defaultChecked={selected.includes(key)} />
          {label || key}
        </label>
      ))}
    </div>
  </fieldset>
)

function IgnoredKey({ webhook, error }: { webhook: Webhook | undefined; error: string | undefined }) {
  const { data: keys = [] } = useKeys()
  return (
    <>
      <p class="field">
        <label for="ignored">Ignore changes made with this key</label>
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
          Also ignore changes made with the key that created this webhook
        </label>
      )}
      {error && <ErrorText>{error}</ErrorText>}
    </>
  )
}

const QUIET_SECONDS = 30

const treeOf = (webhook: Webhook | undefined): Tree | null =>
  webhook && !Array.isArray(webhook.filter) ? (webhook.filter as Tree | null) : null

function inputOf(data: FormData, kind: WebhookKind, isPulled: boolean): Omit<WebhookInput, 'filter'> {
  const fields = data.getAll('fields').map(String)
  return {
    ...(!isPulled && { url: String(data.get('url')).trim() }),
    description: String(data.get('description')).trim() || null,
    events: data.getAll('events') as Event[],
    fields: fields.length === 0 ? null : fields,
    ...(isPulled ? { format: null, template: null } : formatOf(data)),
    ...(kind === 'record' && { due: data.getAll('events').includes(DUE) ? dueOf(data) : null }),
    ...(kind === 'note' && {
      quiet_seconds: Number(data.get('quiet_seconds')),
      include_content: data.get('include_content') !== null,
    }),
    ignore_key_id: String(data.get('ignore_key_id')) || null,
    ignore_own_key: data.get('ignore_own_key') !== null,
  }
}
