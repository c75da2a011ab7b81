import { aliasesOf } from './aliases.ts'
import { api } from './api.ts'
import type { components } from './api-types.d.ts'
import { asPrefixes, type FoundNote, folded, wordsOf } from './find-notes.ts'

/* Suggestions of the finder if no note has all the words: titles with a typing error, notes with some of the words. */

const MAX_CANDIDATES = 200
const MAX_WORDS = 6

/** Typing errors allowed in a word. */
const errorsIn = (word: string): number => (word.length >= 8 ? 2 : word.length >= 5 ? 1 : 0)

/** The fewest changed, missing or additional letters that turn a word into the beginning of a name's word. */
export function distanceToStart(typed: string, word: string): number {
  let row = Array.from({ length: word.length + 1 }, (_, index) => index)
  for (let at = 0; at < typed.length; at++) {
    const next = [at + 1]
    for (let index = 0; index < word.length; index++) {
      const isSame = typed[at] === word[index]
      const changed = (row[index] ?? 0) + (isSame ? 0 : 1)
      next.push(Math.min(changed, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return Math.min(...row)
}

const isAlmostNamed = (name: string, words: readonly string[]): boolean => {
  const known = wordsOf(name)
  return words.every((word) => known.some((other) => distanceToStart(word, other) <= errorsIn(word)))
}

type Filter = components['schemas']['FilterTree']

const contains = (value: string): Filter => ({ type: 'field', field: 'title', op: 'contains', value })

/** Of n + 1 pieces of a word with n errors one is intact. Two of its letters can have changed places: two errors. */
function withAnyPiece(word: string): Filter {
  const count = errorsIn(word) + 1
  const size = Math.ceil(word.length / count)
  const pieces = Array.from({ length: count }, (_, index) => word.slice(index * size, (index + 1) * size))
  return { type: 'group', match: 'any', children: pieces.filter((piece) => piece !== '').map(contains) }
}

async function similarTitles(words: readonly string[], signal?: AbortSignal): Promise<FoundNote[]> {
  if (words.every((word) => errorsIn(word) === 0)) return []
  const filter: Filter = { type: 'group', match: 'all', children: words.map(withAnyPiece) }
  const body = { filter, limit: MAX_CANDIDATES, content: false, excerpt: true }
  const { notes } = await api.post('/v1/notes/query', { body, ...(signal && { signal }) })
  return notes.filter((note) => [note.title, ...aliasesOf(note)].some((name) => isAlmostNamed(name, words)))
}

async function withSomeWords(text: string, limit: number, signal?: AbortSignal): Promise<FoundNote[]> {
  const query = { search: asPrefixes(text), match: 'any', limit, content: false, excerpt: true } as const
  return (await api.get('/v1/notes', { query, ...(signal && { signal }) })).notes
}

export interface SimilarNotes {
  readonly titles: readonly FoundNote[]
  readonly texts: readonly FoundNote[]
}

/** Notes for a text of which no note has every word. */
export async function findSimilar(text: string, limit: number, signal?: AbortSignal): Promise<SimilarNotes> {
  const words = wordsOf(folded(text)).slice(0, MAX_WORDS)
  const [titles, texts] = await Promise.all([
    similarTitles(words, signal),
    words.length > 1 ? withSomeWords(text, limit, signal) : [],
  ])
  const named = new Set(titles.map(({ id }) => id))
  return { titles: titles.slice(0, limit), texts: texts.filter(({ id }) => !named.has(id)) }
}
