import { noteAddress } from '../components/addresses.ts'
import { navigate } from '../router.ts'
import { api } from './api.ts'

/** Makes a note from a preset that has a text, and opens it; the day is part of its title. */
export async function createNoteFrom(preset: string, name: string): Promise<void> {
  const { timeZone: tz } = Intl.DateTimeFormat().resolvedOptions()
  const day = new Date().toLocaleDateString(undefined, { dateStyle: 'long' })
  const title = `${name.slice(0, 400)}, ${day}`
  const { note } = await api.post('/v1/notes', { body: { title, preset, tz } })
  navigate(noteAddress(note.id))
}
