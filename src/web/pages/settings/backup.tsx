import { Button, useAction, Why } from '../../components/form.tsx'
import { download } from '../../data/download.ts'
import { Section } from './section.tsx'

/** A copy of everything, for who owns every workspace of the server. */
export function Backup() {
  const { run, isRunning, refusal } = useAction(() => download('/app/api/backup', 'daybook-backup.db'))
  return (
    <Section
      name="backup"
      title="Backup"
      about="One file holds every workspace of the server. A backup is read back and checked before it is sent."
    >
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
