import { Details } from './details/details.tsx'
import { NotePane } from './note-pane.tsx'

/** The open note and its details. */
export const OpenedNote = ({ id }: { id: string }) => (
  <>
    <NotePane id={id} />
    <Details id={id} />
  </>
)
