import { counted } from '../data/formats.ts'
import { connection } from '../data/live.ts'
import { notices, pendingCount } from '../data/pending.ts'
import { isBusy, unreachableSince } from '../data/request.ts'
import { entryRefusal, isReadOnlyCopy, mirrorOf, session } from '../data/session.ts'
import { shortTime } from './time.tsx'

const isAway = () => unreachableSince.value !== undefined || (session.value && connection.value === 'away')

/** The state of the connection, in one line. */
export function ServerState() {
  const [kind, text] = isAway()
    ? ['warn', `Offline${since()}${pending()}`]
    : isBusy.value
      ? ['warn', `Server busy, retrying${pending()}`]
      : connection.value === 'live'
        ? ['ok', 'Live']
        : ['off', 'Connecting…']
  return <span class={`status ${kind}`}>{text}</span>
}

const since = () =>
  unreachableSince.value === undefined ? '' : ` since ${shortTime(new Date(unreachableSince.value))}`

const pending = () => {
  const count = pendingCount.value
  return count === 0 ? '' : `, ${counted(count, 'change')} pending`
}

/**
 * Messages above every screen: that this is a mirror, notices, and, where the rail is hidden, that the server is
 * unreachable.
 */
export const StatusLines = () => (
  <div class="lines" role="status">
    {mirrorOf.value !== undefined && (
      <p class="copy-line">
        {isReadOnlyCopy.value ? 'Read-only copy' : 'Copy'} of{' '}
        <a href={`${mirrorOf.value}/app`}>{new URL(mirrorOf.value).host}</a>;{' '}
        {isReadOnlyCopy.value
          ? 'make changes there.'
          : 'your changes stay here until you run “daybook mirror push”.'}
      </p>
    )}
    {[...notices.value].map(([subject, { sentence, address: to }]) => (
      <p key={subject}>
        {sentence} {to !== undefined && <a href={to}>Show details</a>}
      </p>
    ))}
    {session.value === undefined && entryRefusal.value !== undefined ? (
      <p>{entryRefusal.value} Retrying automatically.</p>
    ) : (
      (isAway() || isBusy.value) && (
        <p class={session.value ? 'narrow' : undefined}>
          <ServerState />
        </p>
      )
    )}
  </div>
)
