import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { QueryResult } from '../../components/pane.tsx'
import { Time } from '../../components/time.tsx'
import { endSession, type ListedSession, useSessions } from '../../data/settings.ts'
import { browserName } from './browser-name.ts'
import { OwnPassword } from './password.tsx'
import { Section } from './section.tsx'

export function Sessions() {
  const sessions = useSessions()
  return (
    <Section
      name="sessions"
      title="Sessions and password"
      about="A session ends after 7 days without use, and after 30 days at the latest."
    >
      <QueryResult query={sessions}>
        {(known) => (
          <ul class="plain">
            {known.map((listed) => (
              <Row key={listed.id} listed={listed} />
            ))}
          </ul>
        )}
      </QueryResult>
      <OwnPassword />
    </Section>
  )
}

function Row({ listed: { id, user_agent, address, last_used_at, current } }: { listed: ListedSession }) {
  const { run, isRunning, refusal } = useAction(() => endSession(id))
  const name = browserName(user_agent)
  return (
    <li>
      <span class="grow">{current ? <strong>{name} (this session)</strong> : name}</span>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      <small>
        {address}, {current ? 'now' : <Time at={last_used_at} />}
      </small>
      {!current && (
        <Button
          kind="quiet"
          aria-label={`End session: ${name}, ${address}`}
          disabled={isRunning.value}
          onClick={() => void run()}
        >
          End
        </Button>
      )}
    </li>
  )
}
