import { navigate } from '../router.ts'
import { noteAddress } from './addresses.ts'
import { api } from './api.ts'
import type { Key } from './use-query.ts'

/** The query of all presets, which name tags and properties. */
export const PRESETS = {
  queryKey: ['preset tag property'] as Key,
  queryFn: ({ signal }: { signal?: AbortSignal }) => api.get('/v1/presets', signal && { signal }),
}

/** Creates and opens a note from a preset with text. Its title contains the date. */
export async function createNoteFrom(preset: string, name: string): Promise<void> {
  const { timeZone: tz } = Intl.DateTimeFormat().resolvedOptions()
  const day = new Date().toLocaleDateString(undefined, { dateStyle: 'long' })
  const title = `${name.slice(0, 400)}, ${day}`
  const { note } = await api.post('/v1/notes', { body: { title, preset, tz } })
  navigate(noteAddress(note.id))
}
