import { useEffect, useState } from 'preact/hooks'
import { Button, Field, useAction, Why } from '../../components/form.tsx'
import { Known } from '../../components/pane.tsx'
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
} from '../../data/ways-in.ts'
import { search } from '../../router.ts'
import { forgetReason, ProviderRefusal } from '../sign-in/ways.tsx'
import { browserName } from './browser-name.ts'
import { LineForm, textOf } from './line-form.tsx'
import { useRecent } from './recent.tsx'
import { Section } from './section.tsx'

/** How the person signs in without a password: passkeys, and the provider. */
export function WaysIn() {
  const passkeys = usePasskeys()
  const add = useRecent(() => addPasskey(browserName(navigator.userAgent)))
  return (
    <Section
      name="sign-in"
      title="Sign-in"
      about="A passkey opens daybook with your finger, your face or a PIN, without a name. One way to sign in always stays."
    >
      <ProviderRefusal />
      <Known query={passkeys}>
        {(known) =>
          known.length === 0 ? (
            <p>No passkey yet.</p>
          ) : (
            <ul class="plain ways-in" aria-label="Passkeys">
              {known.map((passkey) => (
                <PasskeyRow key={passkey.id} passkey={passkey} />
              ))}
            </ul>
          )
        }
      </Known>
      {hasPasskeys() ? (
        <p>
          <Button disabled={add.isRunning.value} onClick={() => void add.run()}>
            Add a passkey
          </Button>
        </p>
      ) : (
        <small>Passkeys need https or localhost, and a name in place of an address.</small>
      )}
      {add.refusal.value !== undefined && <Why>{add.refusal.value}</Why>}
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
            label={`New name of ${name}`}
            name="name"
            defaultValue={name}
            required
            maxLength={200}
            autocomplete="off"
            autofocus
            why={rename.refusal.value}
          />
        </LineForm>
      </li>
    )
  return (
    <li>
      <span class="grow">{name}</span>
      {remove.refusal.value !== undefined && <Why>{remove.refusal.value}</Why>}
      <small>
        {synced ? 'on your devices' : 'on one device'}, added <Time at={created_at} />
        {last_used_at !== null && (
          <>
            , used <Time at={last_used_at} />
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
  const change = useRecent(async () => {
    forgetReason()
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
      {change.refusal.value !== undefined && <Why>{change.refusal.value}</Why>}
      {change.dialog}
    </>
  )
}
