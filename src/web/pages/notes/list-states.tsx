import { useState } from 'preact/hooks'
import { confirm } from '../../components/confirm.tsx'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { lazy } from '../../components/lazy.tsx'
import { Modal } from '../../components/modal.tsx'
import { Banner, Empty, Loading, QueryError } from '../../components/pane.tsx'
import { api } from '../../data/api.ts'
import { invalidate } from '../../data/cache.ts'
import { unreachableSince } from '../../data/request.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { useQuery } from '../../data/use-query.ts'
import type { NoteDocument } from '../../offline/note-documents.ts'
import { navigate } from '../../router.ts'
import { justTrashed } from './just-trashed.ts'
import type { NoteQuery, Row } from './list-data.ts'
import { noteAddress } from './route.ts'

const Preview = lazy(async () => (await import('./preview/preview.tsx')).Preview)

const restore = (id: string) => api.post('/v1/notes/{id}/restore', { params: { id } })

/** A row of the trash, or without a row the button that empties it. */
export const Trash = ({ row }: { row?: Row }) => (row ? <TrashedNote row={row} /> : <EmptyTrash />)

/** A note in the trash, which can be read, restored or permanently deleted. */
function TrashedNote({ row: { id, title } }: { row: Row }) {
  const [isOpen, setOpen] = useState(false)
  const { run, isRunning, refusal } = useAction(async () => {
    await restore(id)
  })
  return (
    <div class="item">
      <button type="button" class="link item-title" onClick={() => setOpen(true)}>
        {title}
      </button>
      {mayWriteNotes.value && (
        <Button disabled={isRunning.value} onClick={() => void run()}>
          Restore<span class="visually-hidden"> {title}</span>
        </Button>
      )}
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
      {isOpen && <TrashedNoteDialog id={id} title={title} onClose={() => setOpen(false)} />}
    </div>
  )
}

const NONE: readonly never[] = []

interface TrashedNoteDialogProps {
  readonly id: string
  readonly title: string
  readonly onClose: () => void
}

function TrashedNoteDialog({ id, title, onClose }: TrashedNoteDialogProps) {
  const { data, error } = useQuery(['note', 'trash', id], () =>
    api.get('/v1/notes/trash/{id}', { params: { id } }),
  )
  const { run, isRunning, refusal } = useAction(async (act: () => Promise<unknown>) => {
    await act()
    onClose()
    await invalidate(new Set(['note', 'tag']))
  })
  const askToDelete = async () => {
    const isDeleted = await confirm({
      title: `Delete ${title}`,
      consequence: 'The note and its earlier versions are deleted.',
      action: 'Delete note',
      act: () => api.delete('/v1/notes/trash/{id}', { params: { id } }),
    })
    if (!isDeleted) return
    onClose()
    await invalidate(new Set(['note', 'tag']))
  }
  const content = data?.note.content
  return (
    <Modal title={title} onClose={onClose}>
      {error && <QueryError error={error} />}
      {content === undefined ? (
        !error && <Loading />
      ) : content === '' ? (
        <p class="dim">This note is empty.</p>
      ) : (
        <div style={{ maxHeight: '60vh', overflow: 'auto' }}>
          <Preview title={title} text={content} saved={content} outgoing={NONE} />
        </div>
      )}
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
      <p class="actions">
        {mayWriteNotes.value && (
          <>
            <Button disabled={isRunning.value} onClick={() => void run(() => restore(id))}>
              Restore
            </Button>
            <Button kind="quiet" disabled={isRunning.value} onClick={() => void askToDelete()}>
              Delete permanently…
            </Button>
          </>
        )}
        <Button kind="quiet" onClick={onClose}>
          Close
        </Button>
      </p>
    </Modal>
  )
}

/** Empties the trash after a confirmation. */
const EmptyTrash = () => (
  <Button
    kind="quiet"
    onClick={() =>
      void confirm({
        title: 'Empty trash',
        consequence: 'All notes in the trash and their earlier versions are deleted.',
        action: 'Delete all permanently',
        act: async () => {
          await api.delete('/v1/notes/trash', {})
          await invalidate(new Set(['note']))
        },
      })
    }
  >
    Empty trash
  </Button>
)

interface NoNotesProps {
  readonly noteQuery: NoteQuery
  readonly onCreate: () => void
}

/** The empty states of lists. */
export function NoNotes({ noteQuery: { list, search }, onCreate }: NoNotesProps) {
  if (search !== '')
    return (
      <Empty>
        No notes{unreachableSince.value !== undefined && ' in the offline copy'} contain all of these words.
      </Empty>
    )
  if (list.kind === 'trash')
    return <Empty>The trash is empty. Trashed notes are deleted permanently after 30 days.</Empty>
  return (
    <Empty>
      <p>{list.kind === 'all' ? 'Your notes appear here.' : 'No notes here yet.'}</p>
      {mayWriteNotes.value && <Button onClick={onCreate}>New note</Button>}
    </Empty>
  )
}

/** Links to notes with conflicts or refused changes. */
export function UnsavedNotes({ documents }: { documents: readonly NoteDocument[] }) {
  return (
    <Banner kind="warn">
      <p>
        Not saved, action needed:{' '}
        {documents.map(({ id, draft }, index) => [
          index > 0 && ', ',
          <a key={id} href={noteAddress(id)}>
            {draft.text.value.title}
          </a>,
        ])}
      </p>
    </Banner>
  )
}

/** Confirms that a note was trashed, with undo. */
export function JustTrashed() {
  const { run, isRunning, refusal } = useAction(async (id: string) => {
    await restore(id)
    justTrashed.value = undefined
    await invalidate(new Set(['note', 'tag']))
    navigate(noteAddress(id))
  })
  const trashed = justTrashed.value
  if (!trashed) return null
  return (
    <Banner>
      <p>“{trashed.title}” is in the trash.</p>
      <Button disabled={isRunning.value} onClick={() => void run(trashed.id)}>
        Undo
      </Button>
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
    </Banner>
  )
}
