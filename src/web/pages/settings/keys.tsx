import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Button, Field, useAction } from '../../components/form.tsx'
import { TypedConfirmation } from '../../components/modal.tsx'
import { Known } from '../../components/pane.tsx'
import { Secret } from '../../components/secret.tsx'
import { Time } from '../../components/time.tsx'
import { dateFormat } from '../../data/formats.ts'
import { mayWrite } from '../../data/session.ts'
import { type ApiKey, createKey, revokeKey, type Scope, useKeys } from '../../data/settings.ts'
import { LineForm, textOf } from './line-form.tsx'
import { Section } from './section.tsx'

/** The keys with which programs sign their calls. */
export function Keys() {
  const keys = useKeys()
  const revoked = useSignal<ApiKey | undefined>(undefined)
  return (
    <Section
      name="keys"
      title="Keys"
      about="A program signs its calls with a key. It acts as the person who made it, in this workspace only."
    >
      <NewKey />
      <Known query={keys}>{(known) => <KeyTable keys={known} onRevoke={revoked} />}</Known>
      {revoked.value && (
        <TypedConfirmation
          title={`Revoke ${revoked.value.name}`}
          word={revoked.value.name}
          action="Revoke"
          act={() => revokeKey(revoked.value?.id ?? '')}
          onClose={() => {
            revoked.value = undefined
          }}
        >
          Programs that use this key are refused from now on, and their open streams end. A revoked key never
          works again.
        </TypedConfirmation>
      )}
    </Section>
  )
}

/** A key chosen for a day works until that day ends, where the person is. */
const endOf = (day: string) => (day === '' ? null : new Date(`${day}T23:59:59`).toISOString())

const scopes = (): Scope[] => (mayWrite.value ? ['read', 'write'] : ['read'])

const SCOPE_WORDS: Record<Scope, string> = { read: 'read', write: 'read and write' }

function NewKey() {
  const [made, setMade] = useState<{ name: string; secret: string }>()
  const action = useAction(async (data: FormData) => {
    setMade(undefined)
    const { key, secret } = await createKey({
      name: textOf(data, 'name'),
      scope: data.get('scope') === 'write' ? 'write' : 'read',
      expires_at: endOf(textOf(data, 'ends')),
    })
    setMade({ name: key.name, secret })
  })
  const refusal = action.refusal
  const isOfDate = action.fault.value?.path[0] === 'expires_at'
  return (
    <>
      <LineForm action={action} submit="Make key" kind="main">
        <Field
          label="Name"
          name="name"
          required
          maxLength={500}
          autocomplete="off"
          why={isOfDate ? undefined : refusal.value}
        />
        <fieldset class="field">
          <legend class="label">Access</legend>
          <div class="segments">
            {scopes().map((scope, index, { length }) => (
              <label key={scope}>
                <input type="radio" name="scope" value={scope} defaultChecked={index === length - 1} />
                {SCOPE_WORDS[scope]}
              </label>
            ))}
          </div>
        </fieldset>
        <Field
          label="Ends (optional)"
          name="ends"
          type="date"
          why={isOfDate ? 'Choose a day that is not over yet.' : undefined}
        />
      </LineForm>
      {made && (
        <Secret
          title={`${made.name} is made. Its secret is shown only now.`}
          label={`Secret of ${made.name}`}
          text={made.secret}
        />
      )}
    </>
  )
}

const SOON_MS = 7 * 86_400_000

const day = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' })

function Ends({ at }: { at: string | null }) {
  const text = at === null ? 'never' : day(new Date(at))
  const isSoon = at !== null && new Date(at).getTime() - Date.now() < SOON_MS
  return <span class={isSoon ? 'status warn' : undefined}>{text}</span>
}

function KeyTable({ keys, onRevoke }: { keys: readonly ApiKey[]; onRevoke: { value: ApiKey | undefined } }) {
  if (keys.length === 0)
    return (
      <p class="dim">
        No program has a key yet. Make one above, or with <code>daybook keys create</code>.
      </p>
    )
  return (
    <table class="table" aria-label="Keys">
      <thead>
        <tr>
          <th class="margin" scope="col">
            Used
          </th>
          <th scope="col">Name</th>
          <th scope="col">May</th>
          <th scope="col">Of</th>
          <th scope="col">Ends</th>
          <th scope="col">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td class="margin">{key.last_used_at === null ? 'never' : <Time at={key.last_used_at} />}</td>
            <th scope="row" class="top-start">
              {key.name}
            </th>
            <td class="bottom-start">{SCOPE_WORDS[key.scope]}</td>
            <td class="desk">{key.user.name}</td>
            <td class="bottom-end">
              <Ends at={key.expires_at} />
            </td>
            <td class="number top-end">
              <Button
                kind="quiet"
                aria-label={`Revoke ${key.name}`}
                onClick={() => {
                  onRevoke.value = key
                }}
              >
                Revoke
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
