import { useEffect } from 'preact/hooks'
import { api } from '../../data/api.ts'
import { shownRows } from './keys.ts'
import { firstPage, type NoteQuery, PAGE_SIZE, type Row, readSlice, withPrefix } from './list-data.ts'
import { list, searchText, sort } from './route.ts'

/** Read at a time, and in total, to find the place of a note that was opened elsewhere. */
const SLICE = 200
const MAX_READ = 2_000
/** Frames to wait for the rows of a list that loads. */
const MAX_FRAMES = 300

/** Whether a note belongs to a list. */
async function isListed(id: string, { list, search }: NoteQuery, signal: AbortSignal): Promise<boolean> {
  const { hasListTag } = await import('./ranked-hits.ts')
  const { textHits } = await import('./text-hits.ts')
  const { note } = await api.get('/v1/notes/{id}', { params: { id }, signal })
  if (list.kind === 'trash' || !hasListTag(list, note.tags)) return false
  if (list.kind !== 'view' && search === '') return true
  const view =
    list.kind === 'view'
      ? (await api.get('/v1/views/{id}', { params: { id: list.id }, signal })).view
      : undefined
  const text = { search: withPrefix(search), filter: view?.filter ?? null, signal }
  return (await textHits([note], text)).has(id)
}

async function placeOf(id: string, noteQuery: NoteQuery, signal: AbortSignal): Promise<number | undefined> {
  const isOpened = (row: Row) => row.id === id
  // Most opened notes are among the first. The others are looked for only if they are in the list.
  const first = await firstPage(noteQuery)
  const place = first.rows.findIndex(isOpened)
  if (place !== -1) return place
  if (first.total <= PAGE_SIZE || !(await isListed(id, noteQuery, signal))) return undefined
  for (let offset = 0; offset < MAX_READ; offset += SLICE) {
    const { rows, total } = await readSlice(noteQuery, { limit: SLICE, offset }, signal)
    const place = rows.findIndex(isOpened)
    if (place !== -1) return offset + place
    if (offset + SLICE >= total) return undefined
  }
  return undefined
}

function scrollTo(place: number, signal: AbortSignal, frames = MAX_FRAMES): void {
  if (signal.aborted || frames === 0) return
  const { current } = shownRows
  if (current && current.total > place) current.rows.scrollToIndex(place)
  else requestAnimationFrame(() => scrollTo(place, signal, frames - 1))
}

/** Scrolls the list to a note that was opened elsewhere, such as in the finder or by a link. */
export function useReveal(id: string): void {
  useEffect(() => {
    // Phones show the note without the list.
    if (!document.getElementById('list')?.checkVisibility()) return
    if (document.querySelector('.notes-rows > li.chosen')) return
    const stop = new AbortController()
    const noteQuery = { list: list.peek(), search: searchText.peek(), sort: sort.peek() }
    placeOf(id, noteQuery, stop.signal).then(
      (place) => place !== undefined && scrollTo(place, stop.signal),
      // The list stays where it is.
      () => {},
    )
    return () => stop.abort()
  }, [id])
}
