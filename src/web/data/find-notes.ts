import { type Answer, api } from './api.ts'

/** The objects that match a typed text, best first. */
export type Found = Answer<'/v1/search', 'get'>
export type FoundNote = Found['notes'][number]

/** Notes that match a text, best first; without a text, the last edited. */
export const findNotes = async (text: string, limit: number, signal?: AbortSignal): Promise<FoundNote[]> =>
  (await api.get('/v1/search', { query: { q: text, kind: 'notes', limit }, ...(signal && { signal }) })).notes

/** The note with exactly this title; of several, the last edited. */
export async function findByTitle(title: string): Promise<{ readonly id: string } | undefined> {
  const filter = { type: 'field', field: 'title', op: 'eq', value: title } as const
  return (await api.post('/v1/notes/query', { body: { filter, limit: 1, content: false } })).notes[0]
}
