import { lazy } from '../../components/lazy.tsx'
import { session } from '../../data/session.ts'
import { ListPane } from './list-pane.tsx'
import { areDetailsOpen, noteId } from './route.ts'

const OpenedNote = lazy(async () => (await import('./opened-note.tsx')).OpenedNote)

const GettingStarted = lazy(async () => (await import('../start/getting-started.tsx')).GettingStarted)

export function Main() {
  const id = noteId.value
  const pane = id === undefined ? 'list' : areDetailsOpen.value ? 'side' : 'content'
  return (
    <main id="main" class="notes-screen" data-show={pane} key={session.value?.workspace.id}>
      <h1 class="visually-hidden">Notes</h1>
      <ListPane />
      {id === undefined ? <NoNote /> : <OpenedNote key={id} id={id} />}
    </main>
  )
}

const NoNote = () => (
  <section class="pane content" id="note" aria-label="Note">
    <GettingStarted />
  </section>
)
