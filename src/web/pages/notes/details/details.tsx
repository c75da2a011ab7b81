import { Icon } from '../../../components/icon.tsx'
import { useNote } from '../note-pane.tsx'
import { noteAddress } from '../route.ts'
import { Aliases } from './aliases.tsx'
import { NoteComments } from './comments.tsx'
import { Files } from './files.tsx'
import { Links } from './links.tsx'
import { Outline } from './outline.tsx'
import { Presets } from './presets.tsx'
import { Properties, useArePropertiesLoaded } from './properties.tsx'
import { Revisions } from './revisions.tsx'
import { Tags } from './tags.tsx'

/** The place of the details beside a note that is not saved yet, so that its text stays in place when it is. */
export const NoDetails = () => (
  <section class="pane side" aria-label="Details">
    <header class="bar">
      <h2>Details</h2>
    </header>
    <div class="section">
      <p class="dim">Properties, tags and comments appear here once the note has text.</p>
    </div>
  </section>
)

/** The side pane of the open note. */
export function Details({ id }: { id: string }) {
  const { data } = useNote(id)
  // Rendered after the properties are loaded, which would otherwise push the sections down.
  const areLoaded = useArePropertiesLoaded(id)
  return (
    <section class="pane side" id="details" aria-label="Details">
      <header class="bar">
        <a class="button quiet icon-only narrow" href={noteAddress(id)} aria-label="Back to the note">
          <Icon name="back" />
        </a>
        <h2>Details</h2>
      </header>
      {data && areLoaded && (
        <>
          <Properties key={id} id={id} />
          <Tags note={data.note} />
          <Aliases note={data.note} />
          <NoteComments key={`comments ${id}`} id={id} />
          <Outline id={id} />
          <Presets id={id} />
          <Links id={id} />
          <Files id={id} />
          <Revisions note={data.note} />
        </>
      )}
    </section>
  )
}
