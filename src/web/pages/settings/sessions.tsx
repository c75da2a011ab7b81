import { Button, useAction, Why } from '../../components/form.tsx'
import { Known } from '../../components/pane.tsx'
import { Time } from '../../components/time.tsx'
import { endSession, type ListedSession, useSessions } from '../../data/settings.ts'
import { browserName } from './browser-name.ts'
import { OwnPassword } from './password.tsx'
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
      <OwnPassword />
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
