import { Button, useAction, Why } from '../../components/form.tsx'
import { useQuery } from '../../data/cache.ts'
import { download } from '../../data/download.ts'
import { request, serverNow } from '../../data/request.ts'
import { Section } from './section.tsx'

/** A copy of everything, for who owns every workspace of the server. */
export function Backup() {
  const { run, isRunning, refusal } = useAction(() => download('/app/api/backup', 'daybook-backup.db'))
  return (
    <Section
      name="backup"
      title="Backups"
      about="One file holds every workspace of the server. A backup is read back and checked before it is sent."
    >
      <OwnBackups />
      <p>
        <Button disabled={isRunning.value} onClick={() => void run()}>
          Download a copy now
        </Button>
      </p>
      {isRunning.value && <p role="status">The copy is being made, checked and downloaded…</p>}
      {refusal.value !== undefined && <Why>{refusal.value}</Why>}
      <p class="dim">
        To go back: stop the server, then <code>daybook restore &lt;backup&gt;</code>. What it replaces is
        kept.
      </p>
    </Section>
  )
}

interface Backups {
  readonly every_ms: number | null
  readonly newest_at: string | null
  readonly is_failing: boolean
}

const HOUR_MS = 3_600_000

/** How long, in the largest unit that leaves little over: `24 hours`, `7 days`. */
function duration(ms: number): string {
  const [count, unit] =
    ms >= 48 * HOUR_MS
      ? [ms / (24 * HOUR_MS), 'day']
      : ms >= HOUR_MS
        ? [ms / HOUR_MS, 'hour']
        : [ms / 60_000, 'minute']
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: 0,
  }).format(count)
}

/** The backups that the server makes by itself, with the age of the newest. */
function OwnBackups() {
  const { data } = useQuery<Backups>(
    ['backups'],
    ({ signal }) => request('GET', '/app/api/backups', { signal, isFresh: true }),
    { refetchOnMount: 'always' },
  )
  if (!data) return null
  const { every_ms, newest_at, is_failing } = data
  if (every_ms === null)
    return (
      <p>
        The server makes no backups by itself; start it with <code>--backup-dir</code> and a folder on another
        disk.
      </p>
    )
  const age = newest_at === null ? undefined : serverNow() - Date.parse(newest_at)
  return (
    <p>
      <span class={is_failing ? 'status bad' : age === undefined ? 'status warn' : 'status ok'}>
        {is_failing
          ? 'The last backup failed; the log of the server says why.'
          : `The server makes one every ${duration(every_ms)}.`}
      </span>{' '}
      {age === undefined ? 'There is none yet.' : `The newest is ${duration(Math.max(0, age))} old.`}
    </p>
  )
}
