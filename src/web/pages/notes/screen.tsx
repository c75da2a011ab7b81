import { lazy } from '../../components/lazy.tsx'
import { Empty } from '../../components/pane.tsx'
import { mayWrite, session } from '../../data/session.ts'
import { ListPane } from './list-pane.tsx'
import { isAtDetails, noteId } from './place.ts'

export { Side } from './side.tsx'

const OpenedNote = lazy(async () => (await import('./opened-note.tsx')).OpenedNote)

/** The list, the open note and its details; `home` is the one that a phone shows. */
export function Main() {
  const id = noteId.value
  const isSide = id !== undefined && isAtDetails.value
  return (
    <main
      id="main"
      class={isSide ? 'notes-screen at-side' : 'notes-screen'}
      key={session.value?.workspace.id}
    >
      <h1 class="visually-hidden">Notes</h1>
      <ListPane isHome={id === undefined} />
      {id === undefined ? <NoNote /> : <OpenedNote key={id} id={id} isAtDetails={isSide} />}
    </main>
  )
}

/** What is beside the list when no note is open. */
const NoNote = () => (
  <section class="pane" id="note" aria-label="Note">
    <Empty>{mayWrite.value ? 'Choose a note, or press N for a new one.' : 'Choose a note.'}</Empty>
  </section>
)
