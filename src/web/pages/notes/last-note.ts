import { cache } from '../../data/cache.ts'
import { readStored } from '../../data/stored.ts'
import { lastNoteKey, noteQuery } from './early-note.ts'
import { type NoteQuery, readSlice } from './list-data.ts'

const lastNote = () => readStored<string>('localStorage', lastNoteKey())

/** True if the note can be read; its text is then loaded. */
const isThere = (id: string): Promise<boolean> =>
  cache.fetchQuery(noteQuery(id)).then(
    () => true,
    () => false,
  )

/** The note to open beside a list: in the list of all notes the last one, else the first of the list or search. */
export async function noteToOpen(shown: NoteQuery): Promise<string | undefined> {
  const last = shown.list.kind === 'all' && shown.search === '' ? lastNote() : undefined
  if (last !== undefined && (await isThere(last))) return last
  const { rows } = await readSlice(shown, { limit: 1, offset: 0 })
  return rows[0]?.id
}
