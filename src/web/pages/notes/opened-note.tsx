import { useEffect } from 'preact/hooks'
import { type Key, useKeys } from '../../components/keys.tsx'
import { lazy } from '../../components/lazy.tsx'
import { mayWriteNotes } from '../../data/session.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/note.css' with { type: 'text' }
import { besideId, useBesideLinks } from './beside.ts'
import { Details, NoDetails } from './details/details.tsx'
import { justTrashed } from './just-trashed.ts'
import { NewNote } from './new-note.tsx'
import { NotePane } from './note-pane.tsx'
import { useRoom } from './room.ts'
import { NEW, newTags, newText, newTitle, TASKS, TODAY } from './route.ts'
import { Today } from './today.tsx'

addStyles(styles)

const KEYS: readonly Key[] = [
  { keys: ['[['], does: 'link to another note' },
  { keys: ['#'], does: 'tag' },
  { keys: ['/'], does: 'insert a heading, a list, a table and more' },
  { keys: ['Ctrl', 'Enter'], does: 'toggle the task or follow the link at the cursor' },
  { keys: ['Ctrl', 'B'], does: 'bold' },
  { keys: ['Ctrl', 'I'], does: 'italic' },
  { keys: ['Ctrl', 'K'], does: 'turn the selected text into a link' },
  { keys: ['Tab'], does: 'indent the list item, or next cell of a table; Shift Tab goes back' },
  { keys: ['Alt', 'F10'], does: 'rows and columns of the table at the cursor' },
  { keys: ['Ctrl', 'E'], does: 'switch between Markdown and preview' },
  { keys: ['Ctrl', 'Alt', 'M'], does: 'comment on the selected text' },
  { keys: ['Ctrl', 'F'], does: 'find in the text' },
  { keys: ['Ctrl', '\\'], does: 'open or close the list' },
  { keys: ['Ctrl', '.'], does: 'open or close the details' },
  { keys: ['Ctrl', 'Z'], does: 'undo' },
  { keys: ['Alt', 'Enter'], does: 'open the focused link in a second pane, as a click with Alt' },
  { keys: ['Ctrl', 'Alt', 'Enter'], does: 'open the link at the cursor in a second pane; Esc closes it' },
]

const BesidePane = lazy(async () => (await import('./beside-pane.tsx')).BesidePane)
const Tasks = lazy(async () => (await import('./tasks.tsx')).Tasks)

/** The open note with its details or a second note, a new note, or the daily note. */
export function OpenedNote({ id }: { id: string }) {
  useKeys('Editor', KEYS)
  useRoom()
  useBesideLinks()
  useEffect(() => {
    justTrashed.value = undefined
  }, [id])
  const beside = besideId.value
  return (
    <>
      <First key={id} id={id} />
      {beside === undefined ? (
        <DetailsOf key={`details ${id}`} id={id} />
      ) : (
        <BesidePane key={beside} id={beside} />
      )}
    </>
  )
}

function First({ id }: { id: string }) {
  if (id === TODAY) return <Today />
  if (id === TASKS) return <Tasks />
  if (id === NEW && mayWriteNotes.value)
    return <NewNote key={JSON.stringify([newTitle.value, newText.value, newTags.value])} />
  return <NotePane id={id} />
}

function DetailsOf({ id }: { id: string }) {
  if (id === TASKS) return null
  return id === TODAY || (id === NEW && mayWriteNotes.value) ? <NoDetails /> : <Details id={id} />
}
