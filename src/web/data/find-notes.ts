import { type Aliased, aliasesOf } from './aliases.ts'
import { api } from './api.ts'
import type { components } from './api-types.d.ts'

export type FoundNote = Pick<
  components['schemas']['ListedNote'],
  'id' | 'title' | 'alias' | 'aliases' | 'tags' | 'created_at' | 'updated_at' | 'snippet' | 'excerpt'
>

/** The number of matching titles that are ranked before the hits in texts. */
const MAX_NAMED = 50

/**
 * Matches every word as a prefix, and quotes operators of the search language as text. Prefixes of one or two letters
 * are found in titles and tags only, so that short words are whole, except for the last, which is being typed.
 */
export const asPrefixes = (text: string): string => {
  const words = text.replace(/["*-]/g, ' ').trim().split(/\s+/)
  const isPrefix = (word: string, index: number) =>
    /[\p{L}\p{N}]$/u.test(word) && (word.length > 2 || index === words.length - 1)
  return words.map((word, index) => (isPrefix(word, index) ? `${word}*` : word)).join(' ')
}

type Field = Extract<components['schemas']['FilterTree'], { type: 'field' }>

const nameIs = (field: 'title' | 'alias', op: 'eq' | 'starts_with' | 'contains', value: string): Field => ({
  type: 'field',
  field,
  op,
  value,
})

export const folded = (text: string) => text.normalize('NFC').toLowerCase()

export const wordsOf = (text: string): string[] => folded(text).split(/\s+/).filter(Boolean)

/** The rank of a name: equal, a prefix, all words, or no match. */
function rankOfName(name: string, text: string): number {
  const [candidate, wanted] = [folded(name), folded(text)]
  if (candidate === wanted) return 0
  if (candidate.startsWith(wanted)) return 1
  return wordsOf(text).every((word) => candidate.includes(word)) ? 2 : NOT_NAMED
}

const NOT_NAMED = 3

type Named = Aliased & Pick<FoundNote, 'title'>

/** The rank of a note by its title or an alias; `NOT_NAMED` if only its text matches. */
export const rankOf = (note: Named, text: string): number =>
  Math.min(...[note.title, ...aliasesOf(note)].map((name) => rankOfName(name, text)))

export const isNamed = (note: Named, text: string): boolean => rankOf(note, text) < NOT_NAMED

/** The first alias that matches; undefined if none does. */
export const aliasFor = (note: Aliased, text: string): string | undefined =>
  aliasesOf(note).find((alias) => rankOfName(alias, text) < NOT_NAMED)

/** The note with exactly this title; of several, the last edited. */
export async function findByTitle(title: string): Promise<FoundNote | undefined> {
  const body = { filter: nameIs('title', 'eq', title), limit: 1, content: false }
  return (await api.post('/v1/notes/query', { body })).notes[0]
}

/** Notes whose title or alias matches a text or its words, best first. */
export async function findNamed(text: string, limit: number, signal?: AbortSignal): Promise<FoundNote[]> {
  const named = async (filter: components['schemas']['FilterTree'], most: number) =>
    (
      await api.post('/v1/notes/query', {
        body: { filter, limit: most, content: false, excerpt: true },
        ...(signal && { signal }),
      })
    ).notes
  const words = wordsOf(text).slice(0, MAX_WORDS)
  const found = await Promise.all([
    named(nameIs('title', 'eq', text), 1),
    named(nameIs('alias', 'starts_with', text), MAX_NAMED),
    named(nameIs('title', 'starts_with', text), MAX_NAMED),
    named(
      { type: 'group', match: 'all', children: words.map((word) => nameIs('title', 'contains', word)) },
      MAX_NAMED,
    ),
  ])
  return bestOf(found.flat(), text).slice(0, limit)
}

const MAX_WORDS = 10

/** Removes duplicates and sorts by rank; notes of equal rank keep their order. */
const bestOf = (found: readonly FoundNote[], text: string): FoundNote[] =>
  [...new Map(found.map((note) => [note.id, note])).values()]
    .map((note) => ({ note, rank: rankOf(note, text) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ note }) => note)

/** Notes that match a text, best first; without a text, the last edited. */
export async function findNotes(text: string, limit: number, signal?: AbortSignal): Promise<FoundNote[]> {
  const search = asPrefixes(text)
  const hits = async () =>
    (
      await api.get('/v1/notes', {
        query: { limit, content: false, excerpt: true, ...(search ? { search } : { sort: 'edited_at' }) },
        ...(signal && { signal }),
      })
    ).notes
  if (text === '') return hits()
  // Hits come last, so that their snippets are kept.
  const [named, found] = await Promise.all([findNamed(text, MAX_NAMED, signal), search ? hits() : []])
  return bestOf([...named, ...found], text).slice(0, limit)
}
