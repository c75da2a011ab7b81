import { mayWrite } from '../../data/session.ts'
import { Details } from './details/details.tsx'
import { NewNote } from './new-note.tsx'
import { NotePane } from './note-pane.tsx'
import { NEW } from './place.ts'

/** The open note and its details; or an empty sheet. */
export const OpenedNote = ({ id }: { id: string }) =>
  id === NEW && mayWrite.value ? (
    <NewNote />
  ) : (
    <>
      <NotePane id={id} />
      <Details id={id} />
    </>
  )
