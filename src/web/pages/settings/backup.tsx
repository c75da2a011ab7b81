import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { download } from '../../data/download.ts'
import { useQuery } from '../../data/use-query.ts'
import { Section } from './section.tsx'

/** Backups of the whole server. Requires ownership of every workspace. */
export function Backup() {
  const { run, isRunning, refusal } = useAction(() => download('/app/api/backup', 'daybook-backup.db'))
  return (
    <Section
      name="backup"
      title="Backups"
      about="One file contains every workspace on this server. Each backup is verified before you download it."
    >
      <AutomaticBackups />
      <p>
        <Button disabled={isRunning.value} onClick={() => void run()}>
          Download backup
        </Button>
      </p>
      {isRunning.value && <p role="status">Creating and verifying the backup…</p>}
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      <p class="dim">
        To restore, stop the server and run <code>daybook restore &lt;backup&gt;</code>. The replaced database
        is kept.
      </p>
    </Section>
  )
}

const HOUR_MS = 3_600_000

/** A rounded duration: days from 48 hours on, else hours or minutes. */
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

/** Age of the newest automatic backup in milliseconds, from `/metrics`; null without one. */
async function readAge(signal: AbortSignal): Promise<number | null> {
  const metrics = await (await fetch('/metrics', { signal })).text()
  const age = /^daybook_backup_age_seconds (\S+)$/m.exec(metrics)?.[1]
  return age === undefined ? null : Number(age) * 1_000
}

/** Automatic backups: the age of the newest, or how to turn them on. */
function AutomaticBackups() {
  const { data: age } = useQuery(['backups'], ({ signal }) => readAge(signal), { refetchOnMount: 'always' })
  // An empty line, so that nothing moves when the age arrives.
  if (age === undefined) return <p>&nbsp;</p>
  if (age === null)
    return (
      <p>
        Automatic backups are off. Start the server with <code>--backup-dir</code> and a folder on another
        disk.
      </p>
    )
  return (
    <p>
      <span class="status ok">Automatic backups are on. The newest is {duration(age)} old.</span>
    </p>
  )
}
