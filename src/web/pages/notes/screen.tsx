import { lazy } from '../../components/lazy.tsx'
import { isNarrow } from '../../components/narrow.ts'
import { session } from '../../data/session.ts'
import { ListPane } from './list-pane.tsx'
import { areDetailsOpen, noteId } from './route.ts'

const OpenedNote = lazy(async () => (await import('./opened-note.tsx')).OpenedNote)

const NoNote = lazy(async () => (await import('./no-note.tsx')).NoNote)

export function Main() {
  const id = noteId.value
  const pane = id === undefined ? 'list' : areDetailsOpen.value ? 'side' : 'content'
  return (
    <main id="main" class="notes-screen" data-show={pane} key={session.value?.workspace.id}>
      <h1 class="visually-hidden">Notes</h1>
      <ListPane />
      {id === undefined ? (
        <section class="pane content" id="note" aria-label="Note">
          {!isNarrow.value && <NoNote />}
        </section>
      ) : (
        <OpenedNote id={id} />
      )}
    </main>
  )
}
