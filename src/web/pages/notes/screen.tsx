import { lazy } from '../../components/lazy.tsx'
import { session } from '../../data/session.ts'
import { ListPane } from './list-pane.tsx'
import { isAtDetails, noteId } from './place.ts'

const OpenedNote = lazy(async () => (await import('./opened-note.tsx')).OpenedNote)

const FirstHour = lazy(async () => (await import('../start/first-hour.tsx')).FirstHour)

/** The list, the open note and its details. */
export function Main() {
  const id = noteId.value
  const shown = id === undefined ? 'list' : isAtDetails.value ? 'side' : 'content'
  return (
    <main id="main" class="notes-screen" data-show={shown} key={session.value?.workspace.id}>
      <h1 class="visually-hidden">Notes</h1>
      <ListPane />
      {id === undefined ? <NoNote /> : <OpenedNote key={id} id={id} />}
    </main>
  )
}

/** What is beside the list when no note is open. */
const NoNote = () => (
  <section class="pane content" id="note" aria-label="Note">
    <FirstHour />
  </section>
)
