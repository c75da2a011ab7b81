import { useState } from 'preact/hooks'
import { Button, useAction, Why } from '../../../components/form.tsx'
import { Time } from '../../../components/time.tsx'
import { api } from '../../../data/api.ts'
import type { components } from '../../../data/api-types.d.ts'
import { invalidate, useQuery } from '../../../data/cache.ts'
import { diffLines, linesOf } from '../../../data/line-diff.ts'
import type { NoteText } from '../../../data/note-text.ts'
import { mayWrite } from '../../../data/session.ts'
import type { Note } from '../list-data.ts'

type Revision = components['schemas']['Revision']

const SURFACES: Record<string, string> = {
  web: 'on the web',
  api: 'by a program',
  mcp: 'by an agent (MCP)',
  system: 'by daybook itself',
}

/** What edits replaced, newest first; each can be looked at beside what replaced it, and brought back. */
export function Revisions({ note }: { note: Note }) {
  const { data } = useQuery(['note', 'revisions', note.id], () =>
    api.get('/v1/notes/{id}/revisions', { params: { id: note.id }, query: { limit: 20 } }),
  )
  const [open, setOpen] = useState<string>()
  const revisions = data?.revisions ?? []
  return (
    <section class="sec">
      <h3>
        Revisions <small>kept 7 days</small>
      </h3>
      {data && revisions.length === 0 && <p class="dim">No edit so far.</p>}
      <ol class="ledger">
        {revisions.map((revision, index) => (
          <li key={revision.id} class={revision.id === open ? 'on' : undefined}>
            <Time at={revision.created_at} />
            <div class="it">
              <button
                type="button"
                class="link"
                aria-expanded={revision.id === open}
                onClick={() => setOpen(revision.id === open ? undefined : revision.id)}
              >
                Edited {SURFACES[revision.surface] ?? revision.surface}
              </button>
              {revision.id === open && (
                <OpenRevision note={note} revision={revision} next={revisions[index - 1] ?? note} />
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

interface OpenRevisionProps {
  readonly note: Note
  readonly revision: Revision
  /** The text that replaced this revision. */
  readonly next: NoteText
}

function OpenRevision({ note, revision, next }: OpenRevisionProps) {
  const [isWhole, setWhole] = useState(false)
  const { run, isRunning, refusal } = useAction(async () => {
    await api.post('/v1/notes/{id}/revisions/{revisionId}/restore', {
      params: { id: note.id, revisionId: revision.id },
    })
    await invalidate(new Set(['note']))
  })
  return (
    <>
      {isWhole ? <p class="verbatim">{revision.content}</p> : <Differences before={revision} after={next} />}
      <p class="row-b">
        {mayWrite.value && (
          <Button disabled={isRunning.value} onClick={() => void run()}>
            Restore the text before
          </Button>
        )}
        <Button kind="quiet" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          Whole text before
        </Button>
      </p>
      {refusal.value && <Why>{refusal.value}</Why>}
    </>
  )
}

const whole = ({ title, content }: NoteText) => linesOf(`${title}\n${content}`)

/** The lines that an edit took away and those that it wrote. */
function Differences({ before, after }: { before: NoteText; after: NoteText }) {
  const [old, young] = [whole(before), whole(after)]
  return (
    <div class="diff">
      {diffLines(old, young).flatMap(({ from, to, newFrom, newTo }) => [
        to > from && <del>{old.slice(from, to).join('')}</del>,
        newTo > newFrom && <ins>{young.slice(newFrom, newTo).join('')}</ins>,
      ])}
    </div>
  )
}
