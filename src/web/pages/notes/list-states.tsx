import { useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { lazy } from '../../components/lazy.tsx'
import { Modal } from '../../components/modal.tsx'
import { Banner, Empty, Loading, QueryError } from '../../components/pane.tsx'
import { api } from '../../data/api.ts'
import { invalidate } from '../../data/cache.ts'
import type { NoteDocument } from '../../data/note-documents.ts'
import { awaySince } from '../../data/request.ts'
import { mayWrite } from '../../data/session.ts'
import { useQuery } from '../../data/use-query.ts'
import { navigate } from '../../router.ts'
import { justTrashed } from './just-trashed.ts'
import type { NoteQuery, Row } from './list-data.ts'
import { noteAddress } from './place.ts'

const Preview = lazy(async () => (await import('./preview/preview.tsx')).Preview)

const restore = (id: string) => api.post('/v1/notes/{id}/restore', { params: { id } })

/** Of a list that shows the trash: a row, and without one what empties it. */
export const Trash = ({ row }: { row?: Row }) => (row ? <TrashedNote row={row} /> : <EmptyTrash />)

/** A note in the trash: it can be read, restored, and deleted for good. */
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
      {mayWrite.value && (
        <Button disabled={isRunning.value} onClick={() => void run()}>
          Restore<span class="visually-hidden"> {title}</span>
        </Button>
      )}
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
      {isOpen && <DeletedNote id={id} title={title} onClose={() => setOpen(false)} />}
    </div>
  )
}

const NONE: readonly never[] = []

interface DeletedNoteProps {
  readonly id: string
  readonly title: string
  readonly onClose: () => void
}

function DeletedNote({ id, title, onClose }: DeletedNoteProps) {
  const { data, error } = useQuery(['note', 'trash', id], () =>
    api.get('/v1/notes/trash/{id}', { params: { id } }),
  )
  const [isSure, setSure] = useState(false)
  const { run, isRunning, refusal } = useAction(async (act: () => Promise<unknown>) => {
    await act()
    onClose()
    await invalidate(new Set(['note', 'tag']))
  })
  const content = data?.note.content
  return (
    <Modal title={title} onClose={onClose}>
      {error && <QueryError error={error} />}
      {content === undefined ? (
        !error && <Loading />
      ) : content === '' ? (
        <p class="dim">This note has no text.</p>
      ) : (
        <div style={{ maxHeight: '60vh', overflow: 'auto' }}>
          <Preview title={title} text={content} saved={content} outgoing={NONE} />
        </div>
      )}
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
      {isSure && <p>The note and its earlier versions are deleted. This cannot be undone.</p>}
      <p class="actions">
        {mayWrite.value && (
          <>
            <Button disabled={isRunning.value} onClick={() => void run(() => restore(id))}>
              Restore
            </Button>
            <Button
              kind={isSure ? 'danger' : 'quiet'}
              disabled={isRunning.value}
              onClick={() =>
                isSure
                  ? void run(() => api.delete('/v1/notes/trash/{id}', { params: { id } }))
                  : setSure(true)
              }
            >
              {isSure ? 'Yes, delete for good' : 'Delete for good'}
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

/** Deletes everything in the trash, after asking. */
function EmptyTrash() {
  const [isOpen, setOpen] = useState(false)
  const { run, isRunning, refusal } = useAction(async () => {
    await api.delete('/v1/notes/trash', {})
    setOpen(false)
    await invalidate(new Set(['note']))
  })
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        Empty the trash
      </Button>
      {isOpen && (
        <Modal title="Empty the trash" onClose={() => setOpen(false)}>
          <p>Every note in the trash is deleted, with its earlier versions. This cannot be undone.</p>
          {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
          <p class="actions">
            <Button kind="danger" disabled={isRunning.value} onClick={() => void run()}>
              Delete all for good
            </Button>
            <Button kind="quiet" onClick={() => setOpen(false)}>
              Cancel
            </Button>
          </p>
        </Modal>
      )}
    </>
  )
}

interface NothingProps {
  readonly noteQuery: NoteQuery
  readonly onCreate: () => void
}

/** What a list without notes says. */
export function Nothing({ noteQuery: { list: shown, search }, onCreate }: NothingProps) {
  if (search !== '')
    return (
      <Empty>No note{awaySince.value !== undefined && ' that is kept offline'} has all of these words.</Empty>
    )
  if (shown.kind === 'trash') return <Empty>Notes that you move to the trash wait here for 30 days.</Empty>
  return (
    <Empty>
      <p>{shown.kind === 'all' ? 'What you write down is listed here.' : 'No note belongs here yet.'}</p>
      {mayWrite.value && <Button onClick={onCreate}>New note</Button>}
    </Empty>
  )
}

/** Names notes with something that the person has to decide before it can be saved. */
export function UnsettledNotes({ documents }: { documents: readonly NoteDocument[] }) {
  return (
    <Banner kind="warn">
      <p>
        Not saved, and waiting for you:{' '}
        {documents.map(({ id, queue }, index) => [
          index > 0 && ', ',
          <a key={id} href={noteAddress(id)}>
            {queue.text.value.title}
          </a>,
        ])}
      </p>
    </Banner>
  )
}

/** Says which note was moved to the trash, and takes it back. */
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
