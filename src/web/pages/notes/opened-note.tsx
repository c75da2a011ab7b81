import { type Key, useKeys } from '../../components/keys.tsx'
import { addStyles } from '../../components/styles.ts'
import { mayWrite } from '../../data/session.ts'
import styles from '../../styles/note.css' with { type: 'text' }
import { Details } from './details/details.tsx'
import { NewNote } from './new-note.tsx'
import { NotePane } from './note-pane.tsx'
import { NEW, newTags, newText, newTitle, TODAY } from './place.ts'
import { Today } from './today.tsx'

addStyles(styles)

const KEYS: readonly Key[] = [
  { keys: ['[['], does: 'link to another note' },
  { keys: ['#'], does: 'tag' },
  { keys: ['/'], does: 'insert a heading, a list, a table and more' },
  { keys: ['Ctrl', 'Enter'], does: 'tick the task, or follow the link at the cursor' },
  { keys: ['Ctrl', 'B'], does: 'bold' },
  { keys: ['Ctrl', 'I'], does: 'italic' },
  { keys: ['Ctrl', 'K'], does: 'link, with text selected' },
  { keys: ['Tab'], does: 'indent the item of a list; Shift Tab takes it out' },
  { keys: ['Ctrl', 'E'], does: 'show the Markdown, or the text as it reads' },
  { keys: ['Ctrl', 'F'], does: 'find in the text' },
  { keys: ['Ctrl', 'Z'], does: 'undo' },
]

/** The open note and its details; or an empty sheet, or the way to the note of the day. */
export function OpenedNote({ id }: { id: string }) {
  useKeys('Writing', KEYS)
  if (id === TODAY) return <Today />
  if (id === NEW && mayWrite.value)
    return <NewNote key={JSON.stringify([newTitle.value, newText.value, newTags.value])} />
  return (
    <>
      <NotePane id={id} />
      <Details id={id} />
    </>
  )
}
