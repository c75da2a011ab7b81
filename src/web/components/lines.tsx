import { connection } from '../data/live.ts'
import { notices, pendingCount } from '../data/pending.ts'
import { awaySince, isBusy } from '../data/request.ts'
import { entryRefusal, isReadOnlyCopy, mirrorOf, session } from '../data/session.ts'
import { shortTime } from './time.tsx'

const isAway = () => awaySince.value !== undefined || (session.value && connection.value === 'away')

/** How the server is reached, in one line. */
export function ServerState() {
  const [kind, text] = isAway()
    ? ['warn', `Server away${since()}${waiting()}`]
    : isBusy.value
      ? ['warn', `Server busy, asking again${waiting()}`]
      : connection.value === 'live'
        ? ['ok', 'Live']
        : ['off', 'Connecting…']
  return <span class={`status ${kind}`}>{text}</span>
}

const since = () => (awaySince.value === undefined ? '' : ` since ${shortTime(new Date(awaySince.value))}`)

const waiting = () => {
  const waits = pendingCount.value
  return waits === 0 ? '' : `, ${waits === 1 ? '1 change waits' : `${waits} changes wait`} here`
}

/**
 * What is to be known on every screen, above it: that this is a read-only copy; and that the server is away, where there
 * is no rail that has room to say it.
 */
export const Lines = () => (
  <div class="lines" role="status">
    {mirrorOf.value !== undefined && (
      <p class="copy-line">
        {isReadOnlyCopy.value ? 'Read-only copy' : 'Copy'} of{' '}
        <a href={`${mirrorOf.value}/app`}>{new URL(mirrorOf.value).host}</a>;{' '}
        {isReadOnlyCopy.value
          ? 'change it there.'
          : 'notes and rows that you change are here until “daybook mirror push”.'}
      </p>
    )}
    {[...notices.value].map(([subject, { sentence, address: to }]) => (
      <p key={subject}>
        {sentence} {to !== undefined && <a href={to}>Go there to see why.</a>}
      </p>
    ))}
    {session.value === undefined && entryRefusal.value !== undefined ? (
      <p>{entryRefusal.value} This page asks again by itself.</p>
    ) : (
      (isAway() || isBusy.value) && (
        <p class={session.value ? 'narrow' : undefined}>
          <ServerState />
        </p>
      )
    )}
  </div>
)
