import { useRef, useState } from 'preact/hooks'
import { Button, Field, useAction, Why } from '../../components/form.tsx'
import { Known } from '../../components/pane.tsx'
import { Time } from '../../components/time.tsx'
import { session } from '../../data/session.ts'
import { changePassword, endSession, type ListedSession, useSessions } from '../../data/settings.ts'
import { browserName } from './browser-name.ts'
import { Section } from './section.tsx'

/** Where the person is signed in, and the password. */
export function Sessions() {
  const sessions = useSessions()
  return (
    <Section
      name="sessions"
      title="Sessions, password"
      about="A session ends 7 days after its last use, 30 days after it began at the latest."
    >
      <Known query={sessions}>
        {(known) => (
          <ul class="plain">
            {known.map((listed) => (
              <Row key={listed.id} listed={listed} />
            ))}
          </ul>
        )}
      </Known>
      <Password />
    </Section>
  )
}

function Row({ listed: { id, user_agent, address, last_used_at, current } }: { listed: ListedSession }) {
  const { run, isRunning, refusal } = useAction(() => endSession(id))
  const name = browserName(user_agent)
  return (
    <li>
      <span class="grow">{current ? <strong>{name}, this one</strong> : name}</span>
      {refusal.value !== undefined && <Why>{refusal.value}</Why>}
      <small>
        {address}, {current ? 'now' : <Time at={last_used_at} />}
      </small>
      {!current && (
        <Button
          kind="quiet"
          aria-label={`End the session ${name}, ${address}`}
          disabled={isRunning.value}
          onClick={() => void run()}
        >
          End
        </Button>
      )}
    </li>
  )
}

function Password() {
  const [isChanged, setChanged] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const { run, isRunning, refusal } = useAction(async (data: FormData) => {
    setChanged(false)
    await changePassword(String(data.get('current')), String(data.get('password')))
    setChanged(true)
    form.current?.reset()
  })
  const isOfNew = refusal.value?.startsWith('A password must') ?? false
  return (
    <details class="more">
      <summary class="button">Change password…</summary>
      <form
        class="stack"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          void run(new FormData(event.currentTarget))
        }}
      >
        <input
          class="visually-hidden"
          name="user"
          aria-label="Name"
          autocomplete="username"
          tabIndex={-1}
          readOnly
          value={session.value?.user.name ?? ''}
        />
        <Field
          label="Current password"
          name="current"
          type="password"
          autocomplete="current-password"
          required
          why={isOfNew ? undefined : refusal.value}
        />
        <Field
          label="New password, 10 characters or more"
          name="password"
          type="password"
          autocomplete="new-password"
          minLength={10}
          maxLength={200}
          required
          why={isOfNew ? refusal.value : undefined}
        />
        <p class="actions">
          <Button kind="main" type="submit" disabled={isRunning.value}>
            Change password
          </Button>
          <small>ends every other session; API keys stay valid</small>
        </p>
      </form>
      <p role="status">
        {isChanged && <span class="status ok">The password is changed; every other session has ended.</span>}
      </p>
    </details>
  )
}
