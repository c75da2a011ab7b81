import type { ComponentChildren, TargetedSubmitEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Field, useAction } from '../../components/form.tsx'
import { Modal } from '../../components/modal.tsx'
import { addStyles } from '../../components/styles.ts'
import { clockTime } from '../../components/time.tsx'
import { dateFormat } from '../../data/formats.ts'
import { pendingCount } from '../../data/pending.ts'
import { session, setUp, signIn } from '../../data/session.ts'
import { hasPasskeys, readSetup, type SetupUser, setUpAtProvider } from '../../data/ways-in.ts'
import { navigate } from '../../router.ts'
import styles from '../../styles/sign-in.css' with { type: 'text' }
import { Art } from './art.tsx'
import { offerPasskey } from './passkey-offer.tsx'
import { setupToken } from './setup-token.ts'
import { clearProviderRefusal, OtherWays, ProviderRefusal, useProviderName } from './ways.tsx'

addStyles(styles)

const today = dateFormat({ weekday: 'short', day: 'numeric', month: 'short' })

const fieldsOf = (event: TargetedSubmitEvent<HTMLFormElement>) => {
  event.preventDefault()
  const data = new FormData(event.currentTarget)
  return { user: String(data.get('user') ?? ''), password: String(data.get('password') ?? '') }
}

/** The screen for who is not signed in; with a setup link in the address it asks for the first password. */
export function SignIn() {
  const token = setupToken()
  return (
    <main id="main" class="sign-in-screen">
      <div class="sign-in">
        <time>{today(new Date())}</time>
        <div>{token === undefined ? <SignInForm /> : <SetupForm token={token} />}</div>
      </div>
      <Art now={clockTime(new Date())} />
    </main>
  )
}

/** Signs in with a password; a passkey is offered then, once. */
async function signInByPassword(user: string, password: string): Promise<void> {
  await signIn({ user, password })
  void offerPasskey()
}

function SignInForm() {
  const [user, setUser] = useState('')
  const { run, isRunning, refusal } = useAction(async (user: string, password: string) => {
    await signInByPassword(user, password)
    clearProviderRefusal()
  })
  return (
    <>
      <h1>daybook</h1>
      <form
        onSubmit={(event) => {
          const { user, password } = fieldsOf(event)
          void run(user, password)
        }}
      >
        <p>Sign in to this server, {location.host}.</p>
        <ProviderRefusal />
        <OtherWays onDone={clearProviderRefusal} />
        <Field
          label="Name"
          name="user"
          autocomplete="username webauthn"
          required
          autofocus
          onInput={({ currentTarget }) => setUser(currentTarget.value)}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          error={refusal.value}
        />
        <Button {...(!hasPasskeys() && { kind: 'main' })} type="submit" disabled={isRunning.value}>
          Sign in
        </Button>
      </form>
      <p class="help">
        No way in, or no password yet? An owner makes you a new link under Settings, Members. On the server’s
        machine: <code>daybook users link {user || 'owner'}</code>
      </p>
    </>
  )
}

/** Over the page of a session that has ended; what is on the page stays, and goes on after signing in. */
export function SignInAgain() {
  const { value: count } = pendingCount
  const waits = count === 1 ? '1 change waits' : `${count} changes wait`
  return (
    <SignInDialog title="Your session has ended">
      Sign in to go on where you are. What you wrote is still here.
      {count > 0 &&
        ` ${waits} in this browser until ${session.value?.user.name} signs in; somebody else who does so gives it up.`}
    </SignInDialog>
  )
}

interface SignInDialogProps {
  readonly title: string
  readonly onDone?: () => void
  readonly onClose?: () => void
  readonly children: ComponentChildren
}

/** Asks who is there, over a page that stays. */
export function SignInDialog({ title, onDone, onClose, children }: SignInDialogProps) {
  const { run, isRunning, refusal } = useAction(async (user: string, password: string) => {
    await signIn({ user, password })
    onDone?.()
  })
  return (
    <Modal title={title} {...(onClose && { onClose })}>
      <form
        onSubmit={(event) => {
          const { user, password } = fieldsOf(event)
          void run(user, password)
        }}
      >
        <p>{children}</p>
        <OtherWays {...(onDone && { onDone })} />
        <Field
          label="Name"
          name="user"
          autocomplete="username webauthn"
          required
          defaultValue={session.value?.user.name ?? ''}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          error={refusal.value}
        />
        <p class="actions">
          <Button {...(!hasPasskeys() && { kind: 'main' })} type="submit" disabled={isRunning.value}>
            Sign in
          </Button>
          {onClose && <Button onClick={onClose}>Cancel</Button>}
        </p>
      </form>
    </Modal>
  )
}

function SetupForm({ token }: { token: string }) {
  const provider = useProviderName()
  const form = useRef<HTMLFormElement>(null)
  const { run, isRunning, refusal, fault } = useAction(async (user: string, password: string) => {
    const name = user === '' ? undefined : user
    if (password === '') return setUpAtProvider(token, name)
    await setUp(token, password, name)
    void offerPasskey()
    navigate('/app', { replace: true })
  })
  const isOfName = fault.value?.path[0] === 'name'
  return (
    <>
      <h1>Choose your password</h1>
      <form
        ref={form}
        onSubmit={(event) => {
          const { user, password } = fieldsOf(event)
          void run(user, password)
        }}
      >
        <p>This link works once, for 30 minutes. You can also change your name now.</p>
        <Field
          label="Your name (optional)"
          name="user"
          autocomplete="username"
          maxLength={200}
          error={isOfName ? refusal.value : undefined}
        />
        <Field
          label="Password, 10 characters or more"
          name="password"
          type="password"
          autocomplete="new-password"
          minLength={10}
          maxLength={200}
          required
          autofocus
          error={isOfName ? undefined : refusal.value}
        />
        <Button kind="main" type="submit" disabled={isRunning.value}>
          Open daybook
        </Button>
        {provider !== undefined && (
          <Button
            disabled={isRunning.value}
            onClick={() => void run(String(new FormData(form.current ?? undefined).get('user') ?? ''), '')}
          >
            {`${provider} instead`}
          </Button>
        )}
      </form>
      <WaysThatStay token={token} />
      <p class="help">
        The link has ended? Ask an owner for a new one, or run <code>daybook users link owner</code> on the
        server’s machine. Already have a password? <a href="/app">Sign in</a>.
      </p>
    </>
  )
}

/** How the user of the link signs in besides: what they do not know, somebody else may have added. */
function WaysThatStay({ token }: { token: string }) {
  const [known, setKnown] = useState<SetupUser>()
  useEffect(() => {
    readSetup(token).then(setKnown, () => undefined)
  }, [token])
  if (!known || (known.passkeys.length === 0 && !known.oidc_linked)) return null
  const passkeys = known.passkeys.map(({ name }) => `the passkey “${name}”`)
  const ways = new Intl.ListFormat('en').format([...passkeys, ...(known.oidc_linked ? ['the provider'] : [])])
  return (
    <p class="help" role="status">
      {known.user.name} goes on signing in with {ways}, too. Remove what you do not know under Settings,
      Sign-in.
    </p>
  )
}
