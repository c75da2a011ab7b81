import type { ComponentChildren, TargetedSubmitEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Field, useAction } from '../../components/form.tsx'
import { Modal } from '../../components/modal.tsx'
import { clockTime } from '../../components/time.tsx'
import { counted, dateFormat } from '../../data/formats.ts'
import { pendingCount } from '../../data/pending.ts'
import { Refused } from '../../data/request.ts'
import { session, setUp, signIn } from '../../data/session.ts'
import { hasPasskeys, readSetup, type SetupUser, setUpAtProvider } from '../../data/sign-in-options.ts'
import { navigate } from '../../router.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/sign-in.css' with { type: 'text' }
import { Art } from './art.tsx'
import { offerPasskey } from './passkey-offer.tsx'
import { setupToken } from './setup-token.ts'
import { clearProviderError, ProviderError, SignInOptions, useProviderName } from './sign-in-options.tsx'

addStyles(styles)

const today = dateFormat({ weekday: 'short', day: 'numeric', month: 'short' })

const fieldsOf = (event: TargetedSubmitEvent<HTMLFormElement>) => {
  event.preventDefault()
  const data = new FormData(event.currentTarget)
  return { user: String(data.get('user') ?? ''), password: String(data.get('password') ?? '') }
}

/** The screen without a session. With a setup link in the address, it asks for a new password. */
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

/** Signs in with a password, and then offers a passkey once. */
async function signInWithPassword(user: string, password: string): Promise<void> {
  await signIn({ user, password })
  void offerPasskey()
}

function SignInForm() {
  const [user, setUser] = useState('')
  const { run, isRunning, refusal } = useAction(async (user: string, password: string) => {
    await signInWithPassword(user, password)
    clearProviderError()
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
        <p>Sign in to {location.host}.</p>
        <ProviderError />
        <SignInOptions onDone={clearProviderError} />
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
        No password, or forgot it? An owner can create a link for you under Settings, Members. On the server,
        run <code>daybook users link {user || 'owner'}</code>
      </p>
    </>
  )
}

/** A dialog over the page of an ended session. The page and its unsaved edits continue after signing in. */
export function SignInAgain() {
  const { value: count } = pendingCount
  const pending = counted(count, 'pending change is', 'pending changes are')
  return (
    <SignInDialog title="Your session has ended">
      Sign in to continue. Your text is still here.
      {count > 0 &&
        ` ${pending} in this browser until ${session.value?.user.name} signs in. If someone else signs in, ${count === 1 ? 'it is' : 'they are'} discarded.`}
    </SignInDialog>
  )
}

interface SignInDialogProps {
  readonly title: string
  readonly onDone?: () => void
  readonly onClose?: () => void
  readonly children: ComponentChildren
}

/** A sign-in dialog over the current page. */
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
        <SignInOptions {...(onDone && { onDone })} />
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
  const { known, isVoid } = useSetupLink(token)
  if (isVoid)
    return (
      <>
        <h1>daybook</h1>
        <p role="alert">This link no longer works. Ask for a new one.</p>
        <LinkHelp />
      </>
    )
  return (
    <>
      <h1>Choose a password</h1>
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
          label="Password (at least 10 characters)"
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
      <OtherSignInOptions known={known} />
      <LinkHelp />
    </>
  )
}

const LinkHelp = () => (
  <p class="help">
    Link expired? Ask an owner for a new one, or run <code>daybook users link owner</code> on the server.
    Already have a password? <a href="/app">Sign in</a>.
  </p>
)

/** The user of a setup link; or that it no longer works, before a password is typed. */
function useSetupLink(token: string) {
  const [link, setLink] = useState<{ known?: SetupUser; isVoid?: boolean }>({})
  useEffect(() => {
    readSetup(token).then(
      (known) => setLink({ known }),
      (error) => setLink({ isVoid: error instanceof Refused && error.status === 401 }),
    )
  }, [token])
  return link
}

/** The other sign-in options of the account, so that the user can spot one that someone else added. */
function OtherSignInOptions({ known }: { known: SetupUser | undefined }) {
  if (!known || (known.passkeys.length === 0 && !known.oidc_linked)) return null
  const passkeys = known.passkeys.map(({ name }) => `the passkey “${name}”`)
  const options = new Intl.ListFormat('en').format([
    ...passkeys,
    ...(known.oidc_linked ? ['the provider'] : []),
  ])
  return (
    <p class="help" role="status">
      {known.user.name} can also sign in with {options}. Remove unknown ones under Settings, Sign-in.
    </p>
  )
}
