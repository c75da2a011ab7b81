import { api } from './api.ts'

export interface FoundNote {
  readonly id: string
  readonly title: string
}

/** As many titles as are looked at for one that is better than the hits in texts. */
const MAX_NAMED = 50

/** The last word is taken for the beginning of one; what the search language would read as an operator is text. */
export const asPrefix = (text: string): string => {
  const words = text.replace(/["*-]/g, ' ').trim()
  return /[\p{L}\p{N}]$/u.test(words) ? `${words}*` : words
}

const titleIs = (op: 'eq' | 'starts_with', value: string) => ({
  type: 'field' as const,
  field: 'title' as const,
  op,
  value,
})

const folded = (text: string) => text.normalize('NFC').toLowerCase()

/** How well a title fits: the whole, its beginning, all words, or the text of the note alone. */
function rankOf(title: string, text: string): number {
  const [name, wanted] = [folded(title), folded(text)]
  if (name === wanted) return 0
  if (name.startsWith(wanted)) return 1
  return wanted.split(/\s+/).every((word) => name.includes(word)) ? 2 : 3
}

/** The note with exactly this title; the one edited last of several. */
export async function findByTitle(title: string): Promise<FoundNote | undefined> {
  const body = { filter: titleIs('eq', title), limit: 1, content: false }
  return (await api.post('/v1/notes/query', { body })).notes[0]
}

/** The notes that a text means, best first; without a text those edited last. */
export async function findNotes(text: string, limit: number, signal?: AbortSignal): Promise<FoundNote[]> {
  const options = signal ? { signal } : {}
  const named = async (op: 'eq' | 'starts_with', most: number) =>
    (
      await api.post('/v1/notes/query', {
        body: { filter: titleIs(op, text), limit: most, content: false },
        ...options,
      })
    ).notes
  const search = asPrefix(text)
  const hits = async () =>
    (
      await api.get('/v1/notes', {
        query: { limit, content: false, ...(search ? { search } : { sort: 'edited_at' }) },
        ...options,
      })
    ).notes
  if (text === '') return hits()
  const found = (
    await Promise.all([named('eq', 1), named('starts_with', MAX_NAMED), search ? hits() : []])
  ).flat()
  const unique = [...new Map(found.map((note) => [note.id, note])).values()]
  return unique
    .map((note) => ({ note, rank: rankOf(note.title, text) }))
    .sort((one, other) => one.rank - other.rank)
    .slice(0, limit)
    .map(({ note }) => note)
}
