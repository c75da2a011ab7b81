import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Field, useAction } from '../../components/form.tsx'
import { Modal } from '../../components/modal.tsx'
import { session, setUp, signIn } from '../../data/session.ts'
import { navigate } from '../../router.ts'
import { setupToken } from './setup-token.ts'

const today = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' })

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
        <time>{today.format(new Date())}</time>
        <div>{token === undefined ? <SignInForm /> : <SetupForm token={token} />}</div>
      </div>
    </main>
  )
}

function SignInForm() {
  const [user, setUser] = useState('')
  const { run, isRunning, refusal } = useAction(signIn)
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
        <Field
          label="Name"
          name="user"
          autocomplete="username"
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
          why={refusal.value}
        />
        <Button kind="main" type="submit" disabled={isRunning.value}>
          Sign in
        </Button>
      </form>
      <p class="help">
        No password yet, or forgotten? An owner makes you a new link under Settings, Members. On the server’s
        machine: <code>daybook users link {user || 'owner'}</code>
      </p>
    </>
  )
}

/** Over the page of a session that has ended; what is on the page stays, and goes on after signing in. */
export function SignInAgain() {
  const { run, isRunning, refusal } = useAction(signIn)
  return (
    <Modal title="Your session has ended">
      <form
        onSubmit={(event) => {
          const { user, password } = fieldsOf(event)
          void run(user, password)
        }}
      >
        <p>Sign in to go on where you are. What you wrote is still here.</p>
        <Field
          label="Name"
          name="user"
          autocomplete="username"
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
          why={refusal.value}
        />
        <p class="actions">
          <Button kind="main" type="submit" disabled={isRunning.value}>
            Sign in
          </Button>
        </p>
      </form>
    </Modal>
  )
}

function SetupForm({ token }: { token: string }) {
  const { run, isRunning, refusal } = useAction(async (user: string, password: string) => {
    await setUp(token, password, user === '' ? undefined : user)
    navigate('/app', { replace: true })
  })
  const isOfName = /^(?:A name|The name|A user named) /.test(refusal.value ?? '')
  return (
    <>
      <h1>Choose your password</h1>
      <form
        onSubmit={(event) => {
          const { user, password } = fieldsOf(event)
          void run(user, password)
        }}
      >
        <p>This link works once, for 30 minutes. You choose another name with your first link only.</p>
        <Field
          label="Name, if you want another one"
          name="user"
          autocomplete="username"
          maxLength={200}
          why={isOfName ? refusal.value : undefined}
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
          why={isOfName ? undefined : refusal.value}
        />
        <Button kind="main" type="submit" disabled={isRunning.value}>
          Open daybook
        </Button>
      </form>
      <p class="help">
        The link has ended? Ask an owner for a new one, or run <code>daybook users link owner</code> on the
        server’s machine. Already have a password? <a href="/app">Sign in</a>.
      </p>
    </>
  )
}
