import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, useAction, Why } from '../../../components/form.tsx'
import { Time } from '../../../components/time.tsx'
import { api } from '../../../data/api.ts'
import { invalidate } from '../../../data/cache.ts'
import { diffLines, linesOf } from '../../../data/line-diff.ts'
import type { NoteText } from '../../../data/note-text.ts'
import { mayWrite } from '../../../data/session.ts'
import { address, search, setParameters } from '../../../router.ts'
import type { Note } from '../list-data.ts'
import { type Revision, useRevisions } from './revision-list.ts'

const SURFACES: Record<string, string> = {
  web: 'on the web',
  api: 'by a program',
  mcp: 'by an agent (MCP)',
  system: 'by daybook itself',
}

/** What edits replaced, newest first; each can be looked at beside what replaced it, and brought back. */
export function Revisions({ note }: { note: Note }) {
  const named = search.value.get('revision') ?? undefined
  const { revisions, hasOlder, isWhole, isReading, error, readOlder } = useRevisions(note.id)
  const isMissing = named !== undefined && revisions?.some(({ id }) => id === named) === false
  useEffect(() => {
    if (isMissing && hasOlder && !isReading) readOlder()
  }, [isMissing, hasOlder, isReading])
  return (
    <section class="section">
      <h3>
        Revisions <small>kept 7 days</small>
      </h3>
      {error && <Why>{error.message}</Why>}
      {revisions?.length === 0 && <p class="dim">No edit so far.</p>}
      {isMissing && !hasOlder && <p class="dim">The revision that the address names is not kept any more.</p>}
      <ol class="ledger">
        {revisions?.map((revision, index) => (
          <li key={revision.id} class={revision.id === named ? 'chosen' : undefined}>
            <Time at={revision.created_at} />
            <div class="item">
              <button
                type="button"
                class="link"
                aria-expanded={revision.id === named}
                onClick={() => setParameters({ revision: revision.id === named ? undefined : revision.id })}
              >
                Edited {SURFACES[revision.surface] ?? revision.surface}
              </button>
              {revision.id === named && (
                <OpenRevision note={note} revision={revision} next={revisions[index - 1] ?? note} />
              )}
            </div>
          </li>
        ))}
      </ol>
      {hasOlder && (
        <p class="actions">
          <Button disabled={isReading} onClick={readOlder}>
            {isReading ? 'Loading…' : 'Older ones'}
          </Button>
        </p>
      )}
      {!isWhole && !hasOlder && (
        <p class="dim">
          These are the newest {revisions?.length}.{' '}
          <a href={address(['changes'], { kind: 'note' })}>Changes</a> lists older edits and undoes them.
        </p>
      )}
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
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [])
  const { run, isRunning, refusal } = useAction(async () => {
    await api.post('/v1/notes/{id}/revisions/{revisionId}/restore', {
      params: { id: note.id, revisionId: revision.id },
    })
    await invalidate(new Set(['note']))
  })
  return (
    <div ref={place}>
      {isWhole ? <p class="verbatim">{revision.content}</p> : <Differences before={revision} after={next} />}
      <p class="actions">
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
    </div>
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
