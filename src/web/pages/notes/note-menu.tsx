import { useState } from 'preact/hooks'
import { restoreFocus } from '../../components/focus.ts'
import { ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { lazy } from '../../components/lazy.tsx'
import { isNarrow } from '../../components/narrow.ts'
import { api } from '../../data/api.ts'
import { writeAction } from '../../data/pending-actions.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { saveDocument } from '../../offline/note-documents.ts'
import { address, navigate } from '../../router.ts'
import { besideId, openBeside } from './beside.ts'
import { justTrashed } from './just-trashed.ts'
import type { Note } from './list-data.ts'
import { moveInQuickAccess, useQuickAccess } from './quick-access.tsx'
import { listAddress, noteAddress, noteId } from './route.ts'

const ShareDialog = lazy(async () => (await import('../shares/share-dialog.tsx')).ShareDialog)

/** Opens the preview and prints it. */
async function printNote(id: string): Promise<void> {
  navigate(noteAddress(id, { show: 'preview' }))
  const { printShown } = await import('./note-actions.ts')
  await printShown()
}

/* The icons of this menu alone, which are loaded with it. */
const EXPORT = 'M8 2v8M5 7l3 3 3-3M2.5 11v2.5h11V11'
const LINK =
  'M6.75 9.25a2.5 2.5 0 0 0 3.5 0l3-3a2.5 2.5 0 0 0-3.5-3.5l-1 1M9.25 6.75a2.5 2.5 0 0 0-3.5 0l-3 3a2.5 2.5 0 0 0 3.5 3.5l1-1'

const Shape = ({ d }: { d: string }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={d} />
  </svg>
)

/** The menu of a note. */
export function NoteMenu({ id, note }: { id: string; note: Note | undefined }) {
  const items = useQuickAccess()
  const index = items.findIndex(({ note_id }) => note_id === id)
  const isInQuickAccess = index !== -1
  const { run, refusal } = useAction((act: () => Promise<unknown>) => act())
  const choose = (act: () => Promise<unknown>) => () => {
    document.getElementById('note-more')?.hidePopover()
    void run(act)
  }
  const params = { id }
  const [isSharing, setSharing] = useState(false)
  return (
    <>
      <button
        type="button"
        class="button quiet icon-only"
        popovertarget="note-more"
        aria-label="More actions"
      >
        <Icon name="more" />
      </button>
      <div popover="auto" id="note-more" class="menu">
        {!isNarrow.value && besideId.value !== id && (
          <button type="button" onClick={choose(async () => openBeside(id))}>
            <Icon name="side" />
            Open in second pane
          </button>
        )}
        {isSecureContext && (
          <button
            type="button"
            onClick={choose(() => navigator.clipboard.writeText(location.origin + address(['notes', id])))}
          >
            <Shape d={LINK} />
            Copy link
          </button>
        )}
        <button
          type="button"
          onClick={choose(async () => (await import('./export-notes.ts')).exportNotes([id]))}
        >
          <Shape d={EXPORT} />
          Export as Markdown
        </button>
        <button type="button" onClick={choose(() => printNote(id))}>
          <Icon name="file" />
          Print
        </button>
        {mayWriteNotes.value && (
          <>
            <button
              type="button"
              onClick={choose(async () => (await import('./note-actions.ts')).duplicateNote(id))}
            >
              <Icon name="copy" />
              Duplicate
            </button>
            <button type="button" onClick={choose(async () => setSharing(true))}>
              <Icon name="person" />
              Share by link
            </button>
            <button
              type="button"
              onClick={choose(() =>
                isInQuickAccess
                  ? api.delete('/v1/quick-access/{id}', { params })
                  : api.post('/v1/quick-access', { body: { note_id: id } }),
              )}
            >
              <Icon name="star" />
              {isInQuickAccess ? 'Remove from quick access' : 'Add to quick access'}
            </button>
            {index > 0 && (
              <button type="button" onClick={choose(() => moveInQuickAccess(id, index - 1))}>
                <Icon name="up" />
                Move up in quick access
              </button>
            )}
            {isInQuickAccess && index < items.length - 1 && (
              <button type="button" onClick={choose(() => moveInQuickAccess(id, index + 1))}>
                <Icon name="down" />
                Move down in quick access
              </button>
            )}
            {note && (
              <button
                type="button"
                onClick={choose(() => {
                  const { title, pinned } = note
                  return writeAction({ kind: 'value', note: { id, title }, before: pinned, value: !pinned })
                })}
              >
                <Icon name="pin" />
                {note.pinned ? 'Unpin' : 'Pin'}
              </button>
            )}
            <button
              type="button"
              onClick={choose(async () => {
                await saveDocument(id)
                await api.delete('/v1/notes/{id}', { params })
                justTrashed.value = { id, title: note?.title ?? 'The note' }
                // The user may have opened another note.
                if (noteId.peek() !== id) return
                navigate(listAddress())
                restoreFocus()
              })}
            >
              <Icon name="trash" />
              Move to trash
            </button>
          </>
        )}
      </div>
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
      {isSharing && (
        <ShareDialog
          kind="note"
          targetId={id}
          title={note?.title ?? 'this note'}
          onClose={() => setSharing(false)}
        />
      )}
    </>
  )
}
