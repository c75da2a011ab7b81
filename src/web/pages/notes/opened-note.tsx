import { mayWrite } from '../../data/session.ts'
import { Details } from './details/details.tsx'
import { NewNote } from './new-note.tsx'
import { NotePane } from './note-pane.tsx'
import { NEW, newTags, newText, newTitle, TODAY } from './place.ts'
import { Today } from './today.tsx'

/** The open note and its details; or an empty sheet, or the way to the note of the day. */
export const OpenedNote = ({ id }: { id: string }) =>
  id === TODAY ? (
    <Today />
  ) : id === NEW && mayWrite.value ? (
    <NewNote key={JSON.stringify([newTitle.value, newText.value, newTags.value])} />
  ) : (
    <>
      <NotePane id={id} />
      <Details id={id} />
    </>
  )
