import { useComputed } from '@preact/signals'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { Button } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { usePartTitle } from '../../components/page-title.ts'
import { Banner, Loading, QueryError } from '../../components/pane.tsx'
import { shortTime } from '../../components/time.tsx'
import { Uploads } from '../../components/uploads.tsx'
import { counted } from '../../data/formats.ts'
import { useAuthors } from '../../data/note-authors.ts'
import type { NoteDraft } from '../../data/note-draft.ts'
import { unresolvedCount } from '../../data/note-text.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { uploads } from '../../data/upload.ts'
import { useQuery } from '../../data/use-query.ts'
import {
  draftsLoaded,
  findDocument,
  type NoteDocument,
  type NotePlace,
  showDocument,
} from '../../offline/note-documents.ts'
import { draftStoredAt, draftsRefusal, openDocument } from '../../offline/open-document.ts'
import { BackToList } from './back-to-list.tsx'
import { ConflictEditor } from './conflict.tsx'
import { DayBar, isDay } from './day/day-bar.tsx'
import { DueRows } from './day/due-rows.tsx'
import { DeletedNote } from './deleted-note.tsx'
import { storeWithNote } from './details/upload.ts'
import { noteQuery } from './early-note.ts'
import { Editor } from './editor/editor.tsx'
import type { Note } from './list-data.ts'
import { NoteMenu } from './note-menu.tsx'
import { PeopleHere } from './people-here.tsx'
import { LazyPreview } from './preview/lazy.tsx'
import { useReveal } from './reveal.ts'
import { DetailsToggle, ListToggle } from './room-buttons.tsx'
import { isPreview, noteAddress } from './route.ts'
import { Title } from './title.tsx'
import { useWordCount } from './word-count.ts'

export function useNote(id: string) {
  const { queryKey, queryFn } = noteQuery(id)
  return useQuery(queryKey, queryFn)
}

/** The document of a note on the screen; undefined while it is loaded. */
export function useOpenDocument(id: string, place: NotePlace) {
  const { data, dataUpdatedAt, error } = useNote(id)
  const [readyFor, setReadyFor] = useState<string>()
  // Layout effects, as other effects wait for the next frame.
  useLayoutEffect(() => {
    let isCurrent = true
    void draftsLoaded().then(() => isCurrent && setReadyFor(id))
    return () => {
      isCurrent = false
    }
  }, [id])
  useEffect(() => showDocument(id, place), [id, place])
  useLayoutEffect(() => {
    if (data && readyFor === id) openDocument(id, data.note)
    // Also after a refetch with the same data: a restored server may hold an older version than this tab saved.
  }, [id, data, dataUpdatedAt, readyFor])
  return { open: findDocument(id), note: data?.note, error }
}

/** The open note, a loading message, or an error. */
export function NotePane({ id }: { id: string }) {
  const { open, note, error } = useOpenDocument(id, 'note')
  useReveal(id)
  return (
    <section class="pane content" id="note" aria-label="Note">
      {open ? <OpenNote open={open} note={note} error={error} /> : <Placeholder error={error} />}
    </section>
  )
}

const Placeholder = ({ error }: { error: Error | null }) => (
  <>
    <header class="bar">
      <BackToList />
    </header>
    {error ? <QueryError error={error} /> : <Loading />}
  </>
)

interface OpenNoteProps {
  readonly open: NoteDocument
  readonly note: Note | undefined
  /** The error of the last fetch, for example because the note was trashed. */
  readonly error: Error | null
}

function OpenNote({ open: { id, draft }, note, error }: OpenNoteProps) {
  const state = draft.state.value
  const isReading = isPreview.value || !mayWriteNotes.value
  // A computed title, so that typing text does not render the surroundings.
  const title = useComputed(() => draft.text.value.title).value
  usePartTitle(title)
  const day = isDay(title) ? title : undefined
  return (
    <>
      <header class="bar">
        <BackToList />
        <ListToggle />
        {mayWriteNotes.value && <SaveLine draft={draft} />}
        <span class="grow" />
        <PeopleHere id={id} />
        {mayWriteNotes.value && state.kind !== 'conflict' && (
          <a
            class="button quiet"
            href={noteAddress(id, isReading ? {} : { show: 'preview' })}
            aria-current={isReading ? 'true' : undefined}
          >
            {isReading ? 'Edit' : 'Preview'}
          </a>
        )}
        <a
          class="button quiet icon-only narrow"
          href={noteAddress(id, { pane: 'details' })}
          aria-label="Properties, comments, links and revisions"
        >
          <Icon name="side" />
        </a>
        <DetailsToggle />
        <NoteMenu id={id} note={note} />
      </header>
      {day !== undefined && (
        <div class="tools wraps">
          <DayBar day={day} />
        </div>
      )}
      <NoteSheet id={id} draft={draft} error={error} isReading={isReading} isBeside={false} />
      <Foot draft={draft} />
    </>
  )
}

