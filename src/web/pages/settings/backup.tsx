import { Button, useAction, Why } from '../../components/form.tsx'
import { download } from '../../data/download.ts'
import { useQuery } from '../../data/use-query.ts'
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

/** How old the newest backup is that the server made by itself, as its figures say; undefined without one. */
async function readAge(signal: AbortSignal): Promise<number | null> {
  const figures = await (await fetch('/metrics', { signal })).text()
  const age = /^daybook_backup_age_seconds (\S+)$/m.exec(figures)?.[1]
  return age === undefined ? null : Number(age) * 1_000
}

/** The backups that the server makes by itself, with the age of the newest. */
function OwnBackups() {
  const { data: age } = useQuery(['backups'], ({ signal }) => readAge(signal), { refetchOnMount: 'always' })
  // Its line is there before it is read.
  if (age === undefined) return <p>&nbsp;</p>
  if (age === null)
    return (
      <p>
        The server has made none by itself; start it with <code>--backup-dir</code> and a folder on another
        disk.
      </p>
    )
  return (
    <p>
      <span class="status ok">The server makes backups by itself; the newest is {duration(age)} old.</span>
    </p>
  )
}
