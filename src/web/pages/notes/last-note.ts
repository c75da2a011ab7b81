import { cache } from '../../data/cache.ts'
import { lastNoteKey, noteQuery } from './early-note.ts'
import { readSlice } from './list-data.ts'
import type { List, Sort } from './route.ts'

function lastNote(): string | undefined {
  try {
    return localStorage.getItem(lastNoteKey()) ?? undefined
  } catch {
    return undefined
  }
}

/** True if the note can be read; its text is then loaded. */
const isThere = (id: string): Promise<boolean> =>
  cache.fetchQuery(noteQuery(id)).then(
    () => true,
    () => false,
  )

/** The note to open beside a list: in the list of all notes the last one, else the first of the list. */
export async function noteToOpen(list: List, sort: Sort | undefined): Promise<string | undefined> {
  const last = list.kind === 'all' ? lastNote() : undefined
  if (last !== undefined && (await isThere(last))) return last
  const { rows } = await readSlice({ list, sort, search: '' }, { limit: 1, offset: 0 })
  return rows[0]?.id
}
