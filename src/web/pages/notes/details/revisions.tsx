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
import { mayWriteNotes } from '../../../data/session.ts'
import { address, search, setParameters } from '../../../router.ts'
import type { Note } from '../list-data.ts'
import { type EditSession, editSessionsOf } from './edit-sessions.ts'
import { useRevisions } from './revision-list.ts'

const SURFACES: Record<string, string> = {
  web: 'in the app',
  api: 'through the API',
  mcp: 'through MCP',
  system: 'by the server',
}

/** Earlier versions of a note, newest first, with differences and restore. */
export function Revisions({ note }: { note: Note }) {
  const selectedId = search.value.get('revision') ?? undefined
  const { revisions, hasOlder, isComplete, isFetching, error, readOlder } = useRevisions(note.id)
  const authors = useAuthors(note.id, revisions?.[0]?.created_at)
  const isMissing = selectedId !== undefined && revisions?.some(({ id }) => id === selectedId) === false
  useEffect(() => {
    if (isMissing && hasOlder && !isFetching) readOlder()
  }, [isMissing, hasOlder, isFetching])
  return (
    <section class="section">
      <h3>
        Revisions <small>stored for 7 days</small>
      </h3>
      {error && <ErrorText>{error.message}</ErrorText>}
      {revisions?.length === 0 && <p class="dim">No earlier versions.</p>}
      {isMissing && !hasOlder && <p class="dim">This revision is no longer stored.</p>}
      <ol class="ledger">
        {editSessionsOf(revisions ?? [], authors).map((session) => (
          <SessionRow
            key={session.first.id}
            note={note}
            session={session}
            selectedId={selectedId}
            all={revisions ?? []}
          />
        ))}
      </ol>
      {hasOlder && (
        <p class="actions">
          <Button disabled={isFetching} onClick={readOlder}>
            {isFetching ? 'Loading…' : 'Show older'}
          </Button>
        </p>
      )}
      {!isComplete && !hasOlder && (
        <p class="dim">
          These are the latest {revisions?.length} revisions.{' '}
          <a href={address(['changes'], { kind: 'note' })}>Changes</a> lists older edits, with undo.
        </p>
      )}
    </section>
  )
}

const open = (revision: string | undefined) => setParameters({ revision })

interface SessionRowProps {
  readonly note: Note
  readonly session: EditSession
  /** The revision in the address. */
  readonly selectedId: string | undefined
  readonly all: readonly Revision[]
}

/** The edits of a session as one entry; each edit can be selected. */
function SessionRow({ note, session: { author, first, revisions }, selectedId, all }: SessionRowProps) {
  const selected = revisions.find(({ id }) => id === selectedId)
  const newest = selected === first ? revisions[0] : selected
  const next = newest && (all[all.indexOf(newest) - 1] ?? note)
  const last = revisions[0] ?? first
  return (
    <li class={selected && 'chosen'}>
      <Time at={last.created_at} />
      <div class="item">
        <button
          type="button"
          class="link"
          aria-expanded={selected !== undefined}
          onClick={() => open(selected ? undefined : first.id)}
        >
          {author === undefined ? 'Edited' : `${author} edited`} {SURFACES[first.surface] ?? first.surface}
        </button>
        {revisions.length > 1 && <small> {revisions.length} saves</small>}
        {selected && next && (
          <>
            {revisions.length > 1 && (
              <select
                class="input"
                aria-label="Edit"
                value={selected.id}
                onChange={({ currentTarget }) => open(currentTarget.value)}
              >
                <option value={first.id}>All edits</option>
                {revisions.slice(0, -1).map(({ id, created_at }) => (
                  <option key={id} value={id}>
                    {precise(new Date(created_at))}
                  </option>
                ))}
              </select>
            )}
            <OpenRevision key={selected.id} note={note} revision={selected} next={next} />
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
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), [])
  const { run, isRunning, refusal } = useAction(async () => {
    await api.post('/v1/notes/{id}/revisions/{revisionId}/restore', {
      params: { id: note.id, revisionId: revision.id },
    })
    await invalidate(new Set(['note']))
  })
  return (
    <div ref={element}>
      {isWhole ? (
        <p class="verbatim">{revision.content}</p>
      ) : (
        <TextDifferences before={fullText(revision)} after={fullText(next)} />
      )}
      <p class="actions">
        {mayWriteNotes.value && (
          <Button disabled={isRunning.value} onClick={() => void run()}>
            Restore this version
          </Button>
        )}
        <Button kind="quiet" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          Show full text
        </Button>
      </p>
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
    </div>
  )
}

const fullText = ({ title, content }: NoteText) => `${title}\n${content}`
