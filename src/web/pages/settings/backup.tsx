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

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const REFRESH_MS = 5_000

/** A rounded duration: days from 48 hours on, else hours, minutes or seconds. */
function duration(ms: number): string {
  const [count, unit] =
    ms >= 48 * HOUR_MS
      ? [ms / (24 * HOUR_MS), 'day']
      : ms >= HOUR_MS
        ? [ms / HOUR_MS, 'hour']
        : ms >= MINUTE_MS
          ? [ms / MINUTE_MS, 'minute']
          : [ms / SECOND_MS, 'second']
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: 0,
  }).format(count)
}

interface TargetAges {
  readonly name: string
  /** Milliseconds; null without a backup. */
  readonly backup: number | null
  /** Since the last drill that passed: null without one, undefined without drills. */
  readonly drill: number | null | undefined
  /** Of the oldest commit that the bucket lacks, 0 without one; undefined where commits are not uploaded. */
  readonly lag: number | undefined
}

const unescaped = (label: string) => label.replace(/\\(["\\n])/g, (_, sign) => (sign === 'n' ? '\n' : sign))

/** The values of a metric by its label `target`, in milliseconds. */
function valuesIn(metrics: string, name: string): Map<string, number> {
  const samples = metrics.matchAll(
    new RegExp(`^daybook_backup_${name}_seconds\\{target="(.*)"\\} (\\S+)$`, 'gm'),
  )
  return new Map([...samples].map(([, target = '', seconds]) => [unescaped(target), Number(seconds) * 1_000]))
}

/** The age of an instant; null for 0, which means never. */
const ageOf = (instant: number) => (instant === 0 ? null : Math.max(0, Date.now() - instant))

/** The targets of automatic backups, from `/metrics`. */
async function readTargets(signal: AbortSignal): Promise<TargetAges[]> {
  const metrics = await (await fetch('/metrics', { signal })).text()
  const drills = valuesIn(metrics, 'last_drill_timestamp')
  const lags = valuesIn(metrics, 'lag')
  return [...valuesIn(metrics, 'last_success_timestamp')].map(([name, backup]) => {
    const drill = drills.get(name)
    return {
      name,
      backup: ageOf(backup),
      drill: drill === undefined ? undefined : ageOf(drill),
      lag: lags.get(name),
    }
  })
}

/** Automatic backups: the age of the newest in each place and of its last drill, or how to turn them on. */
function AutomaticBackups() {
  const { data: targets } = useQuery(['backups'], ({ signal }) => readTargets(signal), {
    refetchOnMount: 'always',
    refetchInterval: REFRESH_MS,
  })
  // An empty line, so that nothing moves when the ages arrive.
  if (targets === undefined) return <p>&nbsp;</p>
  if (targets.length === 0)
    return (
      <p>
        Automatic backups are off. Start the server with <code>--backup-dir</code> and a folder on another
        disk, or a bucket: <code>s3://bucket/prefix</code>.
      </p>
    )
  const newest = Math.min(...targets.map(({ backup }) => backup ?? Number.POSITIVE_INFINITY))
  return (
    <>
      <p>
        <span class={`status ${Number.isFinite(newest) ? 'ok' : 'warn'}`}>
          Automatic backups are on.{' '}
          {Number.isFinite(newest) ? `The newest is ${duration(newest)} old.` : 'There is none yet.'}
        </span>
      </p>
      <ul class="plain">
        {targets.map((target) => (
          <Target key={target.name} {...target} />
        ))}
      </ul>
    </>
  )
}

function Target(target: TargetAges) {
  return (
    <li>
      <code>{target.name}</code>: {statesOf(target).join(', ')}
    </li>
  )
}

function statesOf({ backup, drill, lag }: TargetAges): string[] {
  const states = [backup === null ? 'no backup yet' : `last backup ${duration(backup)} ago`]
  if (drill === null) states.push('no drill has passed yet')
  else if (drill !== undefined) states.push(`last drill ${duration(drill)} ago`)
  if (lag === 0) states.push('every commit uploaded')
  else if (lag !== undefined) states.push(`upload ${duration(Math.max(lag, SECOND_MS))} behind`)
  return states
}
