import { useState } from 'preact/hooks'
import { confirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Button, Field, useAction } from '../../components/form.tsx'
import { QueryResult } from '../../components/pane.tsx'
import { Secret } from '../../components/secret.tsx'
import { Time } from '../../components/time.tsx'
import { dateFormat } from '../../data/formats.ts'
import { endOfDay } from '../../data/local-time.ts'
import { mayWrite } from '../../data/session.ts'
import { type ApiKey, createKey, revokeKey, type Scope, useKeys } from '../../data/settings.ts'
import { LineForm, textOf } from './line-form.tsx'
import { Section } from './section.tsx'

export function Keys() {
  const keys = useKeys()
  return (
    <Section
      name="keys"
      title="Keys"
      about="Programs use keys to call the API. A key acts as its owner, in this workspace only."
    >
      <NewKey />
      <QueryResult query={keys}>{(known) => <KeyTable keys={known} />}</QueryResult>
    </Section>
  )
}

const askToRevoke = ({ id, name }: ApiKey): Promise<boolean> =>
  confirm({
    title: `Revoke ${name}`,
    consequence: 'Programs that use this key lose access at once.',
    action: 'Revoke key',
    word: name,
    act: () => revokeKey(id),
  })

const scopes = (): Scope[] => (mayWrite.value ? ['read', 'write'] : ['read'])

const SCOPE_LABELS: Record<Scope, string> = { read: 'read', write: 'read and write' }

function NewKey() {
  const [created, setCreated] = useState<{ name: string; secret: string }>()
  const action = useAction(async (data: FormData) => {
    setCreated(undefined)
    const ends = textOf(data, 'ends')
    const { key, secret } = await createKey({
      name: textOf(data, 'name'),
      scope: data.get('scope') === 'write' ? 'write' : 'read',
      expires_at: ends === '' ? null : endOfDay(ends),
    })
    setCreated({ name: key.name, secret })
  })
  const refusal = action.refusal
  const isDateRefused = action.fault.value?.path[0] === 'expires_at'
  return (
    <>
      <LineForm action={action} submit="Create key" kind="main">
        <Field
          label="Name"
          name="name"
          required
          maxLength={500}
          autocomplete="off"
          error={isDateRefused ? undefined : refusal.value}
        />
        <fieldset class="field">
          <legend class="label">Access</legend>
          <div class="segments">
            {scopes().map((scope, index, { length }) => (
              <label key={scope}>
                <input type="radio" name="scope" value={scope} defaultChecked={index === length - 1} />
                {SCOPE_LABELS[scope]}
              </label>
            ))}
          </div>
        </fieldset>
        <Field
          label="Expires (optional)"
          name="ends"
          type="date"
          error={isDateRefused ? 'Choose today or a later date.' : undefined}
        />
      </LineForm>
      {created && (
        <Secret
          title={`${created.name} created. Copy the key now; it will not be shown again.`}
          label={`Secret of ${created.name}`}
          text={created.secret}
        />
      )}
    </>
  )
}

const SOON_MS = 7 * 86_400_000

const day = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' })

function Expiry({ at }: { at: string | null }) {
  const text = at === null ? 'never' : day(new Date(at))
  const isSoon = at !== null && new Date(at).getTime() - Date.now() < SOON_MS
  return <span class={isSoon ? 'status warn' : undefined}>{text}</span>
}

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    label: 'Last used',
    corner: 'margin',
    cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time at={last_used_at} />),
  },
  { label: 'Name', corner: 'top-start', isRowHeading: true, cell: ({ name }) => name },
  { label: 'Access', corner: 'bottom-start', cell: ({ scope }) => SCOPE_LABELS[scope] },
  { label: 'Owner', corner: 'desk', cell: ({ user }) => user.name },
  { label: 'Expires', corner: 'bottom-end', cell: ({ expires_at }) => <Expiry at={expires_at} /> },
  {
    label: 'Actions',
    isLabelHidden: true,
    corner: 'top-end',
    isNumber: true,
    cell: (key) => (
      <Button kind="quiet" aria-label={`Revoke ${key.name}`} onClick={() => void askToRevoke(key)}>
        Revoke
      </Button>
    ),
  },
]

const KeyTable = ({ keys }: { keys: readonly ApiKey[] }) => (
  <DataTable
    label="Keys"
    columns={COLUMNS}
    items={keys}
    keyOf={({ id }) => id}
    empty={
      <p class="dim">
        No keys yet. Create one above or with <code>daybook keys create</code>.
      </p>
    }
  />
)
