import { effect } from '@preact/signals'
import { api } from '../../data/api.ts'
import { cache } from '../../data/cache.ts'
import { session } from '../../data/session.ts'
import { sessionKey } from '../../data/session-key.ts'
import { store } from '../../data/stored.ts'
import type { Key } from '../../data/use-query.ts'
import { NEW, noteId, TASKS, TODAY } from './route.ts'

/** The query of one note. */
export const noteQuery = (id: string) => ({
  queryKey: ['note tag', 'note', id] as const satisfies Key,
  queryFn: ({ signal }: { signal: AbortSignal }) => api.get('/v1/notes/{id}', { params: { id }, signal }),
})

/** Fetches a note that is about to be opened, unless it is cached. */
export function fetchEarly(id: string): void {
  void cache.prefetchQuery(noteQuery(id))
}

/** Loads the code of an opened note. If that fails, the note reports it. */
export function loadNoteCode(): void {
  for (const loading of [import('./opened-note.tsx'), import('./editor/code-mirror.ts')])
    loading.catch(() => undefined)
}

/** Each browser remembers the note that was opened last, by user and workspace. */
export const lastNoteKey = () => `last note of ${sessionKey.peek()}`

// A note is requested as soon as the address names it, not once its screen is rendered.
effect(() => {
  const id = noteId.value
  if (id === undefined || id === NEW || id === TODAY || id === TASKS || !session.value) return
  fetchEarly(id)
  loadNoteCode()
  store('localStorage', lastNoteKey(), id)
})