interface NoteSheetProps {
  readonly id: string
  readonly draft: NoteDraft
  readonly error: Error | null
  readonly isReading: boolean
  /** Whether the note is the second one on the screen. */
  readonly isBeside: boolean
}

/** The text of a note, with what keeps it from being saved. */
export function NoteSheet({ id, draft, error, isReading, isBeside }: NoteSheetProps) {
  const state = draft.state.value
  const title = useComputed(() => draft.text.value.title).value
  const isStoring = uploads.value.some(({ note: of }) => of === id)
  return (
    <>
      <StateBanner id={id} draft={draft} />
      {error && state.kind === 'saved' && <QueryError error={error} />}
      {isStoring && (
        <Banner>
          <Uploads note={id} />
        </Banner>
      )}
      <article
        class={isDay(title) ? 'sheet daily' : 'sheet'}
        onDragOver={(event) => mayWriteNotes.peek() && event.preventDefault()}
        onDrop={(event) => {
          const files = [...(event.dataTransfer?.files ?? [])]
          // The editor handles files dropped into the text.
          if (event.defaultPrevented || files.length === 0 || !mayWriteNotes.peek()) return
          event.preventDefault()
          storeWithNote(id, files)
        }}
      >
        {state.kind === 'conflict' ? (
          <ConflictEditor id={id} draft={draft} conflict={state.conflict} />
        ) : (
          <>
            <Title draft={draft} isReading={isReading} isBeside={isBeside} />
            {isReading ? (
              <LazyPreview id={id} title={title} text={draft.text.value.content} saved={draft.base.content} />
            ) : (
              <Editor
                id={id}
                draft={draft}
                isBeside={isBeside}
                onFiles={(files, insert) => storeWithNote(id, files, insert)}
              />
            )}
          </>
        )}
        {isDay(title) && <DueRows day={title} />}
      </article>
    </>
  )
}

export function SaveLine({ draft }: { draft: NoteDraft }) {
  const state = draft.state.value
  const [kind, text] = ((): [string, string] => {
    switch (state.kind) {
      case 'saved':
        return ['ok', 'Saved']
      case 'waiting':
      case 'saving':
        return ['off', 'Saving…']
      case 'away':
        return ['warn', 'Not saved. Will save when the server is back.']
      case 'signed-out':
        return ['warn', 'Not saved. Sign in again.']
      case 'refused':
        return ['bad', 'Not saved']
      case 'conflict': {
        const left = unresolvedCount(state.conflict)
        return ['warn', `Not saved: ${counted(left, 'conflict')} to resolve`]
      }
    }
  })()
  return (
    <span class={`status ${kind}`} role="status">
      {text}
    </span>
  )
}

function StateBanner({ id, draft }: { id: string; draft: NoteDraft }) {
  const state = draft.state.value
  const theirs = state.kind === 'conflict' ? state.conflict.theirs.updated_at : undefined
  const author = useAuthors(id, theirs).get(theirs ?? '')
  if (theirs !== undefined) {
    const when = shortTime(new Date(theirs))
    return (
      <Banner kind="warn">
        <Icon name="warn" />
        <p>
          <strong>
            {author === undefined
              ? `This note was saved elsewhere at ${when}`
              : `${author} saved this note at ${when}`}{' '}
            while you were editing.
          </strong>{' '}
          Everything else was merged. Choose which version to keep below.
        </p>
        <Button
          onClick={({ currentTarget }) =>
            currentTarget.closest('.pane')?.querySelector('.settle')?.scrollIntoView({ block: 'center' })
          }
        >
          Show conflict
        </Button>
      </Banner>
    )
  }
  if (state.kind === 'refused')
    return (
      <Banner kind="bad">
        <Icon name="warn" />
        <p>{state.sentence}</p>
        {state.isGone && <DeletedNote draft={draft} />}
      </Banner>
    )
  return draftsRefusal.value === undefined ? null : (
    <Banner kind="warn">
      <p>{draftsRefusal.value}</p>
    </Banner>
  )
}

function Foot({ draft }: { draft: NoteDraft }) {
  const words = useWordCount(draft)
  const storedAt = useComputed(() => draftStoredAt.value && shortTime(new Date(draftStoredAt.value))).value
  const isDraftStored =
    draft.state.value.kind !== 'saved' && storedAt !== undefined && draftsRefusal.value === undefined
  return (
    <p class="foot">
      {words !== undefined && <span>{counted(words, 'word')}</span>}
      {isDraftStored && <span>Draft stored in this browser at {storedAt}</span>}
      {mayWriteNotes.value && (
        <span class="keys">
          <span>
            <kbd>[[</kbd> link
          </span>
          <span>
            <kbd>#</kbd> tag
          </span>
          <span>
            <kbd>/</kbd> insert
          </span>
          <span>
            <kbd>Ctrl</kbd> <kbd>Enter</kbd> toggle task or follow link
          </span>
          <span>
            <kbd>Ctrl</kbd> <kbd>E</kbd> Markdown
          </span>
        </span>
      )}
    </p>
  )
}
