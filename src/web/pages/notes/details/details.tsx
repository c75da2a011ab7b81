import { Icon } from '../../../components/icon.tsx'
import { useNote } from '../note-pane.tsx'
import { noteAddress } from '../place.ts'
import { Files } from './files.tsx'
import { Links } from './links.tsx'
import { Outline } from './outline.tsx'
import { Presets } from './presets.tsx'
import { Properties, useIsRead } from './properties.tsx'
import { Revisions } from './revisions.tsx'
import { Tags } from './tags.tsx'

/** What belongs to the open note beside its text. */
export function Details({ id }: { id: string }) {
  const { data } = useNote(id)
  // What is below the properties would move when they are read.
  const isRead = useIsRead(id)
  return (
    <section class="pane side" id="details" aria-label="Details">
      <header class="bar">
        <a class="button quiet icon-only narrow" href={noteAddress(id)} aria-label="Back to the note">
          <Icon name="back" />
        </a>
        <h2>Details</h2>
      </header>
      {data && isRead && (
        <>
          <Properties key={id} id={id} />
          <Tags note={data.note} />
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
