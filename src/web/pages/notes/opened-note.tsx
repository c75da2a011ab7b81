import { Details } from './details/details.tsx'
import { NotePane } from './note-pane.tsx'

/** The open note and its details. */
export const OpenedNote = ({ id, isAtDetails }: { id: string; isAtDetails: boolean }) => (
  <>
    <NotePane id={id} isHome={!isAtDetails} />
    <Details id={id} isHome={isAtDetails} />
  </>
)
