import { useEffect, useState } from 'preact/hooks'
import { Button, ErrorText, Field, useAction } from '../../components/form.tsx'
import { QueryResult } from '../../components/pane.tsx'
import { Time } from '../../components/time.tsx'
import { session } from '../../data/session.ts'
import {
  addPasskey,
  goToProvider,
  hasPasskeys,
  type Passkey,
  removePasskey,
  renamePasskey,
  unlinkProvider,
  usePasskeys,
} from '../../data/sign-in-options.ts'
import { search } from '../../router.ts'
import { clearProviderError, ProviderError } from '../sign-in/sign-in-options.tsx'
import { browserName } from './browser-name.ts'
import { LineForm, textOf } from './line-form.tsx'
import { useRecentSignIn } from './recent-sign-in.tsx'
import { Section } from './section.tsx'

/** Sign-in without a password: passkeys and the identity provider. */
export function SignInOptions() {
  const passkeys = usePasskeys()
  const add = useRecentSignIn(() => addPasskey(browserName(navigator.userAgent)))
  return (
    <Section
      name="sign-in"
      title="Sign-in"
      about="Sign in with your fingerprint, face or PIN. At least one way to sign in is always kept."
    >
      <ProviderError />
      <QueryResult query={passkeys}>
        {(known) =>
          known.length === 0 ? (
            <p>No passkeys yet.</p>
          ) : (
            <ul class="plain ways-in" aria-label="Passkeys">
              {known.map((passkey) => (
                <PasskeyRow key={passkey.id} passkey={passkey} />
              ))}
            </ul>
          )
        }
      </QueryResult>
      {hasPasskeys() ? (
        <p>
          <Button disabled={add.isRunning.value} onClick={() => void add.run()}>
            Add a passkey
          </Button>
        </p>
      ) : (
        <small>Passkeys need https or localhost, and a domain name, not an IP address.</small>
      )}
      {add.refusal.value !== undefined && <ErrorText>{add.refusal.value}</ErrorText>}
      {add.dialog}
      {session.value?.oidc_name !== undefined && <Provider name={session.value.oidc_name} />}
    </Section>
  )
}

function PasskeyRow({ passkey: { id, name, created_at, last_used_at, synced } }: { passkey: Passkey }) {
  const [isRenaming, setRenaming] = useState(false)
  const remove = useAction(() => removePasskey(id))
  const rename = useAction(async (data: FormData) => {
    await renamePasskey(id, textOf(data, 'name'))
    setRenaming(false)
  })
  if (isRenaming)
    return (
      <li>
        <LineForm action={rename} submit="Rename" kind="main">
          <Field
            label={`New name for ${name}`}
            name="name"
            defaultValue={name}
            required
            maxLength={200}
            autocomplete="off"
            autofocus
            error={rename.refusal.value}
          />
        </LineForm>
      </li>
    )
  return (
    <li>
      <span class="grow">{name}</span>
      {remove.refusal.value !== undefined && <ErrorText>{remove.refusal.value}</ErrorText>}
      <small>
        {synced ? 'synced' : 'on one device'}, added <Time at={created_at} />
        {last_used_at !== null && (
          <>
            , last used <Time at={last_used_at} />
          </>
        )}
      </small>
      <Button kind="quiet" aria-label={`Rename ${name}`} onClick={() => setRenaming(true)}>
        Rename
      </Button>
      <Button
        kind="quiet"
        aria-label={`Remove ${name}`}
        disabled={remove.isRunning.value}
        onClick={() => void remove.run()}
      >
        Remove
      </Button>
    </li>
  )
}

function Provider({ name }: { name: string }) {
  const isLinked = session.value?.oidc_linked ?? false
  const change = useRecentSignIn(async () => {
    clearProviderError()
    if (isLinked) await unlinkProvider()
    else goToProvider('/app/settings/sign-in', 'link')
  })
  useEffect(() => {
    if (search.peek().get('sign-in') === 'sign-in-again') change.ask()
  }, [])
  return (
    <>
      <ul class="plain ways-in">
        <li>
          <span class="grow">{name}</span>
          <small>{isLinked ? 'linked to your account there' : 'not linked'}</small>
          <Button kind="quiet" disabled={change.isRunning.value} onClick={() => void change.run()}>
            {isLinked ? 'Unlink' : 'Link'}
          </Button>
        </li>
      </ul>
      {change.refusal.value !== undefined && <ErrorText>{change.refusal.value}</ErrorText>}
      {change.dialog}
    </>
  )
}
