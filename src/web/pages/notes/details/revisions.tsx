import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { TextDifferences } from '../../../components/text-differences.tsx'
import { Time } from '../../../components/time.tsx'
import { api } from '../../../data/api.ts'
import { invalidate } from '../../../data/cache.ts'
import { dateFormat } from '../../../data/formats.ts'
import { useAuthors } from '../../../data/note-authors.ts'
import type { Revision } from '../../../data/note-revisions.ts'
import type { NoteText } from '../../../data/note-text.ts'
import { mayWrite } from '../../../data/session.ts'
import { address, search, setParameters } from '../../../router.ts'
import type { Note } from '../list-data.ts'
import { useRevisions } from './revision-list.ts'
import { type Sitting, sittingsOf } from './sittings.ts'

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
  const authors = useAuthors(note.id, revisions?.[0]?.created_at)
  const isMissing = named !== undefined && revisions?.some(({ id }) => id === named) === false
  useEffect(() => {
    if (isMissing && hasOlder && !isReading) readOlder()
  }, [isMissing, hasOlder, isReading])
  return (
    <section class="section">
      <h3>
        Revisions <small>kept 7 days</small>
      </h3>
      {error && <ErrorText>{error.message}</ErrorText>}
      {revisions?.length === 0 && <p class="dim">No edit so far.</p>}
      {isMissing && !hasOlder && <p class="dim">The revision that the address names is not kept any more.</p>}
      <ol class="ledger">
        {sittingsOf(revisions ?? [], authors).map((sitting) => (
          <SittingRow
            key={sitting.first.id}
            note={note}
            sitting={sitting}
            named={named}
            all={revisions ?? []}
          />
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

const open = (revision: string | undefined) => setParameters({ revision })

interface SittingProps {
  readonly note: Note
  readonly sitting: Sitting
  /** The revision that the address names. */
  readonly named: string | undefined
  readonly all: readonly Revision[]
}

/** The edits of a sitting as one; each of them can be looked at by itself. */
function SittingRow({ note, sitting: { author, first, revisions }, named, all }: SittingProps) {
  const chosen = revisions.find(({ id }) => id === named)
  const newest = chosen === first ? revisions[0] : chosen
  const next = newest && (all[all.indexOf(newest) - 1] ?? note)
  const last = revisions[0] ?? first
  return (
    <li class={chosen && 'chosen'}>
      <Time at={last.created_at} />
      <div class="item">
        <button
          type="button"
          class="link"
          aria-expanded={chosen !== undefined}
          onClick={() => open(chosen ? undefined : first.id)}
        >
          {author === undefined ? 'Edited' : `${author} edited`} {SURFACES[first.surface] ?? first.surface}
        </button>
        {revisions.length > 1 && <small> {revisions.length} times</small>}
        {chosen && next && (
          <>
            {revisions.length > 1 && (
              <select
                class="input"
                aria-label="Which edit"
                value={chosen.id}
                onChange={({ currentTarget }) => open(currentTarget.value)}
              >
                <option value={first.id}>All of them together</option>
                {revisions.slice(0, -1).map(({ id, created_at }) => (
                  <option key={id} value={id}>
                    {precise(new Date(created_at))}
                  </option>
                ))}
              </select>
            )}
            <OpenRevision key={chosen.id} note={note} revision={chosen} next={next} />
          </>
        )}
      </div>
    </li>
  )
}

const precise = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' })

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
      {isWhole ? (
        <p class="verbatim">{revision.content}</p>
      ) : (
        <TextDifferences before={whole(revision)} after={whole(next)} />
      )}
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
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
    </div>
  )
}

const whole = ({ title, content }: NoteText) => `${title}\n${content}`
